/* Which cases are wrong, which are right, and what tells the ones from the others. Owns nothing. */
#ifndef GEAK_DOMAIN_CONTRAST_H
#define GEAK_DOMAIN_CONTRAST_H

#include "ground/buf.h"
#include "records/json.h"

/*
 * Appends a sentence for each of the first few members of the cases' params that part the
 * wrong cases of a verdict from the right ones:
 *
 *   Wrong only where N is not a power of two: 781, 65, 129; right: 256.
 *
 * Nothing when all are wrong, when none is, or when no member parts them.
 */
void contrast_describe(const struct json *candidate, struct buf *out);

#endif
