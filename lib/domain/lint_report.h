/*
 * What a lint found, for a person, within 80 columns: a row for each task as it comes,
 * and at the end how many accept which wrong answer. A report owns its counts alone.
 */
#ifndef GEAK_DOMAIN_LINT_REPORT_H
#define GEAK_DOMAIN_LINT_REPORT_H

#include <stdbool.h>

#include "ground/buf.h"
#include "records/json.h"

struct lint_report;

/* widest is the length of the longest id that is to come. */
struct lint_report *lint_report_new(size_t widest);
void lint_report_free(struct lint_report *r);

/* Appends the row of a task that has a "lint"; with the first one, the heading. */
void lint_report_add(struct lint_report *r, const struct json *task, struct buf *out);

/* Appends the totals. */
void lint_report_sum(const struct lint_report *r, struct buf *out);

/* True when every task that came was tried and refuses everything. */
bool lint_report_is_clean(const struct lint_report *r);

#endif
