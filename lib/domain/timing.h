/*
 * The times of a candidate that passed, beside those of its baselines. Theory of operation:
 *
 * Every side is a process that waits (subject.h). The keeper has the GPU alone and gives the
 * sides their turns, in rounds as speedup.h tells, until the ratio is known well enough or the
 * time for a case is up. What a side says of a call's time is held against the keeper's own
 * clock: a block's wall time, less that of a block without the calls, is about as long as its
 * calls; where it is far longer, some of the work was not between the events, and it is the
 * keeper's time that counts. Of some calls, chosen when they are over, the oracle is shown
 * the results; it runs the reference on what they worked on.
 *
 * A kernel of a few microseconds takes some more or less in each process, as its code and its
 * memory happen to lie. Where the verdict may hang on that, the sides get new processes, until
 * these agree well enough on what it is.
 *
 * Sources of the rules: triton.testing.do_bench (flush, warm-up, events), Kalibera and Jones 2013
 * (rounds), and the ways in which benchmarks were cheated that tests/exploits holds.
 *
 * A struct timing owns everything in it.
 */
#ifndef GEAK_DOMAIN_TIMING_H
#define GEAK_DOMAIN_TIMING_H

#include "domain/baselines.h"
#include "domain/roofline.h"
#include "domain/speedup.h"
#include "domain/stats.h"
#include "domain/trial.h"

enum {
	SUBJECTS_MAX = 1 + BASELINES_MAX,
	PROCESSES_MAX = 12, /* of a side, for a short kernel */
};

struct timed_case {
	char *name;
	struct rounds rounds;        /* of all sides */
	unsigned processes;          /* that each side had, one after the other */
	size_t ends[PROCESSES_MAX];  /* the rounds' */
	double *ms;                  /* theirs */
	double empty_ms[SUBJECTS_MAX]; /* of an empty window: already taken off the rounds' */
	double host_ms;              /* of a call of the candidate, by the keeper's clock */
	bool by_host;                /* and it is what counts */
	size_t throttled;            /* rounds that were set aside */
	struct telemetry_sample state; /* at the end: clock, power, temperature */
};

struct timing {
	const char *names[SUBJECTS_MAX]; /* [0] is the candidate; the judge's */
	bool stays[SUBJECTS_MAX];        /* it has one process for all: the oracle's */
	size_t n_subjects;
	struct timed_case *cases;
	size_t n_cases;
	struct json *error;          /* the candidate's, while it was timed: {"class","message"} */
	const char *error_status;    /* and the status that it deserves */
	bool lost;                   /* which may be somebody else's: its process was killed */
	char *beaten;                /* a time that no kernel can have: said in words; or NULL */
	struct json *notes;          /* {baseline: why there are no times of it} */
	char *note;                  /* why there are none of the candidate; or NULL */
	bool baseline_failed;        /* while it was timed */
};

/* Times the candidate of a trial that passed. NULL when nothing is to be timed; on a failure of
 * the candidate's error is set, on one of ours t->sandbox. */
struct timing *timing_run(struct trial *t);

/* The candidate against a baseline, in n of the cases. */
struct speedup timing_speedup(const struct timing *timing, const struct timed_case *cases, size_t n,
			      size_t baseline);

/* By which the candidate and the baseline differ as their processes happen to lie: a standard
 * deviation, in milliseconds. */
double timing_apart_ms(const struct timing *timing, size_t baseline);

/* The GPU was throttled in a round: no side's times in it count. */
void timed_case_set_aside(struct timed_case *c, size_t round);

/* Of a side, over all its blocks that count, in milliseconds. */
struct stats_interval timed_case_ms(const struct timed_case *c, size_t subject);

/* What times on it are held against: the GPU's peaks. */
struct roofline_gpu timing_gpu(const struct device *d);

/* Something went wrong that may have been the GPU's doing; not with NULL. */
bool timing_doubts_device(const struct timing *timing);

void timing_free(struct timing *timing);

#endif
