/* Reading and looking; json_build.c makes values, json_print.c prints them. */
#include "records/json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ground/mem.h"
#include "records/json_item.h"
#include "records/json_scan.h"

static void install_hooks(void)
{
	cJSON_Hooks hooks = { .malloc_fn = mem_alloc, .free_fn = free };

	cJSON_InitHooks(&hooks);
}

void json_setup(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, install_hooks);
}

/* -- parsing */

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int check_duplicate_keys(const cJSON *object, struct err *e)
{
	size_t n = json_len(json_wrap(object)), i = 0;
	const char **keys;
	const cJSON *m;
	int rc = 0;

	if (n < 2)
		return 0;
	keys = mem_alloc(n * sizeof(*keys));
	cJSON_ArrayForEach(m, object)
		keys[i++] = m->string;
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (i = 1; i < n && !rc; i++)
		if (strcmp(keys[i - 1], keys[i]) == 0)
			rc = err_set(e, ERR_RECORD, "not valid JSON: the key \"%.80s\" "
				     "appears twice in one object", keys[i]);
	free(keys);
	return rc;
}

struct finish {
	const char *text;
	const struct json_span *next;
	struct err *err;
};

/* Gives each number its digits and looks for duplicate keys. The depth is bounded by the scan. */
static int finish(cJSON *c, struct finish *f)
{
	cJSON *m;

	if (cJSON_IsNumber(c)) {
		c->valuestring = mem_strndup(f->text + f->next->start, f->next->len);
		c->valuedouble = strtod(c->valuestring, NULL);
		c->type = cJSON_Raw;
		f->next++;
		return 0;
	}
	if (cJSON_IsObject(c) && check_duplicate_keys(c, f->err))
		return ERR_RECORD;
	cJSON_ArrayForEach(m, c)
		if (finish(m, f))
			return ERR_RECORD;
	return 0;
}

/* Some versions of cJSON refuse a number of more than 63 characters. They get a
 * zero and blanks in its place; finish() has the digits. NULL when there is none. */
static char *without_long_numbers(const char *text, size_t len, const struct json_numbers *numbers)
{
	enum { LONGEST = 60 };
	char *copy = NULL;

	for (size_t i = 0; i < numbers->count; i++) {
		const struct json_span *n = &numbers->spans[i];

		if (n->len <= LONGEST)
			continue;
		if (!copy)
			copy = memcpy(mem_alloc(len), text, len);
		memset(copy + n->start, ' ', n->len);
		copy[n->start] = '0';
	}
	return copy;
}

struct json *json_parse(const char *text, size_t len, struct err *e)
{
	struct json_numbers numbers = { 0 };
	struct finish f = { .text = text, .err = e };
	char *copy = NULL;
	cJSON *c = NULL;

	json_setup();
	if (json_scan(text, len, &numbers, e) == 0) {
		copy = without_long_numbers(text, len, &numbers);
		c = cJSON_ParseWithLength(copy ? copy : text, len);
		if (!c)
			err_set(e, ERR_RECORD, "not valid JSON: the parser refused the text");
	}
	f.next = numbers.spans;
	if (c && finish(c, &f)) {
		cJSON_Delete(c);
		c = NULL;
	}
	json_numbers_release(&numbers);
	free(copy);
	return json_wrap(c);
}

void json_free(struct json *j)
{
	cJSON_Delete(json_item(j));
}

struct json *json_dup(const struct json *j)
{
	return json_wrap(cJSON_Duplicate(json_item(j), true));
}

static bool has_children(const struct json *j)
{
	return json_is(j, JSON_ARRAY) || json_is(j, JSON_OBJECT);
}

size_t json_depth(const struct json *j)
{
	size_t deepest = 0;

	if (!has_children(j))
		return 0;
	for (const struct json *m = json_first(j); m; m = json_next(m)) {
		size_t d = json_depth(m);

		deepest = d > deepest ? d : deepest;
	}
	return deepest + 1;
}

