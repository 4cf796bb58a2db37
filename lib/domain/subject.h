/*
 * One side of a comparison of times: the candidate, or what it is held against. It is a
 * process that calls an entry as often as it is asked and tells how long each call took
 * (harness/timing.py); several may be one process, under different names.
 *
 * A subject owns its own process, if it has one, and its last answer. It must not move.
 */
#ifndef GEAK_DOMAIN_SUBJECT_H
#define GEAK_DOMAIN_SUBJECT_H

#include "domain/trial.h"

enum { SUBJECT_CALLS_MAX = 16 }; /* in a block */

struct subject {
	const char *name;       /* "candidate", "eager", "compile", "seed", or a record's id */
	const char *as;         /* what the oracle's process knows it by; NULL for one of its own */
	struct part *part;      /* lent or own */
	struct part own;
	const struct trial *trial;
	int inputs;             /* shared memory of its own process */
	struct json *answer;    /* the last one of its own process */
	struct json **heard;    /* where that of its process arrives */
	int64_t turn;           /* of blocks */
	char *seed;             /* from which it drew the contents of the last one */
	const char *case_name;  /* the oracle's, that it is ready for */
	const char *forged;     /* as in struct trial */
	char *why;              /* it cannot be had for this case: the baseline's own words */
	struct err failure;     /* our own, when code is set */
};

struct block {
	double ms[SUBJECT_CALLS_MAX]; /* what the process says */
	size_t n;
	double wall_ms;               /* what the keeper's clock says of all of it */
};

/* The reference, in the oracle's process, "eager" or as "compile" makes it. */
void subject_init_reference(struct subject *s, const struct trial *t, const char *as);

/* A source in a process of its own, boxed as a candidate is. On failure s->failure is set. */
void subject_init_source(struct subject *s, struct trial *t, const char *name, const char *source);

/* Has it get ready for a case, a number in the oracle's cases, with room for so many calls at
 * once. The cost of an empty window, in milliseconds, or below 0 when it is of no use. */
double subject_get_ready(struct subject *s, int64_t number, int64_t places);

/* Has it make n calls; without real everything but the calls. False without an answer to that. */
bool subject_block(struct subject *s, int64_t n, bool real, struct block *b);

/* What call i of the last block made of its inputs, as a result for the oracle; or NULL. The
 * caller frees it. */
struct json *subject_give(struct subject *s, int64_t i);

/* Lets go of the case's memory, or of the whole process if it is its own. */
void subject_release(struct subject *s);

#endif
