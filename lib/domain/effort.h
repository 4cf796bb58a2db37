/*
 * The work that a candidate's kernels did, held against what a task's cases take.
 * A kernel that was launched on one element, or that only carries over what torch
 * computed, moves too few bytes or does too few operations. Everything here is the
 * caller's; what is returned is a new value.
 */
#ifndef GEAK_DOMAIN_EFFORT_H
#define GEAK_DOMAIN_EFFORT_H

#include <stdbool.h>
#include <stddef.h>

#include "records/json.h"

/* eval.work: an entry for each result that came with figures; NULL when none did. */
struct json *effort_record(const struct json *results);

/*
 * Whether, in all cases that say how many bytes and operations they take, the kernels
 * did no real part of them, or torch did; then why says so in a clause. reference is
 * {case: floating-point operations}, what torch did for the reference: with a task that
 * says nothing of its cases, torch shall not have done as much for the candidate.
 */
bool effort_is_for_show(const struct json *task, const struct json *results,
			const struct json *reference, char *why, size_t size);

/* Adds the figures of a message's work to those of sum, an object. */
void effort_add(struct json *sum, const struct json *work);

#endif
