/*
 * Verdicts by their key in a file, so that what was judged once by any run with that
 * file is not judged again. It saves time and nothing else: without it a run gives the
 * same records. Whoever can write the file can make up verdicts.
 *
 * A struct verdict_cache owns its file and may be used by several threads.
 */
#ifndef GEAK_DOMAIN_VERDICT_CACHE_H
#define GEAK_DOMAIN_VERDICT_CACHE_H

#include "domain/json_cache.h"

struct verdict_cache {
	struct json_cache kept; /* when its file fails, that is said, and it is not used any more */
};

/* A NULL path is no cache. ERR_USAGE for a file that cannot be one. */
int verdict_cache_open(struct verdict_cache *c, const char *path, struct err *e);

/* The eval that is kept under key, for the caller to free; NULL when there is none. */
struct json *verdict_cache_get(struct verdict_cache *c, const char *key);

/* Keeps eval, unless a passing fault may be the reason for it: the judge's own, a
 * clock that a busy machine ran down, a process that was killed. */
void verdict_cache_put(struct verdict_cache *c, const char *key, const struct json *eval);

void verdict_cache_close(struct verdict_cache *c);

#endif
