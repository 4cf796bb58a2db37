/* From what a trial brought to light to the eval of a record. */
#ifndef GEAK_DOMAIN_VERDICT_H
#define GEAK_DOMAIN_VERDICT_H

#include "domain/trial.h"

/* The eval object; the caller owns it. The seconds are wall time for the whole trial. */
struct json *verdict_of(const struct trial *t, const char *key, double seconds);

/* The eval of a candidate whose reply held no code: nothing is run for it. */
struct json *verdict_no_code(const struct judge *j, const char *key);

#endif
