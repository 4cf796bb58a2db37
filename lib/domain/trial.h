/*
 * One candidate before the judge: its children, and what was learned from them.
 * A struct trial owns everything in it; the candidate is the caller's.
 */
#ifndef GEAK_DOMAIN_TRIAL_H
#define GEAK_DOMAIN_TRIAL_H

#include "domain/builder.h"
#include "domain/judge.h"
#include "domain/oracle.h"
#include "domain/part.h"
#include "outside/device_lock.h"

struct trial {
	struct judge *judge;
	struct device *device;    /* that it takes place on */
	const struct json *candidate, *task;
	struct oracle *oracle;    /* NULL for a task without tests: nothing to compare with */
	struct builder *builder;  /* NULL before anything is built */
	int inputs;               /* shared memory: of the oracle's those that were handed out */
	struct part run;          /* the candidate's own process */
	struct part frontend;     /* its kernels through Triton's front end, and its entry without them */
	struct json *results;     /* as the candidate gave them */
	struct json *launches;    /* distinct launches, for the compiler */
	struct json *unclaimed;   /* work since the last result, or NULL */
	struct json *ablated;     /* results of the entry when its launches did nothing */
	struct json *plan;        /* what is to be compiled */
	struct json **irs;        /* for each entry of plan what the front end said of it, or NULL */
	struct json *compiled;    /* entries of eval.compile */
	struct json *reference_fault; /* of a right answer: why the first target takes neither its
				       * kernels nor the reference's own; or NULL */
	struct device_lock turn;  /* on the GPU, beside others, */
	bool has_turn;            /* while it has one */
	bool anew;                /* takes no process that was there before */
	bool spared;              /* the one that runs it was */
	bool imported, emitted, compiled_all;
	int64_t launched;         /* launches that came to their end */
	char mark[33];            /* signs what the harness in the candidate's process says */
	const char *forged;       /* what was said there without it, or NULL */
	struct buf build_log;     /* what the compiler printed about a kernel that failed */
	struct err sandbox;       /* our own failure, when code is set */
};

/* Runs the whole of it; if anew, with no process that was there before. Afterwards verdict_of() says
 * what came out. */
void trial_run(struct trial *t, struct judge *j, struct device *d, const struct json *candidate,
	       bool anew);

/* A process was killed by somebody else, or could not be run, or its GPU failed it: the trial says
 * nothing yet. */
bool trial_is_lost(const struct trial *t);

/* Something went wrong that may have been its GPU's doing. */
bool trial_doubts_device(const struct trial *t);

/* The first of the trial's processes of which that holds, or NULL. */
const struct part *trial_part(const struct trial *t, bool (*holds)(const struct part *p));

void trial_release(struct trial *t);

#endif
