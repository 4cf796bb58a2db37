/*
 * What is said when a service gave no reply, and whose fault it was: the question's
 * (ERR_RECORD), the moment's (ERR_TEMP), or one that would befall all (ERR_SERVICE).
 * Owns nothing.
 */
#ifndef GEAK_DOMAIN_LLM_FAILURE_H
#define GEAK_DOMAIN_LLM_FAILURE_H

#include <stdbool.h>

#include "domain/llm_target.h"
#include "outside/http.h"

struct llm_attempt {
	int tries;
	bool served;   /* the service has answered others with replies */
	bool heard;    /* it has answered others since this was asked */
	bool too_late; /* another try would come after the deadline */
};

/* Fills e and returns its code. The sentence does not name the host, and may hold the key. */
int llm_failure(const struct llm_target *t, const struct llm_config *config,
		const struct http_result *result, const struct llm_attempt *a, struct err *e);

#endif
