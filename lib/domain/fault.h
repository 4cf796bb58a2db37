/* What went wrong, as records tell it: the "error" of a verdict or of one of its parts. */
#ifndef GEAK_DOMAIN_FAULT_H
#define GEAK_DOMAIN_FAULT_H

#include "records/json.h"

/* {"class":…, "message":…}; the caller owns it. */
struct json *fault_new(const char *class, const char *message);

#endif