bool json_equal(const struct json *a, const struct json *b)
{
	const struct json *x, *y;

	if (!a || !b || json_type(a) != json_type(b))
		return a == b;
	switch (json_type(a)) {
	case JSON_NULL:
		return true;
	case JSON_BOOL:
		return json_bool(a, false) == json_bool(b, false);
	case JSON_NUMBER:
		return strcmp(json_number_text(a), json_number_text(b)) == 0;
	case JSON_STRING:
		return strcmp(json_string(a), json_string(b)) == 0;
	case JSON_ARRAY:
	case JSON_OBJECT:
		break;
	}
	for (x = json_first(a), y = json_first(b); x && y; x = json_next(x), y = json_next(y)) {
		if (json_is(a, JSON_OBJECT) && strcmp(json_key(x), json_key(y)) != 0)
			return false;
		if (!json_equal(x, y))
			return false;
	}
	return !x && !y;
}

/* -- looking */

enum json_type json_type(const struct json *j)
{
	switch (j ? json_item(j)->type & 0xFF : cJSON_NULL) {
	case cJSON_True:
	case cJSON_False:
		return JSON_BOOL;
	case cJSON_Number:
	case cJSON_Raw:
		return JSON_NUMBER;
	case cJSON_String:
		return JSON_STRING;
	case cJSON_Array:
		return JSON_ARRAY;
	case cJSON_Object:
		return JSON_OBJECT;
	default:
		return JSON_NULL;
	}
}

bool json_is(const struct json *j, enum json_type type)
{
	return j && json_type(j) == type;
}

size_t json_len(const struct json *j)
{
	return has_children(j) ? (size_t)cJSON_GetArraySize(json_item(j)) : 0;
}

const struct json *json_get(const struct json *obj, const char *key)
{
	if (!json_is(obj, JSON_OBJECT))
		return NULL;
	return json_wrap(cJSON_GetObjectItemCaseSensitive(json_item(obj), key));
}

struct json *json_get_mut(struct json *obj, const char *key)
{
	return json_wrap(json_item(json_get(obj, key)));
}

const struct json *json_at(const struct json *arr, size_t index)
{
	const struct json *m = json_is(arr, JSON_ARRAY) ? json_first(arr) : NULL;

	while (m && index-- > 0)
		m = json_next(m);
	return m;
}

const struct json *json_first(const struct json *j)
{
	return has_children(j) ? json_wrap(json_item(j)->child) : NULL;
}

const struct json *json_next(const struct json *member)
{
	return json_wrap(json_item(member)->next);
}

const char *json_key(const struct json *member)
{
	return json_item(member)->string;
}

const char *json_string(const struct json *j)
{
	return json_is(j, JSON_STRING) ? json_item(j)->valuestring : NULL;
}

double json_number(const struct json *j, double otherwise)
{
	double value = json_is(j, JSON_NUMBER) ? json_item(j)->valuedouble : otherwise;

	return isfinite(value) ? value : otherwise;
}

const char *json_number_text(const struct json *j)
{
	return json_is(j, JSON_NUMBER) ? json_item(j)->valuestring : NULL;
}

bool json_bool(const struct json *j, bool otherwise)
{
	return json_is(j, JSON_BOOL) ? cJSON_IsTrue(json_item(j)) : otherwise;
}

int64_t json_int(const struct json *j, int64_t otherwise)
{
	const char *text = json_number_text(j);
	char *end;
	long long value;
	double d;

	if (!text)
		return otherwise;
	errno = 0;
	value = strtoll(text, &end, 10);
	if (!errno && !*end)
		return value;
	/* 1e3 and 2.0 are integers as well, as long as a double holds them exactly. */
	d = json_number(j, NAN);
	return fabs(d) <= 9007199254740992.0 && d == floor(d) ? (int64_t)d : otherwise;
}

const char *json_get_string(const struct json *obj, const char *key)
{
	return json_string(json_get(obj, key));
}

double json_get_number(const struct json *obj, const char *key, double otherwise)
{
	return json_number(json_get(obj, key), otherwise);
}

int64_t json_get_int(const struct json *obj, const char *key, int64_t otherwise)
{
	return json_int(json_get(obj, key), otherwise);
}

bool json_get_bool(const struct json *obj, const char *key, bool otherwise)
{
	return json_bool(json_get(obj, key), otherwise);
}
