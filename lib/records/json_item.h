/*
 * A struct json is a cJSON item under another name: the way from one to the other, for
 * json*.c. Owns nothing.
 *
 * Numbers are kept as raw items that hold their digits, with the value beside them in
 * valuedouble: cJSON prints raw text as it stands, so nothing is rounded on the way through.
 */
#ifndef GEAK_RECORDS_JSON_ITEM_H
#define GEAK_RECORDS_JSON_ITEM_H

#include <stdint.h>

#include "records/json.h"

struct cJSON;

static inline struct cJSON *json_item(const struct json *j)
{
	return (struct cJSON *)(uintptr_t)j;
}

static inline struct json *json_wrap(const struct cJSON *c)
{
	return (struct json *)(uintptr_t)c;
}

/* Every way to make a value passes here: afterwards cJSON cannot run out of memory. */
void json_setup(void);

#endif
