/*
 * The times of a candidate, a line a case, beside what it was held against, as text for a
 * person, at most 80 columns wide with up to three baselines; below it a line for what was not
 * timed, with the reason. It shows what eval.perf says, or eval.untimed.
 * Owns nothing.
 */
#ifndef GEAK_DOMAIN_TIMES_H
#define GEAK_DOMAIN_TIMES_H

#include "ground/buf.h"
#include "records/json.h"

/* Appends the table. Nothing for a candidate that was not to be timed. */
void times_add(struct buf *out, const struct json *candidate);

#endif
