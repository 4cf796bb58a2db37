/* What went wrong, as records tell it: the "error" of a verdict or of one of its parts. */
#ifndef GEAK_DOMAIN_FAULT_H
#define GEAK_DOMAIN_FAULT_H

#include <stdbool.h>

#include "records/json.h"

/* {"class":…, "message":…}; the caller owns it. */
struct json *fault_new(const char *class, const char *message);

/* Its message, or for one without, as of a bare `assert`, its class. NULL where there is neither. */
const char *fault_words(const struct json *error);

/* It tells of memory that was not to be had, the machine's or the GPU's. */
bool fault_is_memory(const struct json *error);

#endif
