/*
 * Inside of llm.h: what a provider is, and what it finds in a struct llm.
 * A provider owns llm->state and whatever it hangs on a call's state; the call
 * itself is llm.c's, and a provider gives it back through llm_finish().
 */
#ifndef GEAK_DOMAIN_LLM_IMPL_H
#define GEAK_DOMAIN_LLM_IMPL_H

#include "domain/llm.h"
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
};

struct llm_provider {
	const char *prefix; /* of the model's name: "exec:" */
	const char *help;   /* a line of --help: the form of the name, a tab, what it is */
	const void *detail; /* the provider's own */

	/* Fills llm->state. rest is the model's name after the prefix. */
	int (*open)(struct llm *llm, const char *rest, struct err *e);
	void (*close)(struct llm *llm); /* drops what is open */
	void (*ask)(struct llm *llm, struct llm_call *call, const struct llm_request *req);
	int (*step)(struct llm *llm, int extra_fd, int timeout_ms, struct err *e);
};

struct llm {
	struct llm_config config;
	const struct llm_provider *provider;
	void *state;
	char *identity;         /* set by open(): who is asked, for those whose replies cost money */
	bool priced;            /* price is known */
	struct price price;
	struct reply_cache cache;
	struct llm_call *ready, **last_ready; /* answered without being asked */
	size_t pending;
	bool complained;        /* of a limit that leaves no room for a reply */
};

/* Services over HTTP; detail is a struct llm_service (llm_http.h). */
int llm_http_open(struct llm *llm, const char *rest, struct err *e);
void llm_http_close(struct llm *llm);
void llm_http_ask(struct llm *llm, struct llm_call *call, const struct llm_request *req);
int llm_http_step(struct llm *llm, int extra_fd, int timeout_ms, struct err *e);

int llm_exec_open(struct llm *llm, const char *rest, struct err *e);
void llm_exec_close(struct llm *llm);
void llm_exec_ask(struct llm *llm, struct llm_call *call, const struct llm_request *req);
int llm_exec_step(struct llm *llm, int extra_fd, int timeout_ms, struct err *e);

int llm_replay_open(struct llm *llm, const char *rest, struct err *e);
void llm_replay_close(struct llm *llm);
void llm_replay_ask(struct llm *llm, struct llm_call *call, const struct llm_request *req);
int llm_replay_step(struct llm *llm, int extra_fd, int timeout_ms, struct err *e);

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
