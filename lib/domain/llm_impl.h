/*
 * Inside of llm.h: what a provider is, and what it finds in a struct llm.
 * A provider owns llm->state and whatever it hangs on a call's state; the call
 * itself is llm.c's, and a provider gives it back through llm_finish().
 */
#ifndef GEAK_DOMAIN_LLM_IMPL_H
#define GEAK_DOMAIN_LLM_IMPL_H

#include "domain/llm.h"
#include "domain/llm_wire.h"
#include "domain/price.h"
#include "domain/reply_cache.h"

struct llm_call {
	struct llm_call *next;  /* of those whose reply is kept */
	struct json *kept;
	char key[HASH_HEX];     /* "" where replies are not kept */
	llm_done_fn *done;
	void *ctx;
	double asked, deadline; /* on llm_now()'s clock */
	char prompt_sha256[HASH_HEX];
	bool batched;           /* it was answered at the price of a batch */
};

/* How a kind of model is asked. */
struct llm_means {
	/* Fills llm->state. rest is the model's name after the prefix. */
	int (*open)(struct llm *llm, const char *rest, struct err *e);
	void (*close)(struct llm *llm); /* drops what is open */
	void (*ask)(struct llm *llm, struct llm_call *call, const struct llm_request *req);
	int (*step)(struct llm *llm, int extra_fd, int timeout_ms, struct err *e);
};

extern const struct llm_means llm_http, llm_exec, llm_replay;

/* Where a service lies, and how it is given its key. */
struct llm_site {
	const char *base;          /* its URL; NULL: the variable's, or the model's name */
	const char *base_variable; /* of the environment, goes before base; or NULL */
	const char *key_variable;
	bool key_needed;
	const char *key_header;    /* what precedes the key there */
	const char *priced_as;     /* the prefix under which its models are listed; NULL: their own */
};

struct llm_provider {
	const char *prefix;          /* of the model's name: "exec:" */
	const struct llm_means *means;
	/* For services: */
	const struct llm_site *site;
	const char *path;            /* below the base URL; NULL: the name's, or the dialect's */
	enum llm_dialect_name dialect;
	int limit;                   /* which of the dialect's names for it comes first */
};

extern const struct llm_provider llm_providers[]; /* ends with one without a prefix */

struct llm_target;

struct llm {
	struct llm_config config;
	const struct llm_provider *provider;
	void *state;
	char *identity;         /* set by open(): who is asked, for those whose replies cost money */
	const struct llm_target *target; /* set by open(): where a service is asked; or NULL */
	bool keeps_prompts;     /* set by open() */
	bool priced;            /* price is known */
	struct price price;
	struct reply_cache cache;
	struct llm_call *ready, **last_ready; /* answered without being asked */
	size_t pending;
	int64_t tokens;         /* see llm_tokens() */
	bool complained;        /* of a limit that leaves no room for a reply */
};

/* The provider of a model by its name, or NULL. */
const struct llm_provider *llm_provider_of(const char *model);

/* A reply that tells nothing yet. */
void llm_reply_init(struct llm_reply *reply);

/* Hands reply to whoever asked and frees the call. A good reply whose text is
 * no UTF-8 becomes an error here. */
void llm_finish(struct llm *llm, struct llm_call *call, struct llm_reply *reply);

/* Frees a call that nobody is told about any more. */
void llm_drop(struct llm *llm, struct llm_call *call);

/* Seconds on a clock that only goes forward. */
double llm_now(void);

/* timeout_ms, or less when `at` (on llm_now()'s clock) comes earlier. */
int llm_timeout_until(int timeout_ms, double at);

#endif
