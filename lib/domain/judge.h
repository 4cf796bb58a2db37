/*
 * The judge: takes a candidate, gives it a verdict. Theory of operation:
 *
 * The keeper, this process, holds the records, the clock and the verdict and
 * runs no Python. It starts two zygotes (outside/zygote.h): one with Triton's
 * interpreter, in which kernels run on a machine without a GPU, and one with the
 * compiler. Their children work for it, each in a box of its own:
 *
 *     oracle     makes the inputs of a task, runs the reference, compares what a
 *                candidate gave; it never sees a candidate's source
 *     candidate  gets the source and the inputs, and hands out raw results; it
 *                has no reference, no expected value and no comparison
 *     frontend   loads the source once more, turns the launches that were seen into
 *                Triton's IR, and runs the entry with launches that do nothing: a
 *                result that is right even so was not the kernels' work
 *     builder    makes machine code of IR, for every target; it never sees a
 *                candidate's source either, so what it reports is not the candidate's
 *
 * Candidate and frontend live for one candidate. Oracles and builders are trusted and
 * serve one candidate after the other. On a GPU, spares (domain/spare.h) become an oracle or
 * a candidate when one is needed. Inputs and outputs are shared memory; the
 * oracle compares only after the candidate's process has ended. Whatever a child says
 * is data: the verdict is made here (domain/verdict.h), from the messages and from
 * how each child ended.
 *
 * A struct judge may be used by several threads at once.
 */
#ifndef GEAK_DOMAIN_JUDGE_H
#define GEAK_DOMAIN_JUDGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "domain/baselines.h"
#include "domain/device.h"
#include "domain/verdict_cache.h"
#include "ground/err.h"
#include "outside/scratch.h"
#include "outside/zygote.h"
#include "records/hash.h"
#include "records/json.h"

enum { JUDGE_TARGETS_MAX = 16 };

struct judge_config {
	const char *targets[JUDGE_TARGETS_MAX]; /* the first one decides */
	size_t n_targets;         /* 0: the GPU's own, then gfx942, gfx90a, gfx950, sm_90 */
	double timeout_s;         /* for the candidate's run; the reference has as long */
	uint64_t memory_bytes;    /* of the host's, that a candidate may add; 0: 4 GiB, or more on a GPU */
	int gpus[DEVICES_MAX];    /* numbers as geak-eval --list-devices has them */
	size_t n_gpus;            /* 0: the first */
	bool all_gpus;            /* whatever gpus says */
	bool use_gpu;             /* false: Triton's interpreter, whatever is there */
	bool need_gpu;            /* true: an unusable GPU is an error, not a reason for the interpreter */
	bool has_seed;
	uint64_t seed;            /* of the inputs; drawn by each oracle without has_seed */
	enum box_mode box;
	size_t jobs;              /* candidates judged at once, on each device */
	bool force;               /* judge again what has a verdict already */
	const char *cache;        /* a file of verdicts by key, or NULL */
	const char *version;      /* of geak: another judge may judge otherwise */
	const char *objects_dir;  /* where code objects are written, or NULL */
	bool no_objects;          /* none are made: on a GPU alone, which shows what compiles */
	struct baselines baselines; /* what a candidate's times are held against */
	bool profile;             /* those that pass are run under the vendor's profiler, too */
};

struct judge {
	struct judge_config config;
	struct zygote interpreter, compiler;
	bool identified, started;
	struct json *box;         /* what holds a candidate, as box_facts_json() */
	bool boxed;               /* and that is all there is */
	struct err why;           /* when the judge cannot go on: code is set */
	struct json *env;         /* versions, for the record */
	char harness[HASH_HEX];   /* digest of the Python that takes part */
	struct verdict_cache cache;
	const char *device;       /* "cpu-interpreter", or the name of the GPUs, which are all of a kind */
	struct device *devices;   /* at least one, once the judge has started */
	size_t n_devices;
	pthread_cond_t place;     /* a device has one, or is set aside */
	char *targets;            /* the config's, with commas between, once they are known */
	bool times, profiles;     /* those that pass are timed; and profiled */
	bool objects_lost;        /* some could not be written where objects_dir says */
	struct scratch scratch;   /* folder of this run; none before anything is judged */
	unsigned long next_folder;
	struct builder *idle_builders;
	pthread_mutex_t oracles_lock;
	struct oracle *oracles;   /* all that there are, under that lock; see oracle_cost() */
	pthread_mutex_t lock;
};

/* Called before there are threads. Takes over config->baselines; what else config points to has to live on.
 * Whatever comes of it, judge_release() follows. */
int judge_init(struct judge *j, const struct judge_config *config, struct err *e);

/* Finds out who judges and starts the zygotes, once for all threads; the same error
 * again after a failure. */
int judge_start(struct judge *j, struct err *e);

/* Before a second try, when a process was lost: a zygote that is killed takes its children along, and
 * none of them is to look alive any more, or the second try would fall to the same kill. */
void judge_revive(struct judge *j);

/* The seed for one candidate. */
uint64_t judge_seed(const struct judge *j);

/*
 * Judges a candidate/1 and sets its "eval". Returns 0 whatever the verdict;
 * ERR_RECORD when the record cannot be judged, ERR_SOFTWARE when the judge itself
 * cannot go on.
 */
int judge_candidate(struct judge *j, struct json *candidate, struct err *e);

/* Ends the zygotes and removes the scratch folder. */
void judge_release(struct judge *j);

#endif
