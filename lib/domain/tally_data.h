/*
 * What a tally remembers of a run: shared by tally.c, which fills it, and
 * summary.c, which draws the figures from it. The tally owns all of it.
 */
#ifndef GEAK_DOMAIN_TALLY_DATA_H
#define GEAK_DOMAIN_TALLY_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "domain/rank.h"
#include "ground/names.h"

/* By what candidates are told apart in the breakdowns. */
enum dimension { BY_DIFFICULTY, BY_MODEL, BY_TOOL, BY_ROUND, DIMENSIONS };

/* Numbers are NAN, and names "", where the record does not tell. */
struct candidate_facts {
	size_t task, status;
	size_t value[DIMENSIONS]; /* of difficulty the task's counts, not this */
	bool judged;   /* it has a status */
	bool decided;  /* which tells whether the candidate is right */
	bool called;   /* its entry ran without an error */
	bool passed;
	struct {                  /* of a passing one */
		double speedup, lo, hi, floor;
		double roofline;  /* geometric mean over the cases that tell */
		const char *verdict;  /* one of tally_verdicts, or NULL */
		size_t setting;   /* the device and the baseline */
	} perf;
	double prompt_tokens, completion_tokens, cost, seconds;
	struct rank rank;
};

/* "faster", "same", "slower", and NULL. */
extern const char *const tally_verdicts[];

struct tally {
	struct names keys; /* a task's number and a candidate's id */
	struct names tasks, statuses, error_tools, settings, values[DIMENSIONS];
	struct candidate_facts *candidates; /* by number of the key */
	size_t *task_difficulty;            /* by number of the task */
	size_t *errors_by_tool;
	size_t candidate_cap, task_cap, error_tool_cap, error_tool_count;
	size_t errors, repeated;
};

#endif
