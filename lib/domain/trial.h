/*
 * One candidate before the judge: its children, and what was learned from them.
 * A struct trial owns everything in it; the candidate is the caller's.
 */
#ifndef GEAK_DOMAIN_TRIAL_H
#define GEAK_DOMAIN_TRIAL_H

#include "domain/judge.h"
#include "outside/child.h"

/* How a child's part ended. */
enum trial_end {
	TRIAL_NOT_RUN,
	TRIAL_DONE,      /* it said all it had to say and exited */
	TRIAL_STOPPED,   /* it ended early, by itself or by a signal */
	TRIAL_DEADLINE,
	TRIAL_GARBLED,
	TRIAL_NO_CHILD,  /* it could not even be started: our fault */
};

struct trial_part {
	enum trial_end end;
	struct box_end how;       /* valid when reported */
	bool reported;
	struct buf log;
	struct json *error;       /* {"class","message","trace"} as it reported, or NULL */
	char *error_stage;        /* "import" or "call" */
	char *error_case;
};

struct trial {
	struct judge *judge;
	const struct json *candidate, *task;
	const char *harness;
	char seed[24];
	char *folder;
	int inputs, outputs, objects; /* shared memory */
	struct json *cases;       /* as the oracle made them: name and header of the inputs */
	struct json *results;     /* as the candidate gave them */
	struct json *launches;    /* distinct launches, for the compiler */
	struct json *compiled;    /* entries of eval.compile */
	struct json *checks;      /* entries of eval.checks */
	struct json *times, *base_times; /* {case: milliseconds}, on a GPU */
	bool imported, reference_ran, compiled_all, compared;
	int64_t launched;
	struct trial_part oracle, run, compiler;
	bool lost;                /* a child, with nobody left to tell how it ended */
	struct err sandbox;       /* our own failure, when code is set */
};

/* Runs the whole of it. Afterwards verdict_of() says what came out. */
void trial_run(struct trial *t, struct judge *j, const struct json *candidate);
void trial_release(struct trial *t);

#endif
