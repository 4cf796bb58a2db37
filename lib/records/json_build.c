/* Making and changing values; json.c reads them. */
#include "records/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistr.h>

#include "records/json_item.h"

struct json *json_new_object(void)
{
	json_setup();
	return json_wrap(cJSON_CreateObject());
}

struct json *json_new_array(void)
{
	json_setup();
	return json_wrap(cJSON_CreateArray());
}

struct json *json_new_null(void)
{
	json_setup();
	return json_wrap(cJSON_CreateNull());
}

struct json *json_new_bool(bool value)
{
	json_setup();
	return json_wrap(cJSON_CreateBool(value));
}

static struct json *new_number(const char *text, double value)
{
	cJSON *c;

	json_setup();
	c = cJSON_CreateRaw(text);
	c->valuedouble = value;
	return json_wrap(c);
}

struct json *json_new_int(int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	return new_number(text, (double)value);
}

struct json *json_new_number(double value)
{
	char text[40];

	if (!isfinite(value))
		return json_new_null();
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(text, sizeof(text), "%.*g", precision, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return new_number(text, value);
}

static size_t next_nul(const char *bytes, size_t at, size_t len)
{
	const char *nul = at < len ? memchr(bytes + at, '\0', len - at) : NULL;

	return nul ? (size_t)(nul - bytes) : len;
}

/* The next byte that is no UTF-8. */
static size_t next_bad(const char *bytes, size_t at, size_t len)
{
	const uint8_t *bad = at < len ? u8_check((const uint8_t *)bytes + at, len - at) : NULL;

	return bad ? (size_t)(bad - (const uint8_t *)bytes) : len;
}

struct json *json_new_stringn(const char *bytes, size_t len)
{
	static const char replacement[] = "\xEF\xBF\xBD";
	size_t nul = next_nul(bytes, 0, len), bad = next_bad(bytes, 0, len), at = 0;
	struct buf clean;
	cJSON *c;

	json_setup();
	buf_init(&clean, 3 * len);
	for (;;) {
		size_t end = nul < bad ? nul : bad;

		if (end > at)
			buf_add(&clean, bytes + at, end - at);
		if (end == len)
			break;
		buf_adds(&clean, replacement);
		at = end + 1;
		/* Looked for again only where it was passed: texts that are bad all over are long, too. */
		if (nul < at)
			nul = next_nul(bytes, at, len);
		if (bad < at)
			bad = next_bad(bytes, at, len);
	}
	c = cJSON_CreateString(clean.data);
	buf_release(&clean);
	return json_wrap(c);
}

struct json *json_new_string(const char *utf8)
{
	return json_new_stringn(utf8, strlen(utf8));
}

void json_set(struct json *obj, const char *key, struct json *value)
{
	if (!value)
		value = json_new_null();
	if (json_get(obj, key))
		cJSON_ReplaceItemInObjectCaseSensitive(json_item(obj), key, json_item(value));
	else
		cJSON_AddItemToObject(json_item(obj), key, json_item(value));
}

void json_add(struct json *obj, const char *key, struct json *value)
{
	cJSON_AddItemToObject(json_item(obj), key, json_item(value));
}

void json_set_string(struct json *obj, const char *key, const char *utf8)
{
	json_set(obj, key, utf8 ? json_new_string(utf8) : json_new_null());
}

void json_set_number(struct json *obj, const char *key, double value)
{
	json_set(obj, key, json_new_number(value));
}

void json_set_figure(struct json *obj, const char *key, double value)
{
	char text[32];

	if (isfinite(value)) {
		snprintf(text, sizeof(text), "%.6g", value);
		json_set_number(obj, key, strtod(text, NULL));
	}
}

void json_set_int(struct json *obj, const char *key, int64_t value)
{
	json_set(obj, key, json_new_int(value));
}

void json_set_bool(struct json *obj, const char *key, bool value)
{
	json_set(obj, key, json_new_bool(value));
}

void json_copy(struct json *to, const struct json *from, const char *key)
{
	const struct json *value = json_get(from, key);

	if (value)
		json_set(to, key, json_dup(value));
}

void json_remove(struct json *obj, const char *key)
{
	json_free(json_detach(obj, key));
}

struct json *json_detach(struct json *obj, const char *key)
{
	if (!json_get(obj, key))
		return NULL;
	return json_wrap(cJSON_DetachItemFromObjectCaseSensitive(json_item(obj), key));
}

void json_push(struct json *arr, struct json *value)
{
	cJSON *c = json_item(value ? value : json_new_null());

	/* What was a member of an object has no key any more. */
	free(c->string);
	c->string = NULL;
	cJSON_AddItemToArray(json_item(arr), c);
}
