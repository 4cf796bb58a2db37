/*
 * The times of a candidate, a line a case, beside what it was held against, as text for a
 * person, at most 80 columns wide with up to three baselines. It shows what eval.perf says.
 * Owns nothing.
 */
#ifndef GEAK_DOMAIN_TIMES_H
#define GEAK_DOMAIN_TIMES_H

#include "ground/buf.h"
#include "records/json.h"

/* Appends the table. Nothing for a candidate that was not timed. */
void times_add(struct buf *out, const struct json *candidate);

#endif
