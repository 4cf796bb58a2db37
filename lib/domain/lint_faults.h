/*
 * What is wrong with a task, apart from the answers that it accepts. Owns nothing.
 */
#ifndef GEAK_DOMAIN_LINT_FAULTS_H
#define GEAK_DOMAIN_LINT_FAULTS_H

#include "records/json.h"

/* The sentence for a kind of fault; NULL for an unknown one. */
const char *lint_sentence(const char *kind);

/* Adds {"kind","message"} to an array, if it knows the kind. */
void lint_add_fault(struct json *faults, const char *kind);

/* Adds those that can be seen without running anything. */
void lint_read_task(const struct json *task, struct json *faults);

#endif
