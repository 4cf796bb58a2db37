/*
 * JSON without loss: strict in, exact out, key order kept.
 *
 * A struct json is one value. json_parse() and the json_new_*() functions give
 * a value that the caller owns and frees with json_free(); putting it into an
 * object or an array hands it over. What json_get() and the iterators return
 * belongs to the tree it came from.
 *
 * Only json*.c know cJSON. What it lets pass or loses is checked or mended there:
 * UTF-8, control characters, NUL, duplicate keys, trailing text, depth, number
 * grammar; and a number is printed with the very digits that it was read with.
 */
#ifndef GEAK_RECORDS_JSON_H
#define GEAK_RECORDS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ground/buf.h"
#include "ground/err.h"

struct json;

enum {
	JSON_MAX_BYTES = 16 * 1024 * 1024, /* a text longer than this is refused */
	JSON_MAX_DEPTH = 128,              /* nested arrays and objects */
};

enum json_type {
	JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT,
};

/* Parses text[0..len), which must hold exactly one value. NULL on error, and
 * e says what is wrong and at which byte (counted from 1). */
struct json *json_parse(const char *text, size_t len, struct err *e);

void json_free(struct json *j);
struct json *json_dup(const struct json *j);

/* Appends j in its compact form, without a final newline. Returns 0, or -1
 * when out's maximum is reached. */
int json_print(const struct json *j, struct buf *out);

/* How many arrays and objects are nested in j; 0 for a scalar. */
size_t json_depth(const struct json *j);

/* Same tree: same types, keys in the same order, numbers with the same text. */
bool json_equal(const struct json *a, const struct json *b);

/* -- looking: every function accepts NULL and then answers NULL, 0 or the default */

enum json_type json_type(const struct json *j);
bool json_is(const struct json *j, enum json_type type); /* false for NULL */
size_t json_len(const struct json *j);                   /* members or elements; O(n) */
const struct json *json_get(const struct json *obj, const char *key);
struct json *json_get_mut(struct json *obj, const char *key);
const struct json *json_at(const struct json *arr, size_t index);
const struct json *json_first(const struct json *j);     /* of an object or array */
const struct json *json_next(const struct json *member);
const char *json_key(const struct json *member);         /* NULL in an array */

/* The value itself, when it has the type. */
const char *json_string(const struct json *j);           /* or NULL */
double json_number(const struct json *j, double otherwise); /* finite: 1e999 is otherwise */
const char *json_number_text(const struct json *j);      /* digits as read, or NULL */
bool json_bool(const struct json *j, bool otherwise);
int64_t json_int(const struct json *j, int64_t otherwise); /* exact integers only */

/* A member of an object, when it is there and has the type. */
const char *json_get_string(const struct json *obj, const char *key);
double json_get_number(const struct json *obj, const char *key, double otherwise);
int64_t json_get_int(const struct json *obj, const char *key, int64_t otherwise);
bool json_get_bool(const struct json *obj, const char *key, bool otherwise);

/* -- building */

struct json *json_new_object(void);
struct json *json_new_array(void);
struct json *json_new_null(void);
struct json *json_new_bool(bool value);
struct json *json_new_int(int64_t value);
struct json *json_new_number(double value); /* shortest text that reads back; null if not finite */
struct json *json_new_string(const char *utf8);   /* bytes that are no UTF-8 become U+FFFD */
struct json *json_new_stringn(const char *bytes, size_t len); /* likewise; NUL too */

/* Sets obj[key], in place when the key is there, else at the end. Owns value
 * from then on; a NULL value is taken as JSON null. */
void json_set(struct json *obj, const char *key, struct json *value);

/* The same for a key that is known not to be there: whoever copies an object of many keys with
 * json_set() looks for each among all before it. */
void json_add(struct json *obj, const char *key, struct json *value);
void json_set_string(struct json *obj, const char *key, const char *utf8); /* NULL: null */
void json_set_number(struct json *obj, const char *key, double value);
void json_set_int(struct json *obj, const char *key, int64_t value);
/* A figure that was measured: what is beyond its sixth digit was not. Nothing for NAN. */
void json_set_figure(struct json *obj, const char *key, double value);
void json_set_bool(struct json *obj, const char *key, bool value);
void json_copy(struct json *to, const struct json *from, const char *key); /* if it is there */
void json_remove(struct json *obj, const char *key);
struct json *json_detach(struct json *obj, const char *key); /* NULL when absent */
void json_push(struct json *arr, struct json *value);

#endif
