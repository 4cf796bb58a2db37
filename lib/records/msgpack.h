/*
 * A reader of MessagePack that walks over bytes where they lie: nothing is
 * built, nothing allocated, nothing read past the end. Owns nothing.
 *
 * libmsgpack would do, but builds a tree as large as the input claims to be,
 * and Debian renamed its package between 12 and 13; looking up a few keys in a
 * note is all that is needed here.
 */
#ifndef GEAK_RECORDS_MSGPACK_H
#define GEAK_RECORDS_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in the bytes: where the next value begins. */
struct msgpack {
	const unsigned char *at, *end;
};

enum msgpack_type {
	MSGPACK_NIL,
	MSGPACK_BOOL,
	MSGPACK_INT,
	MSGPACK_UINT,  /* an integer above INT64_MAX */
	MSGPACK_FLOAT,
	MSGPACK_STR,
	MSGPACK_BIN,
	MSGPACK_EXT,
	MSGPACK_ARRAY,
	MSGPACK_MAP,
};

struct msgpack_item {
	enum msgpack_type type;
	int64_t integer;     /* BOOL and INT */
	const char *bytes;   /* STR, BIN, EXT: count bytes, no NUL after them */
	uint32_t count;      /* bytes; or elements of an ARRAY, pairs of a MAP, which follow */
};

/* Takes the next token; after an ARRAY or MAP m stands before its first
 * element. False, with m unchanged, at the end or where the bytes are cut short. */
bool msgpack_next(struct msgpack *m, struct msgpack_item *item);

/* Steps over one whole value, however deep. False where it is cut short. */
bool msgpack_skip(struct msgpack *m);

/* Looks up a string key in the map that m stands before, the first if there
 * are several. False when there is none or m is before no map. */
bool msgpack_get(struct msgpack m, const char *key, struct msgpack *value);

/* The string or the integer that m stands before. */
bool msgpack_string(struct msgpack m, const char **bytes, size_t *len);
bool msgpack_int(struct msgpack m, int64_t *value);

#endif
