/*
 * A reply that was cut at its token limit and asked to go on: the parts become
 * one text, and what they took is summed. A struct sequel owns text and messages.
 */
#ifndef GEAK_DOMAIN_SEQUEL_H
#define GEAK_DOMAIN_SEQUEL_H

#include <stdbool.h>

#include "domain/llm.h"
#include "ground/buf.h"

struct sequel {
	struct buf text;
	struct json *messages;  /* the question with what has been said, and the wish to go on */
	struct llm_reply reply; /* of all parts together; without the text */
	int parts;              /* so far */
};

void sequel_init(struct sequel *s);
void sequel_release(struct sequel *s);

/* True when reply was cut and has a beginning to go on from. */
bool sequel_is_cut(const struct llm_reply *reply);

/* Takes a part in. */
void sequel_add(struct sequel *s, const struct llm_reply *part);

/* Makes the messages that ask for the next part of the answer to question. */
void sequel_ask(struct sequel *s, const struct json *question);

/* Appends a part to text. Left out is what it repeats: the end of text, and a fence that it opens
 * anew where one is open. */
void sequel_join(struct buf *text, const char *part);

#endif
