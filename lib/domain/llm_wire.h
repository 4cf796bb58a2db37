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

enum llm_dialect_name { LLM_CHAT, LLM_RESPONSES, LLM_MESSAGES, LLM_DIALECTS };

/* Where in a question each parameter stands: a key, or "a.b" for b in an object a. */
struct llm_dialect {
	const char *ending;       /* of the URLs that speak it */
	const char *limit[2];     /* of a reply's tokens, by its names: one that a server refuses is
	                           * followed by the other; the second may be NULL */
	long usual_limit;         /* for a service that insists on one; 0: it need not be set */
	const char *effort;       /* of reasoning */
	const char *seed;         /* NULL: it takes none */
	const char *stream_usage; /* set to have a stream tell its usage; NULL: it always does */
	const char *header;       /* that each request needs; or NULL */
	bool marks;               /* it keeps a prompt only when the question says so */

	/* Puts the messages in; marked, if mark, as a prompt that will be sent again. */
	void (*messages)(struct json *question, const struct llm_request *req, bool mark);
	/* Takes in a whole reply, or one event of a stream. */
	void (*whole)(const struct json *reply, struct llm_wire_text *t);
	void (*event)(const struct json *event, struct llm_wire_text *t);
};

extern const struct llm_dialect llm_dialects[LLM_DIALECTS];

/* -- questions */

/* The question as the body of a POST. name is the model's name there; limit says which of the
 * names of the limit is used. */
struct json *llm_wire_question(const struct llm_dialect *d, const struct llm_config *config,
			       const char *name, const struct llm_request *req, int limit);

/* -- replies */

void llm_wire_init(struct llm_wire_text *t);
void llm_wire_release(struct llm_wire_text *t);

/*
 * Reads the body of a good response, whichever of the two forms it has. 0, or ERR_RECORD, or
 * ERR_TEMP for a stream that broke off, for a service that was too busy, and for nothing at
 * all: e says what the matter is, without naming the service.
 */
int llm_wire_read(const struct llm_dialect *d, const char *body, size_t len,
		  struct llm_wire_text *t, struct err *e);

/* The same of a whole reply that is parsed already. */
int llm_wire_read_json(const struct llm_dialect *d, const struct json *reply,
		       struct llm_wire_text *t, struct err *e);

/* The dialect of a whole reply. */
const struct llm_dialect *llm_wire_dialect_of(const struct json *reply);

/* What the body of a refusal has to say, for a sentence: the service's own words
 * (masked, at most ~300 bytes), or what kind of thing it is. */
void llm_wire_complaint(const char *body, size_t len, struct buf *out);

/* True when a refusal's body says that money has run out: waiting will not help. */
bool llm_wire_no_credit(const char *body, size_t len);

/* True when a refusal's body says that the service does not know a parameter by this name; not
 * when it finds fault with its value. */
bool llm_wire_unknown(const char *body, size_t len, const char *name);

/* -- for the dialects themselves */

void llm_chat_messages(struct json *question, const struct llm_request *req, bool mark);
void llm_chat_whole(const struct json *reply, struct llm_wire_text *t);
void llm_chat_event(const struct json *event, struct llm_wire_text *t);
void llm_responses_messages(struct json *question, const struct llm_request *req, bool mark);
void llm_responses_whole(const struct json *reply, struct llm_wire_text *t);
void llm_responses_event(const struct json *event, struct llm_wire_text *t);
void llm_messages_messages(struct json *question, const struct llm_request *req, bool mark);
void llm_messages_whole(const struct json *reply, struct llm_wire_text *t);
void llm_messages_event(const struct json *event, struct llm_wire_text *t);

/* Looks for a service's error object in j; sets t->failed and returns true when there. */
bool llm_wire_failed(const struct json *j, struct llm_wire_text *t);

/* {"prompt_tokens","completion_tokens","cost"}, or {"input_tokens","output_tokens"} as Anthropic
 * and OpenAI's Responses have it; what is absent is left as it is. */
void llm_wire_usage(const struct json *j, struct llm_usage *usage);

/* Copies a reason in OpenAI's words ("stop", "length"); NULL leaves out alone. */
void llm_wire_set_reason(char *out, size_t size, const char *reason);

#endif
