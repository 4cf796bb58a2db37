/* From what a trial brought to light to the eval of a record. */
#ifndef GEAK_DOMAIN_VERDICT_H
#define GEAK_DOMAIN_VERDICT_H

#include "domain/timing.h"
#include "domain/trial.h"

/* Whether what was seen so far makes it a pass: then it may be timed. */
bool verdict_is_pass(const struct trial *t);

/* The eval object; the caller owns it. Its times are those of timing, which may be NULL; the
 * seconds are wall time for the whole trial. */
struct json *verdict_of(const struct trial *t, const struct timing *timing, const char *key,
			double seconds);

/* The eval of a candidate whose reply held no code: nothing is run for it. */
struct json *verdict_no_code(const struct judge *j, const char *key);

#endif
