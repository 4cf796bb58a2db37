#include "domain/llm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistr.h>

#include "domain/llm_http.h"
#include "domain/llm_impl.h"
#include "ground/cli.h"
#include "ground/mem.h"
#include "ground/text.h"
#include "outside/http.h"

#define HTTP_SERVICE(service) \
	&(service), llm_http_open, llm_http_close, llm_http_ask, llm_http_step

static const struct llm_provider providers[] = {
	{ "openai:", "openai:NAME\t\tOpenAI's own service; key in OPENAI_API_KEY",
	  HTTP_SERVICE(llm_openai_service) },
	{ "anthropic:", "anthropic:NAME\tAnthropic's service; key in ANTHROPIC_API_KEY",
	  HTTP_SERVICE(llm_anthropic_service) },
	{ "http:", "http://HOST/v1#NAME\tany server that speaks OpenAI's chat completions;\n"
	  "\t\t\ta key, where it wants one, in GEAK_API_KEY",
	  HTTP_SERVICE(llm_url_service) },
	{ "https:", NULL, HTTP_SERVICE(llm_url_service) },
	{ "exec:", "exec:COMMAND\t\ta shell command: prompt in, reply out", NULL,
	  llm_exec_open, llm_exec_close, llm_exec_ask, llm_exec_step },
	{ "replay:", "replay:FILE\t\trecorded replies, as geak-gen(1) describes", NULL,
	  llm_replay_open, llm_replay_close, llm_replay_ask, llm_replay_step },
};

enum { PROVIDERS = sizeof(providers) / sizeof(*providers) };

void llm_features(char *out, size_t len)
{
	size_t used = (size_t)snprintf(out, len, "models");

	for (size_t i = 0; i < PROVIDERS && used < len; i++)
		used += (size_t)snprintf(out + used, len - used, " %s", providers[i].prefix);
	if (used < len)
		snprintf(out + used, len - used, "; %s", http_version());
}

const char *llm_provider_help(void)
{
	static char text[1024];
	struct buf b;

	buf_init(&b, sizeof(text) - 1);
	for (size_t i = 0; i < PROVIDERS; i++)
		if (providers[i].help)
			buf_addf(&b, "  %s\n", providers[i].help);
	memcpy(text, b.data, b.len + 1);
	buf_release(&b);
	return text;
}

static int find_price(struct llm *llm, struct err *e)
{
	const struct llm_config *c = &llm->config;
	time_t now = time(NULL);
	struct err why = ERR_INIT;
	struct tm utc;
	char day[16];
	int found;

	gmtime_r(&now, &utc);
	strftime(day, sizeof(day), "%Y-%m-%d", &utc);
	found = price_find(c->prices, c->model, day, &llm->price, &why);
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
	usd = price_of(&llm->price, (int64_t)(text.len / bytes_per_token), 0,
		       llm->config.max_tokens ? llm->config.max_tokens : most);
	buf_release(&text);
	return usd;
}

/* A cache of the user's own that cannot be had is no reason not to ask. */
static int open_cache(struct llm *llm, struct err *e)
{
	struct llm_config *c = &llm->config;
	struct err why = ERR_INIT;

	if (llm->provider->open == llm_replay_open) /* what is recorded is kept already */
		c->cache = LLM_CACHE_OFF;
	if (c->cache == LLM_CACHE_OFF || (c->cache == LLM_CACHE_SERVICES && !llm->identity))
		return 0;
	if (!llm->identity)
		llm->identity = mem_strdup(c->model);
	if (reply_cache_open(&llm->cache, c->cache_file, &why) == 0)
		return 0;
	if (c->cache_file || c->cache == LLM_CACHE_ONLY)
		return err_set(e, ERR_USAGE, "the cache of replies: %s", why.text);
	text_complain(cli_tool(), "replies are not kept: %s", why.text);
	return 0;
}

struct llm *llm_open(const struct llm_config *config, struct err *e)
{
	const char *model = config->model ? config->model : "";
	struct llm *llm;

	for (size_t i = 0; i < PROVIDERS; i++) {
		const char *prefix = providers[i].prefix;

		if (strncmp(model, prefix, strlen(prefix)) != 0)
			continue;
		if (!model[strlen(prefix)]) {
			err_set(e, ERR_USAGE, "the model '%s' lacks what follows '%s'", model,
				prefix);
			return NULL;
		}
		llm = mem_zalloc(1, sizeof(*llm));
		llm->config = *config;
		llm->provider = &providers[i];
		llm->last_ready = &llm->ready;
		if (!llm->provider->open(llm, model + strlen(prefix), e)) {
			if (!find_price(llm, e) && !open_cache(llm, e))
				return llm;
			llm->provider->close(llm);
		}
		free(llm->identity);
		free(llm);
		return NULL;
	}
	err_set(e, ERR_USAGE, "%s%s%s: a model is named openai:NAME, anthropic:NAME, "
		"http://HOST/v1#NAME, exec:COMMAND or replay:FILE; give one with -m or in "
		"GEAK_MODEL", *model ? "no such model as '" : "no model", model, *model ? "'" : "");
	return NULL;
}

void llm_free(struct llm *llm)
{
	if (!llm)
		return;
	llm->provider->close(llm);
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

void llm_ask(struct llm *llm, const struct llm_request *req, llm_done_fn *done, void *ctx)
{
	struct llm_call *call = mem_zalloc(1, sizeof(*call));
	struct buf text;

	call->done = done;
	call->ctx = ctx;
	call->asked = llm_now();
	call->deadline = call->asked + llm->config.timeout_s;
	buf_init(&text, SIZE_MAX / 2);
	json_print(req->messages, &text);
	hash_bytes_hex(text.data, text.len, call->prompt_sha256);
	buf_release(&text);
	llm->pending++;
	if (llm->cache.kept.store) {
		reply_cache_key(&llm->config, llm->identity, req, call->prompt_sha256, call->key);
		call->kept = reply_cache_get(&llm->cache, call->key);
	}
	if (!call->kept && llm->config.cache != LLM_CACHE_ONLY) {
		llm->provider->ask(llm, call, req);
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
		return llm->provider->step(llm, extra_fd, timeout_ms, e);
	llm->ready = NULL;
	llm->last_ready = &llm->ready;
	while (ready) {
		struct llm_call *next = ready->next;

		finish_ready(llm, ready);
		ready = next;
	}
	/* Those that were asked go on meanwhile. */
	return llm->pending ? llm->provider->step(llm, extra_fd, 0, e) : 0;
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
static void set_cost(const struct llm *llm, struct llm_usage *u)
{
	if (u->cost_usd < 0 && llm->priced && u->prompt_tokens >= 0 && u->completion_tokens >= 0)
		u->cost_usd = price_of(&llm->price, u->prompt_tokens,
				       u->cached_tokens > 0 ? u->cached_tokens : 0,
				       u->completion_tokens);
}

void llm_finish(struct llm *llm, struct llm_call *call, struct llm_reply *reply)
{
	if (!reply->err.code)
		check_text(llm, reply);
	memcpy(reply->prompt_sha256, call->prompt_sha256, sizeof(reply->prompt_sha256));
	set_cost(llm, &reply->usage);
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
