#include "domain/candidate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "records/hash.h"
#include "records/record.h"

enum { ID_DIGITS = 16 };

static void hash_number(struct hash *h, int64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)n);
	hash_string(h, text);
}

static const char *name_of(const struct llm_config *asked)
{
	return asked->named ? asked->named : asked->model;
}

static void set_id(struct json *candidate, const struct candidate_spec *spec, int64_t round)
{
	struct hash *h = hash_new();
	char hex[HASH_HEX];

	hash_string(h, spec->tool);
	hash_string(h, json_get_string(json_get(candidate, "task"), "id"));
	hash_string(h, name_of(spec->asked));
	hash_string(h, json_get_string(spec->parent, "id"));
	hash_number(h, round);
	hash_number(h, spec->sample);
	hash_string(h, spec->source ? spec->source : "");
	hash_hex(h, hex);
	hex[ID_DIGITS] = '\0';
	json_set_string(candidate, "id", hex);
}

static void set_count(struct json *j, const char *key, int64_t n)
{
	if (n >= 0)
		json_set_int(j, key, n);
}

static struct json *origin_of(const struct candidate_spec *spec)
{
	const struct llm_reply *r = spec->reply;
	const struct llm_config *c = spec->asked;
	struct json *o = json_new_object(), *usage = json_new_object();

	json_set_string(o, "tool", spec->tool);
	json_set_string(o, "model", name_of(c));
	json_set_int(o, "sample", spec->sample);
	if (!isnan(c->temperature))
		json_set_number(o, "temperature", c->temperature);
	if (c->effort)
		json_set_string(o, "effort", c->effort);
	if (c->seeded) {
		char seed[32];

		snprintf(seed, sizeof(seed), "%lld", llm_seed(c, spec->sample));
		json_set_string(o, "seed", seed);
	}
	json_set_string(o, "prompt_sha256", r->prompt_sha256);
	set_count(usage, "prompt_tokens", r->usage.prompt_tokens);
	set_count(usage, "cached_tokens", r->usage.cached_tokens);
	set_count(usage, "completion_tokens", r->usage.completion_tokens);
	if (json_len(usage))
		json_set(o, "usage", usage);
	else
		json_free(usage);
	if (r->usage.cost_usd >= 0)
		json_set_number(o, "cost_usd", r->usage.cost_usd);
	if (r->latency_s >= 0) /* to the millisecond: more is noise */
		json_set_number(o, "latency_s", round(r->latency_s * 1000) / 1000);
	if (r->finish_reason[0])
		json_set_string(o, "finish_reason", r->finish_reason);
	if (r->parts)
		json_set_int(o, "parts", r->parts);
	return o;
}

/* The reply itself, of a long one the beginning, cut where a character ends. */
static void keep_reply(struct json *candidate, const char *text)
{
	size_t len = strlen(text);

	if (len > CANDIDATE_REPLY_BYTES)
		for (len = CANDIDATE_REPLY_BYTES; ((unsigned char)text[len] & 0xC0) == 0x80;)
			len--;
	json_set(candidate, "reply", json_new_stringn(text, len));
}

struct json *candidate_history(const struct json *parent)
{
	const struct json *eval = json_get(parent, "eval"), *error = json_get(eval, "error"), *m;
	struct json *history = json_new_array(), *entry = json_new_object();
	size_t n = json_len(json_get(parent, "history"));

	for (m = json_first(json_get(parent, "history")); m; m = json_next(m))
		if (n-- < CANDIDATE_HISTORY)
			json_push(history, json_dup(m));
	json_copy(entry, parent, "id");
	json_copy(entry, parent, "round");
	json_set_string(entry, "tool", json_get_string(json_get(parent, "origin"), "tool"));
	json_copy(entry, parent, "source");
	json_copy(entry, eval, "status");
	json_copy(entry, eval, "stage");
	json_copy(entry, error, "class");
	json_copy(entry, error, "message");
	json_push(history, entry);
	return history;
}

struct json *candidate_new(const struct candidate_spec *spec)
{
	const struct json *task = spec->task ? spec->task : record_task(spec->parent);
	const char *language = json_get_string(task, "language");
	int64_t round = spec->parent ? json_get_int(spec->parent, "round", 0) + 1 : 0;
	struct json *c = record_new(RECORD_CANDIDATE);

	json_set_string(c, "id", NULL); /* keeps its place */
	json_set(c, "task", json_dup(task));
	json_set_string(c, "parent", json_get_string(spec->parent, "id"));
	json_set_int(c, "round", round);
	json_set(c, "origin", origin_of(spec));
	json_set_string(c, "language", language ? language : "triton");
	json_set_string(c, "source", spec->source ? spec->source : "");
	if (!spec->source)
		keep_reply(c, spec->reply->text);
	if (spec->parent)
		json_set(c, "history", candidate_history(spec->parent));
	set_id(c, spec, round);
	return c;
}
