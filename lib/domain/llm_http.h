/*
 * Services that are asked over HTTP: where each lies, how it is given its key.
 * The requests, the retries and the sentences about failures are the same for all.
 */
#ifndef GEAK_DOMAIN_LLM_HTTP_H
#define GEAK_DOMAIN_LLM_HTTP_H

#include <stdbool.h>

#include "domain/llm_wire.h"

struct llm_service {
	const struct llm_wire *wire;
	const char *base;           /* NULL: the model's name is a URL */
	const char *base_variable;  /* of the environment, overrides base; or NULL */
	const char *key_variable;
	bool key_required;
	const char *key_header;     /* what precedes the key there */
	const char *const *headers; /* further ones, NULL-terminated; or NULL */
};

extern const struct llm_service llm_openai_service, llm_anthropic_service, llm_url_service;

#endif
