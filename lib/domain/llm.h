/*
 * Asking a language model, whoever serves it. A model is named by a string such as
 * "openai:NAME", "http://HOST/v1#NAME", "exec:COMMAND" or "replay:FILE". Many
 * questions may be open at once in one thread: llm_ask() starts one, llm_step()
 * waits for whatever comes first and hands out replies. A struct llm owns all that
 * is open; llm_free() gives up what is not answered.
 */
#ifndef GEAK_DOMAIN_LLM_H
#define GEAK_DOMAIN_LLM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ground/err.h"
#include "records/hash.h"
#include "records/json.h"

struct llm;

/* Whether a reply that is kept is taken, and a new one kept. */
enum llm_cache {
	LLM_CACHE_SERVICES,  /* for services, as with USE; any other provider is asked */
	LLM_CACHE_OFF,
	LLM_CACHE_USE,
	LLM_CACHE_ONLY,      /* what is not kept fails: nobody is asked, and no key needed */
};

struct llm_config {
	const char *model;   /* borrowed for the life of the llm */
	const char *named;   /* what records call it; NULL: the same */
	double temperature;  /* NAN leaves it to the service */
	long max_tokens;     /* of a reply; 0 leaves it to the service */
	const char *effort;  /* of reasoning, in a word; NULL leaves it to the service */
	bool seeded;         /* samples are drawn from seed, seed + 1, ... */
	int64_t seed;
	double timeout_s;    /* from question to reply, retries included, the wait for a turn not */
	double stall_s;      /* how long a stream that has begun may be silent; 0: as long */
	int in_flight;       /* questions open at once, at least 1 */
	double requests_per_minute, tokens_per_minute; /* 0: as many as the service takes */
	bool stream;         /* have the service send the reply piece by piece */
	const char *prices;  /* a file as price.h reads it; NULL: geak's own */
	bool must_know_price;
	enum llm_cache cache;
	const char *cache_file; /* NULL: the user's own */
	bool written;        /* questions are written down by llm_batch_line(), and none is asked */
};

/* The seed that a sample is drawn from. */
static inline long long llm_seed(const struct llm_config *c, int64_t sample)
{
	int64_t seed = c->seed + sample;

	return (long long)seed;
}

struct llm_request {
	const char *tool;            /* "geak-gen" */
	const char *task;            /* the task's id */
	int64_t sample;              /* counted from 0 */
	int64_t round;               /* of the candidate that is wanted; 0 for geak-gen */
	const struct json *messages; /* [{"role":"system"|"user"|"assistant","content":TEXT}] */
	const char *sha256;          /* of them, by llm_digest(); NULL when it is not at hand */
	bool again;                  /* the same messages will be sent for another sample */
};

/* What a reply took; -1 is what nobody told. */
struct llm_usage {
	int64_t prompt_tokens;
	int64_t cached_tokens;     /* those of them that the service had in a cache of its own */
	int64_t written_tokens;    /* those that it put there, where it takes money for that */
	int64_t completion_tokens;
	double cost_usd;
};
#define LLM_USAGE_UNKNOWN ((struct llm_usage){ -1, -1, -1, -1, -1 })

/* What became of a question. Texts are the llm's and valid during the call-back. */
struct llm_reply {
	/* code 0: text holds a reply. ERR_RECORD, ERR_TEMP: this question failed, the
	 * next may not. ERR_SERVICE: no question will get a reply. */
	struct err err;
	const char *text;          /* valid UTF-8; empty where the model said nothing */
	char finish_reason[32];    /* "stop", "length" (the token limit), ...; "" if not told */
	struct llm_usage usage;
	double latency_s;          /* -1 when not known */
	char prompt_sha256[HASH_HEX];
	bool kept;                 /* it was not asked for now */
	int parts;                 /* of which it was put together; 0 for a whole one */
};

/* May not call back into the llm. */
typedef void llm_done_fn(void *ctx, const struct llm_reply *reply);

/* NULL with ERR_USAGE when the model's name means nothing, ERR_SERVICE when its key is missing;
 * ERR_USAGE for a cache or prices that were named and cannot be used. */
struct llm *llm_open(const struct llm_config *config, struct err *e);
void llm_free(struct llm *llm);

/* True while fewer than in_flight questions are open. */
bool llm_has_room(const struct llm *llm);

/* What the messages are known by, in a record as "prompt_sha256". */
void llm_digest(const struct json *messages, char sha256[HASH_HEX]);

/* Starts a question; done is called once, from a later llm_step(). What req
 * points to is not needed afterwards. */
void llm_ask(struct llm *llm, const struct llm_request *req, llm_done_fn *done, void *ctx);

/* What asking this may cost in US dollars, guessed upwards; 0 where no price is known. */
double llm_estimate(const struct llm *llm, const struct json *messages);

/* The service keeps the beginning of a prompt once it has begun to answer it: of several questions
 * with the same messages one is better asked before the others. */
bool llm_keeps_prompts(const struct llm *llm);

/* Replies are read from a file: there are no others than those. */
bool llm_is_recording(const struct llm *llm);

/* Questions whose done has not been called. */
size_t llm_pending(const struct llm *llm);

/* Tokens of the replies so far, also of those that are still arriving, as far as anybody tells:
 * for a person to see that something happens. */
int64_t llm_tokens(const struct llm *llm);

/* Moves everything on: waits at most timeout_ms (-1: for ever) for a reply, or until
 * extra_fd (-1: none) can be read. Returns 0, or ERR_SOFTWARE. */
int llm_step(struct llm *llm, int extra_fd, int timeout_ms, struct err *e);

/* True for a service, which may take a file of questions at once. */
bool llm_has_batches(const struct llm *llm);

/* A question as a line of such a file; the caller's. */
struct json *llm_batch_line(const struct llm *llm, const struct llm_request *req);

/* What records call a model: in "replay:FILE#MODEL" that whose replies were recorded. */
const char *llm_named(const char *model);

/* For --version: the providers, and the library that reaches them. */
void llm_features(char *out, size_t len);

/* For --help: a line or two for each form of a model's name. */
extern const char llm_help[];

#endif
