/*
 * JSON values by key in a file that is only a cache: once the file fails it is not used any
 * more. A struct json_cache owns its store and may be used by several threads.
 */
#ifndef GEAK_DOMAIN_JSON_CACHE_H
#define GEAK_DOMAIN_JSON_CACHE_H

#include <stdatomic.h>

#include "ground/err.h"
#include "outside/store.h"
#include "records/json.h"

struct json_cache {
	struct store *store;  /* NULL: no cache, and everything below does nothing */
	atomic_bool broken;   /* the file failed */
};

/* The value of key, for the caller to free; NULL when there is none. Fills e when the file
 * fails, for the first time only. */
struct json *json_cache_get(struct json_cache *c, const char *key, struct err *e);

/* Keeps a value, unless it is larger than a record may be. Fills e as json_cache_get() does. */
void json_cache_put(struct json_cache *c, const char *key, const struct json *value, struct err *e);

/* Around several json_cache_put(), which are then kept together, at the end. */
void json_cache_begin(struct json_cache *c);
void json_cache_end(struct json_cache *c, struct err *e);

void json_cache_close(struct json_cache *c);

#endif
