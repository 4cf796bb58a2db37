/*
 * Replies of models by what was asked, in a file that several processes may use at once,
 * so that no reply is paid for twice. It saves money and time and nothing else: without
 * it a run asks again. Whoever can write the file can make up replies.
 *
 * A struct reply_cache owns its file.
 */
#ifndef GEAK_DOMAIN_REPLY_CACHE_H
#define GEAK_DOMAIN_REPLY_CACHE_H

#include "domain/json_cache.h"
#include "domain/llm.h"

struct reply_cache {
	struct json_cache kept; /* when its file fails, that is said, and it is not used any more */
};

/* Opens the file at path, or of NULL the user's own, whose folder is made: geak/replies.db in
 * XDG_CACHE_HOME or ~/.cache. Returns 0, or ERR_USAGE for a file that cannot be one. */
int reply_cache_open(struct reply_cache *c, const char *path, struct err *e);

/*
 * What a reply depends on: who is asked (identity), the parameters, the messages (by their
 * digest), and which of the replies to them is wanted.
 */
void reply_cache_key(const struct llm_config *config, const char *identity,
		     const struct llm_request *req, const char *prompt_sha256, char key[HASH_HEX]);

/* The reply under key as JSON, for the caller to free, or NULL. reply_cache_fill() reads it. */
struct json *reply_cache_get(struct reply_cache *c, const char *key);

/* Takes over what was kept; texts stay in kept. False for what is no reply. */
bool reply_cache_fill(const struct json *kept, struct llm_reply *reply);

void reply_cache_put(struct reply_cache *c, const char *key, const struct llm_reply *reply);

/* Around several reply_cache_put(), which are kept at the end. */
void reply_cache_begin(struct reply_cache *c);
void reply_cache_end(struct reply_cache *c);

void reply_cache_close(struct reply_cache *c);

#endif
