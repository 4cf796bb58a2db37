/* What a trial brought to light, as the eval of a record. */
#ifndef GEAK_DOMAIN_EVAL_RECORD_H
#define GEAK_DOMAIN_EVAL_RECORD_H

#include "domain/timing.h"
#include "domain/trial.h"

/* The eval object, verdict and all; the caller owns it. Its times are those of timing, which may be
 * NULL; the seconds are wall time for the whole trial. */
struct json *eval_record(const struct trial *t, const struct timing *timing, const char *key,
			 double seconds);

/* That of a candidate whose reply held no code: nothing is run for it. */
struct json *eval_record_no_code(const struct judge *j, const char *key);

#endif
