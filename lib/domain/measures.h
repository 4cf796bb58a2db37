/* What is known of a candidate's speed, in words for a prompt. Owns nothing. */
#ifndef GEAK_DOMAIN_MEASURES_H
#define GEAK_DOMAIN_MEASURES_H

#include "ground/buf.h"
#include "records/json.h"

/*
 * Appends lines "- ...": the speedup and the times where there are any, and for each
 * kernel what the code object for the primary target and what hardware counters tell. Nothing
 * when nothing is known.
 */
void measures_describe(const struct json *candidate, struct buf *out);

#endif
