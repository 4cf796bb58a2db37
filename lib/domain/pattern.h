/* What the anatomy of a wrong answer says about the kind of mistake. Owns nothing. */
#ifndef GEAK_DOMAIN_PATTERN_H
#define GEAK_DOMAIN_PATTERN_H

#include <stdbool.h>

#include "records/json.h"

/* The check's mismatch shows a pattern of that name. */
bool pattern_shown(const struct json *check, const char *name);

/*
 * The kind of failure (failure.h) that the patterns of a failed check tell, or NULL:
 * of the values that are found there, which say how they came about, or of the
 * places where they lie, which say less.
 */
const char *pattern_of_values(const struct json *check);
const char *pattern_of_places(const struct json *check);

#endif
