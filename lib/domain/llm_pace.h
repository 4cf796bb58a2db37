/*
 * When a service is asked, and asked again: no more a minute than is allowed, and
 * after a failure not at once. Times are on llm_now()'s clock. Owns nothing.
 */
#ifndef GEAK_DOMAIN_LLM_PACE_H
#define GEAK_DOMAIN_LLM_PACE_H

#include "domain/llm.h"

struct llm_pace {
	double next_request, next_tokens; /* when --rpm and --tpm have room again */
	unsigned short random[3];
};

void llm_pace_init(struct llm_pace *p);

/* What a question of so many bytes is taken to cost in tokens, its reply included. */
double llm_pace_guess(const struct llm_config *c, size_t bytes);

/* The next moment from now on that the limits allow, which is then taken. */
double llm_pace_slot(struct llm_pace *p, const struct llm_config *c, double now, double tokens);

/* A reply told what it took in truth. */
void llm_pace_settle(struct llm_pace *p, const struct llm_config *c, double guessed,
		     const struct llm_usage *took);

/* Seconds to wait after that many tries; retry_after_s is what the service asks for, or 0. It is
 * drawn, so that many that failed together do not come back together. */
double llm_pace_pause(struct llm_pace *p, int tries, double retry_after_s);

#endif
