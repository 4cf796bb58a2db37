/*
 * Questions and replies as the services' batches have them, a line each: OpenAI's
 * form, which many know, and that of Anthropic's Message Batches. Owns nothing.
 */
#ifndef GEAK_DOMAIN_BATCH_H
#define GEAK_DOMAIN_BATCH_H

#include <stdbool.h>

#include "domain/llm_wire.h"
#include "records/hash.h"

/* Both services take it: Anthropic's no more than 64 letters, digits, '_' and '-'. */
enum { BATCH_ID = 5 + 32 + 1 };

/* By what a question is found again among results in any order: the question, and the options that
 * change a reply. Says nothing of the model: a file holds the replies of one. */
void batch_id(const struct llm_config *config, const struct llm_request *req,
	      const char *prompt_sha256, char id[BATCH_ID]);

/* A line of a batch's file; limit as for llm_wire_question(). */
struct json *batch_line(const struct llm_dialect *d, const struct llm_config *config,
			const char *name, const struct llm_request *req, int limit,
			const char *id);

/* The id of a line of results; NULL when it is none. */
const char *batch_result_id(const struct json *line);

/* True when the line holds a reply, and not the reason why there is none. */
bool batch_result_good(const struct json *line);

/* Reads a line of results. 0, or ERR_RECORD with the service's sentence. */
int batch_read(const struct json *line, struct llm_wire_text *t, struct err *e);

#endif
