#include "domain/reply_cache.h"

#include <stdio.h>
#include <stdlib.h>

#include "ground/cli.h"
#include "ground/mem.h"
#include "ground/paths.h"
#include "ground/text.h"

/* -- the file */

int reply_cache_open(struct reply_cache *c, const char *path, struct err *e)
{
	char *own = path ? NULL : paths_cache("replies.db", true, e);

	*c = (struct reply_cache){ .kept = { .store = NULL } };
	if (path || own)
		c->kept.store = store_open(path ? path : own, e);
	free(own);
	return c->kept.store ? 0 : e->code;
}

void reply_cache_close(struct reply_cache *c)
{
	json_cache_close(&c->kept);
}

/* No reason to stop asking. */
static void complain(const struct err *why)
{
	if (why->code)
		text_complain(cli_tool(), "replies are not kept any more: %s", why->text);
}

/* -- entries */

void reply_cache_key(const struct llm_config *config, const char *identity,
		     const struct llm_request *req, const char *prompt_sha256, char key[HASH_HEX])
{
	struct hash *h = hash_new();
	char numbers[128];

	hash_string(h, "reply/1");
	hash_string(h, identity);
	snprintf(numbers, sizeof(numbers), "%.17g %ld %lld %lld", config->temperature,
		 config->max_tokens, (long long)req->sample, (long long)req->round);
	hash_string(h, numbers);
	hash_string(h, req->tool);
	hash_string(h, req->task);
	hash_string(h, prompt_sha256);
	/* What came later stays out where it is not set, so that older entries keep their keys. */
	if (config->effort) {
		hash_string(h, "effort");
		hash_string(h, config->effort);
	}
	if (config->seeded) {
		snprintf(numbers, sizeof(numbers), "%lld", (long long)config->seed);
		hash_string(h, "seed");
		hash_string(h, numbers);
	}
	hash_hex(h, key);
}

struct json *reply_cache_get(struct reply_cache *c, const char *key)
{
	struct err e = ERR_INIT;
	struct json *kept = json_cache_get(&c->kept, key, &e);

	complain(&e);
	return kept;
}

bool reply_cache_fill(const struct json *kept, struct llm_reply *reply)
{
	const char *text = json_get_string(kept, "text");
	const char *reason = json_get_string(kept, "finish_reason");

	if (!text)
		return false;
	reply->text = text;
	snprintf(reply->finish_reason, sizeof(reply->finish_reason), "%s", reason ? reason : "");
	reply->usage = (struct llm_usage){
		.prompt_tokens = json_get_int(kept, "prompt_tokens", -1),
		.cached_tokens = json_get_int(kept, "cached_tokens", -1),
		.completion_tokens = json_get_int(kept, "completion_tokens", -1),
		.cost_usd = json_get_number(kept, "cost_usd", -1),
	};
	reply->latency_s = json_get_number(kept, "latency_s", -1);
	return true;
}

static void set_known(struct json *j, const char *key, double value)
{
	if (value >= 0)
		json_set_number(j, key, value);
}

void reply_cache_put(struct reply_cache *c, const char *key, const struct llm_reply *reply)
{
	struct err e = ERR_INIT;
	struct json *j = json_new_object();

	json_set_string(j, "text", reply->text);
	json_set_string(j, "finish_reason", reply->finish_reason);
	set_known(j, "prompt_tokens", (double)reply->usage.prompt_tokens);
	set_known(j, "cached_tokens", (double)reply->usage.cached_tokens);
	set_known(j, "completion_tokens", (double)reply->usage.completion_tokens);
	set_known(j, "cost_usd", reply->usage.cost_usd);
	set_known(j, "latency_s", reply->latency_s);
	json_cache_put(&c->kept, key, j, &e);
	complain(&e);
	json_free(j);
}

void reply_cache_begin(struct reply_cache *c)
{
	json_cache_begin(&c->kept);
}

void reply_cache_end(struct reply_cache *c)
{
	struct err e = ERR_INIT;

	json_cache_end(&c->kept, &e);
	complain(&e);
}
