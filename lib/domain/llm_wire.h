/*
 * How a service words questions and replies: JSON in, JSON out, no I/O. A reply
 * comes whole or as server-sent events; both are read into a struct llm_wire_text.
 */
#ifndef GEAK_DOMAIN_LLM_WIRE_H
#define GEAK_DOMAIN_LLM_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "domain/llm.h"
#include "ground/buf.h"
#include "records/json.h"

struct llm_wire_text {
	struct buf text;
	char finish_reason[32];
	struct llm_usage usage;
	bool ended;        /* a stream said that it is complete */
	struct err failed; /* what is wrong with a reply that is well-formed JSON */
};

struct llm_wire {
	const char *path; /* below the service's base URL */

	/* The question as the body of a POST. name is the model's name there. */
	struct json *(*question)(const struct llm_config *config, const char *name,
				 const struct json *messages);
	/* Takes in a whole reply, or one event of a stream. */
	void (*whole)(const struct json *reply, struct llm_wire_text *t);
	void (*event)(const struct json *event, struct llm_wire_text *t);
};

extern const struct llm_wire llm_openai_wire, llm_anthropic_wire;

void llm_wire_init(struct llm_wire_text *t);
void llm_wire_release(struct llm_wire_text *t);

/*
 * Reads the body of a good response, whichever of the two forms it has. 0, or
 * ERR_RECORD, or ERR_TEMP for a stream that broke off and for nothing at all: e says what
 * the matter is, without naming the service.
 */
int llm_wire_read(const struct llm_wire *wire, const char *body, size_t len,
		  struct llm_wire_text *t, struct err *e);

/* What the body of a refusal has to say, for a sentence: the service's own words
 * (masked, at most ~300 bytes), or what kind of thing it is. */
void llm_wire_complaint(const char *body, size_t len, struct buf *out);

/* True when a refusal's body says that money has run out: waiting will not help. */
bool llm_wire_no_credit(const char *body, size_t len);

/* -- for the wires themselves */

/* Looks for a service's error object in j; sets t->failed and returns true when there. */
bool llm_wire_failed(const struct json *j, struct llm_wire_text *t);

/* {"prompt_tokens","completion_tokens","cost"}, or Anthropic's {"input_tokens",
 * "output_tokens"}; what is absent is left as it is. */
void llm_wire_usage(const struct json *j, struct llm_usage *usage);

/* Copies a reason in OpenAI's words ("stop", "length"); NULL leaves out alone. */
void llm_wire_set_reason(char *out, size_t size, const char *reason);

#endif
