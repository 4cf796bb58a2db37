#include "domain/llm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistr.h>

#include "domain/batch.h"
#include "domain/llm_impl.h"
#include "domain/llm_target.h"
#include "ground/cli.h"
#include "ground/mem.h"
#include "ground/text.h"
#include "outside/http.h"

void llm_features(char *out, size_t len)
{
	size_t used = (size_t)snprintf(out, len, "models");

	for (const struct llm_provider *p = llm_providers; p->prefix && used < len; p++)
		used += (size_t)snprintf(out + used, len - used, " %s", p->prefix);
	if (used < len)
		snprintf(out + used, len - used, "; %s", http_version());
}

/* The model's name in the list of prices; the caller frees it. */
static char *listed_name(const struct llm *llm)
{
	const char *model = llm_named(llm->config.model);
	const struct llm_provider *p = llm_provider_of(model);

	if (!p->site || !p->site->priced_as)
		return mem_strdup(model);
	return mem_printf("%s%s", p->site->priced_as, model + strlen(p->prefix));
}

static int find_price(struct llm *llm, struct err *e)
{
	const struct llm_config *c = &llm->config;
	char *name = listed_name(llm);
	time_t now = time(NULL);
	struct err why = ERR_INIT;
	struct tm utc;
	char day[16];
	int found;

	gmtime_r(&now, &utc);
	strftime(day, sizeof(day), "%Y-%m-%d", &utc);
	found = price_find(c->prices, name, day, &llm->price, &why);
	free(name);
	llm->priced = found > 0;
	if (found == 0 && c->must_know_price)
		return err_set(e, ERR_USAGE, "--budget: the price of %s is not known; list it in a file "
			       "of your own and give that with --prices", c->model);
	/* Without geak's own list there is only no cost to tell. */
	if (found >= 0 || !(c->prices || c->must_know_price))
		return 0;
	*e = why;
	return e->code;
}

double llm_estimate(const struct llm *llm, const struct json *messages)
{
	const int64_t most = 8192; /* tokens of a reply, where no limit is set */
	const size_t bytes_per_token = 3;
	struct buf text;
	double usd;

	if (!llm->priced)
		return 0;
	buf_init(&text, SIZE_MAX / 2);
	json_print(messages, &text);
	usd = price_of(&llm->price, (int64_t)(text.len / bytes_per_token), 0, 0,
		       llm->config.max_tokens ? llm->config.max_tokens : most);
	buf_release(&text);
	return usd;
}

/* A cache of the user's own that cannot be had is no reason not to ask. */
static int open_cache(struct llm *llm, struct err *e)
{
	struct llm_config *c = &llm->config;
	struct err why = ERR_INIT;

	if (llm_is_recording(llm) || c->written) /* what is recorded is kept already */
		c->cache = LLM_CACHE_OFF;
	if (c->cache == LLM_CACHE_OFF || (c->cache == LLM_CACHE_SERVICES && !llm->identity))
		return 0;
	if (!llm->identity)
		llm->identity = mem_strdup(c->model);
	if (reply_cache_open(&llm->cache, c->cache_file, &why) == 0)
		return 0;
	if (c->cache_file || c->cache == LLM_CACHE_ONLY)
		return err_set(e, why.code, "the cache of replies: %s", why.text);
	text_complain(cli_tool(), "replies are not kept: %s", why.text);
	return 0;
}

static const struct llm_provider *provider_of(const char *model, struct err *e)
{
	const struct llm_provider *p = llm_provider_of(model);

	if (p && model[strlen(p->prefix)])
		return p;
	if (p)
		err_set(e, ERR_USAGE, "the model '%s' lacks what follows '%s'", model, p->prefix);
	else
		err_set(e, ERR_USAGE, "%s%s%s: a model is named openai:NAME, anthropic:NAME, "
			"http://HOST/v1#NAME, exec:COMMAND or replay:FILE, or in another form that "
			"--help lists; give one with -m or in GEAK_MODEL",
			*model ? "no such model as '" : "no model", model, *model ? "'" : "");
	return NULL;
}

struct llm *llm_open(const struct llm_config *config, struct err *e)
{
	const char *model = config->model ? config->model : "";
	struct llm *llm;
	const struct llm_provider *p = provider_of(model, e);

	if (!p)
		return NULL;
	llm = mem_zalloc(1, sizeof(*llm));
	llm->config = *config;
	llm->provider = p;
	llm->last_ready = &llm->ready;
	if (!p->means->open(llm, model + strlen(p->prefix), e)) {
		if (!find_price(llm, e) && !open_cache(llm, e))
			return llm;
		p->means->close(llm);
	}
	free(llm->identity);
	free(llm);
	return NULL;
}

void llm_free(struct llm *llm)
{
	if (!llm)
		return;
	llm->provider->means->close(llm);
	while (llm->ready) {
		struct llm_call *next = llm->ready->next;

		json_free(llm->ready->kept);
		llm_drop(llm, llm->ready);
		llm->ready = next;
	}
	reply_cache_close(&llm->cache);
	free(llm->identity);
	free(llm);
}

bool llm_has_room(const struct llm *llm)
{
	return llm->pending < (size_t)llm->config.in_flight;
}

size_t llm_pending(const struct llm *llm)
{
	return llm->pending;
}

bool llm_keeps_prompts(const struct llm *llm)
{
	return llm->keeps_prompts;
}

bool llm_is_recording(const struct llm *llm)
{
	return llm->provider->means == &llm_replay;
}

bool llm_has_batches(const struct llm *llm)
{
	return llm->target;
}

