/*
 * How much faster a candidate is than what it is held against, and whether that can be said.
 *
 * What is timed takes turns on one device. A round gives every subject two blocks of calls, in
 * an order that reads the same from both ends:
 *
 *     candidate  baseline 1  baseline 2   baseline 2  baseline 1  candidate
 *
 * so that a clock that drifts through the round, evenly, is as much of a help to one as to
 * another. Out of each block comes its median (stats_grouped_median). A round's ratio is that of
 * the geometric means of two blocks each, and the speedup the median of the rounds' ratios, so
 * that a round in which something else happened counts for no more than its vote. Kalibera and
 * Jones 2013, "Rigorous Benchmarking in Reasonable Time", say why a ratio needs an interval, and
 * why what is repeated has to be the outermost thing that varies: here the round or, where each
 * side had several processes, one after the other, the process. Then the speedup is the mean of
 * the processes' medians.
 *
 * Owns nothing.
 */
#ifndef GEAK_DOMAIN_SPEEDUP_H
#define GEAK_DOMAIN_SPEEDUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one case. Subject 0 is the candidate, the others are baselines. */
struct rounds {
	size_t n, n_subjects;
	size_t n_processes; /* of each side; 0 is one */
	const size_t *ends; /* [n_processes]: the round after the last one of each */
	double apart_ms;   /* by which the sides differ as their code and memory happen to lie, though
			    * both run the same kernel: a standard deviation; 0: not known */
	const double *ms;  /* [n][n_subjects][2]: a block's median. A round in which one of the
			    * two subjects has a time that is not above zero (NAN, say, since the
			    * device was throttled) is left out. */
};

/* A ratio that differs from 1 by less is never called faster or slower; speedup.c says why. */
extern const double speedup_least_floor; /* 0.015 */

/* Standard deviations to either side that hold 99 % of a normal distribution. */
extern const double speedup_outermost;

enum speedup_verdict { SPEEDUP_SLOWER = -1, SPEEDUP_SAME, SPEEDUP_FASTER };

struct speedup {
	double ratio, lo, hi;   /* baseline / candidate, lo and hi with 99 % */
	double floor;           /* 0.02: the device cannot tell apart what differs by 2 % */
	size_t rounds;          /* that counted; of several cases the fewest */
	enum speedup_verdict verdict;
};

/*
 * The candidate against the baseline (1 to n_subjects - 1), in one case or, as the geometric mean
 * of the cases' ratios, in several.
 *
 * The floor is what the baseline's first block shows against its second, in the same rounds: the
 * end that is farther from 1 of the 99 % interval of that ratio, and never less than the least.
 * Where there was one process, it also holds what others might have shown, by apart_ms; of several
 * that is in the interval. The verdict is SAME unless the ratio is outside the floor and its
 * interval does not hold 1. With fewer rounds than STATS_LEAST all figures are NAN, and it is SAME.
 *
 * tests/unit/test_speedup shows by simulation how often that errs.
 */
struct speedup speedup_of(const struct rounds *cases, size_t n_cases, size_t baseline,
			  uint64_t seed);

/* Whether more processes could change the verdict: the interval reaches across the floor. */
bool speedup_is_open(const struct speedup *s);

/* "faster", "same", "slower" */
const char *speedup_verdict_name(enum speedup_verdict v);

#endif
