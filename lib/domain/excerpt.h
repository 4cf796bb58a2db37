/* A long text as a prompt variable. Owns nothing. */
#ifndef GEAK_DOMAIN_EXCERPT_H
#define GEAK_DOMAIN_EXCERPT_H

#include <stddef.h>
#include <stdint.h>

#include "records/json.h"

#define EXCERPT_WHOLE (SIZE_MAX / 2)

/*
 * Sets vars[key] to the text without what is blank at its end. Of a text longer than
 * max bytes the end is kept, where an error's reason stands. NULL counts as "".
 */
void excerpt_set(struct json *vars, const char *key, const char *text, size_t max);

#endif