struct json *llm_batch_line(const struct llm *llm, const struct llm_request *req)
{
	char prompt_sha256[HASH_HEX], id[BATCH_ID];
	struct llm_config config = llm->config;
	struct llm_request alone = *req;

	config.stream = false;
	alone.again = false; /* those of a batch are asked in any order, and may not meet */
	llm_digest(req->messages, prompt_sha256);
	batch_id(&config, req, prompt_sha256, id);
	return batch_line(llm->target->dialect, &config, llm->target->name, &alone,
			  llm->provider->limit, id);
}

void llm_digest(const struct json *messages, char sha256[HASH_HEX])
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	json_print(messages, &text);
	hash_bytes_hex(text.data, text.len, sha256);
	buf_release(&text);
}

void llm_ask(struct llm *llm, const struct llm_request *req, llm_done_fn *done, void *ctx)
{
	struct llm_call *call = mem_zalloc(1, sizeof(*call));

	call->done = done;
	call->ctx = ctx;
	call->asked = llm_now();
	call->deadline = call->asked + llm->config.timeout_s;
	if (req->sha256)
		memcpy(call->prompt_sha256, req->sha256, sizeof(call->prompt_sha256));
	else
		llm_digest(req->messages, call->prompt_sha256);
	llm->pending++;
	if (llm->cache.kept.store) {
		reply_cache_key(&llm->config, llm->identity, req, call->prompt_sha256, call->key);
		call->kept = reply_cache_get(&llm->cache, call->key);
	}
	if (!call->kept && llm->config.cache != LLM_CACHE_ONLY) {
		llm->provider->means->ask(llm, call, req);
		return;
	}
	*llm->last_ready = call;
	llm->last_ready = &call->next;
}

/* Hands out a reply that is kept, or says that there is none. */
static void finish_ready(struct llm *llm, struct llm_call *call)
{
	struct json *kept = call->kept;
	struct llm_reply reply;

	llm_reply_init(&reply);
	reply.kept = true;
	if (!kept)
		err_set(&reply.err, ERR_RECORD, "no reply to this is kept, and --cache=only has nobody asked");
	else if (!reply_cache_fill(kept, &reply))
		err_set(&reply.err, ERR_RECORD, "what is kept for this is no reply; delete the cache's file");
	llm_finish(llm, call, &reply);
	json_free(kept);
}

int llm_step(struct llm *llm, int extra_fd, int timeout_ms, struct err *e)
{
	struct llm_call *ready = llm->ready;

	if (!ready)
		return llm->provider->means->step(llm, extra_fd, timeout_ms, e);
	llm->ready = NULL;
	llm->last_ready = &llm->ready;
	while (ready) {
		struct llm_call *next = ready->next;

		finish_ready(llm, ready);
		ready = next;
	}
	/* Those that were asked go on meanwhile. */
	return llm->pending ? llm->provider->means->step(llm, extra_fd, 0, e) : 0;
}

void llm_reply_init(struct llm_reply *reply)
{
	*reply = (struct llm_reply){
		.usage = LLM_USAGE_UNKNOWN, .latency_s = -1,
	};
}

/* An empty reply is one that was given, and paid for: a sample without code, which counts as one
 * that failed. To leave it out would make a model that says nothing look better than it is. */
static void check_text(struct llm *llm, struct llm_reply *reply)
{
	if (!reply->text)
		reply->text = "";
	if (u8_check((const uint8_t *)reply->text, strlen(reply->text))) {
		err_set(&reply->err, ERR_RECORD, "the reply is not valid UTF-8");
		return;
	}
	if (llm->complained || reply->text[strspn(reply->text, " \t\r\n")]
	    || strcmp(reply->finish_reason, "length") != 0)
		return;
	llm->complained = true;
	text_complain(cli_tool(), "a reply is empty: the model reached its token limit before it "
		      "wrote any text; raise --max-tokens");
}

/* Where the service does not tell. */
static void set_cost(const struct llm *llm, bool batched, struct llm_usage *u)
{
	if (u->cost_usd < 0 && llm->priced && u->prompt_tokens >= 0 && u->completion_tokens >= 0)
		u->cost_usd = price_of(&llm->price, u->prompt_tokens, u->cached_tokens,
				       u->written_tokens, u->completion_tokens)
			      * (batched ? llm->price.batch : 1);
}

int64_t llm_tokens(const struct llm *llm)
{
	return llm->tokens;
}

void llm_finish(struct llm *llm, struct llm_call *call, struct llm_reply *reply)
{
	if (!reply->kept && reply->usage.completion_tokens > 0)
		llm->tokens += reply->usage.completion_tokens;
	if (!reply->err.code)
		check_text(llm, reply);
	memcpy(reply->prompt_sha256, call->prompt_sha256, sizeof(reply->prompt_sha256));
	set_cost(llm, call->batched, &reply->usage);
	/* Before anybody knows of it: what has arrived is not asked for again. */
	if (!reply->err.code && !reply->kept && call->key[0])
		reply_cache_put(&llm->cache, call->key, reply);
	llm->pending--;
	call->done(call->ctx, reply);
	free(call);
}

void llm_drop(struct llm *llm, struct llm_call *call)
{
	llm->pending--;
	free(call);
}

double llm_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int llm_timeout_until(int timeout_ms, double at)
{
	double ms = ceil((at - llm_now()) * 1000);

	if (ms < 0)
		ms = 0;
	return timeout_ms < 0 || ms < timeout_ms ? (int)fmin(ms, 1e9) : timeout_ms;
}
