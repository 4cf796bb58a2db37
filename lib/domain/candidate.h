/*
 * A new candidate/1 made from a reply: the one place that knows its keys and
 * their order. Owns nothing; what it returns is the caller's.
 */
#ifndef GEAK_DOMAIN_CANDIDATE_H
#define GEAK_DOMAIN_CANDIDATE_H

#include <stdint.h>

#include "domain/llm.h"
#include "records/json.h"

enum {
	CANDIDATE_HISTORY = 8,              /* earlier tries that a candidate carries, at most */
	CANDIDATE_REPLY_BYTES = 64 * 1024,  /* of a reply without code, at most */
};

struct candidate_spec {
	const char *tool;
	const struct llm_config *asked; /* the model and the parameters */
	const struct json *task;      /* NULL: the parent's */
	const struct json *parent;    /* the candidate that it is made from, or NULL */
	int64_t sample;
	const struct llm_reply *reply;
	const char *source;           /* NULL: the reply held no code and is kept instead */
};

/*
 * The candidate. round is the parent's plus one, or 0; with a parent it has a
 * history. Its id is a function of tool, task, model, parent, round, sample and
 * source alone. A stage adds its own members to "origin" afterwards.
 */
struct json *candidate_new(const struct candidate_spec *spec);

/* The parent's history and, as the last entry, the parent itself. */
struct json *candidate_history(const struct json *parent);

#endif
