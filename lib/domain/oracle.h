/*
 * The oracle of a task: the trusted child that made the inputs, ran the reference
 * and compares results with it. It serves one candidate after the other, all with
 * the same inputs, so that only the first pays for the reference; after some
 * tens of them another one, with another secret seed, takes its place.
 *
 * An oracle belongs to the trial that took it until it is given back. It lives on one
 * device, which keeps it while it is idle.
 */
#ifndef GEAK_DOMAIN_ORACLE_H
#define GEAK_DOMAIN_ORACLE_H

#include "domain/part.h"
#include "domain/request.h"
#include "records/hash.h"

struct oracle {
	struct part part;         /* its error is the reference's */
	char key[HASH_HEX];       /* of its task */
	char seed[24];
	int inputs;               /* sealed before a candidate sees them */
	int outputs, ablated;     /* what a candidate gave, and what it gave without its kernels */
	struct json *cases;       /* as it made them: name and header of the inputs; or NULL */
	struct json *changes;     /* {case: places of the arguments that the reference writes to} */
	struct json *timed;       /* its last answer as a baseline, see subject.h */
	struct json *work;        /* {case: floating-point operations of torch's for the reference} */
	bool spared;              /* its process had been a spare */
	bool reference_ran;
	double reference_s;       /* it took, with the suite's tests; 0 for what is called case by case */
	unsigned served;
	/* Its answer about the candidate at hand: */
	struct json *checks;      /* entries of eval.checks */
	double own_share;         /* see oracle.py; below 0 while unknown */
	bool blind;               /* its tests do not notice it either when the reference's kernels idle */
	bool handed;              /* the right answer, to kernels, by none of them */
	bool made_by_none;        /* what was returned had been touched by no kernel */
	bool compared;
	struct oracle *next;      /* of the device's idle ones */
	/* Among all of the judge's, under the lock of those: */
	struct judge *judge;
	struct oracle *next_alive;
	int64_t began_ns;
	int64_t ended_ns;         /* the reference had run, or failed; 0 before that */
};

/*
 * An oracle for the task on the device, where the caller has a turn, either one that is idle or
 * a new one (always, if anew) whose inputs are ready; on a GPU the reference has run as well, so
 * that neither disturbs the other's clock, but for a suite's task, which is not timed. One whose
 * part.error is set, or whose part has ended, cannot compare. NULL with e set when none could be
 * started.
 */
struct oracle *oracle_take(struct judge *j, struct device *d, const struct json *task, bool anew,
			   struct err *e);

/* Seconds that it takes to get another oracle for a task of which there is one, or that the one there
 * has been at its reference so far; 0 when there is none, or who has it cannot be told to go on. */
double oracle_cost(void *judge, const char task[HASH_HEX]);

/* Seconds that an answer of an oracle may take. */
double oracle_patience(const struct judge *j);

/* Whether the reference itself is so slow that a candidate which is out of time is not to blame. */
bool oracle_is_slow(const struct oracle *o, const struct judge *j);

/* Sends it what a candidate gave: {"results":…, "complete":…, "ablated":…}. */
void oracle_ask(struct oracle *o, const struct json *question);

/* Waits for the answer: then compared, checks and own_share are set, or part.error. */
void oracle_answer(struct oracle *o, int64_t deadline_ns);

/* Back to its device, which keeps it for the next candidate or ends it. */
void oracle_give(struct judge *j, struct device *d, struct oracle *o);

/* Takes the idle ones off the device and has them end; oracle_free_all() waits for that. */
struct oracle *oracle_dismiss_all(struct judge *j, struct device *d);

void oracle_free_all(struct oracle *dismissed);

#endif
