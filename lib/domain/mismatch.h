/* What the checks of a verdict found, in words for a prompt. Owns nothing. */
#ifndef GEAK_DOMAIN_MISMATCH_H
#define GEAK_DOMAIN_MISMATCH_H

#include "ground/buf.h"
#include "records/json.h"

/*
 * Appends one line for each of the first few checks that failed (which case, with
 * which sizes, how many values are wrong, the first, what it was and should be), under it
 * the patterns that geak-eval found there, those not said of an earlier check;
 * one that names cases that were right; and what parts these from the wrong ones
 * (contrast.h). Nothing when no check failed.
 */
void mismatch_describe(const struct json *candidate, struct buf *out);

#endif
