/*
 * The verdict on speed, by simulation: how often it is wrong about a kernel against itself, and
 * how often it sees one that was made slower. TRIALS=5000 in the environment for finer figures.
 */
#include "unit.h"

#include <math.h>

#include "domain/speedup.h"
#include "domain/stats.h"

enum { ROUNDS = 20, CALLS = 15 }; /* a block's calls */

/* Of one timed call, each a share of its time. */
struct noise {
	double us;            /* how long the kernel takes */
	double call;          /* standard deviation of the logarithm, from call to call */
	double block;         /* the same, from block to block */
	double place;         /* the same, from process to process: it stays all session */
	double drift;         /* by which the clock goes down from the first call to the last */
	double tail;          /* how many calls take longer by 30 %, some by far more */
	double tick_us;       /* of the clock: CUDA's manual has it count half microseconds */
	double slowdown;      /* that is to be found */
};

static double uniform(struct stats_random *r)
{
	return ((double)(stats_random(r) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct stats_random *r)
{
	return sqrt(-2 * log(uniform(r))) * cos(2 * acos(-1) * uniform(r));
}

static double block(const struct noise *n, double us, struct stats_random *r)
{
	double ms[CALLS];

	us *= exp(n->block * normal(r));
	for (size_t i = 0; i < CALLS; i++) {
		double t = us * exp(n->call * normal(r));

		if (uniform(r) < n->tail)
			t *= 1 - 0.3 * log(uniform(r));
		if (n->tick_us > 0) /* the call begins somewhere within a tick */
			t = floor(uniform(r) + t / n->tick_us) * n->tick_us;
		ms[i] = t * 1e-3;
	}
	return stats_grouped_median(ms, CALLS, n->tick_us * 1e-3);
}

/* A session of a candidate that takes `slower` times as long as its baseline. */
static void session(const struct noise *n, double slower, double ms[ROUNDS][2][2],
		    struct stats_random *r)
{
	double candidate = slower * exp(n->place * normal(r)), walk = 0;

	for (size_t i = 0; i < ROUNDS; i++)
		for (size_t k = 0; k < 4; k++) {
			size_t subject = k == 1 || k == 2;
			double drift = n->drift * (double)(i * 4 + k) / (ROUNDS * 4);

			walk += n->drift / 30 * normal(r);
			ms[i][subject][k / 2] = block(n, n->us * (subject ? 1 : candidate)
						      * exp(drift + walk), r);
		}
}

static struct speedup once(const struct noise *n, double slower, uint64_t seed)
{
	struct stats_random r = { .state = seed };
	double ms[ROUNDS][2][2];
	struct rounds rounds = { .n = ROUNDS, .n_subjects = 2, .ms = &ms[0][0][0] };

	session(n, slower, ms, &r);
	return speedup_of(&rounds, 1, 1, seed);
}

static unsigned trials(void)
{
	const char *asked = getenv("TRIALS");

	return asked ? (unsigned)atoi(asked) : 200;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void check(const struct noise *n, uint64_t seed)
{
	unsigned all = trials(), same = 0, slower = 0;
	double *widths = malloc(all * sizeof(*widths));

	for (unsigned i = 0; i < all; i++) {
		struct speedup itself = once(n, 1, seed + i);

		same += itself.verdict == SPEEDUP_SAME;
		widths[i] = (itself.hi - itself.lo) / 2;
		slower += once(n, 1 + n->slowdown, ~(seed + i)).verdict == SPEEDUP_SLOWER;
	}
	qsort(widths, all, sizeof(*widths), compare);
	printf("# %g us, %.1f %% noise, tick %g us: of %u, %u same as itself (median interval "
	       "+-%.2f %%), %u slower by %g %%\n", n->us, 100 * n->call, n->tick_us, all, same,
	       100 * widths[all / 2], slower, 100 * n->slowdown);
	assert_true(same * 100 >= all * 99);
	assert_true(slower * 100 >= all * 95);
	assert_true(widths[all / 2] < 0.01);
	free(widths);
}

static void errs_in_less_than_1_of_100(void **state)
{
	static const double us[] = { 5, 50, 5000 }, call[] = { 0.003, 0.01, 0.02 };

	(void)state;
	for (size_t i = 0; i < COUNT(us); i++)
		for (size_t k = 0; k < COUNT(call); k++)
			check(&(struct noise){
				.us = us[i], .call = call[k], .block = call[k] / 4, .place = 0.004,
				.drift = 0.03, .tail = 0.05, .tick_us = 0.5,
				.slowdown = us[i] < 20 ? 0.05 : 0.03,
			}, 1000000 * (i + 1) + 10000 * k);
}

/* -- several processes, one after the other, as timing.c has them: until the verdict is clear */

enum { STEP = 4, MOST = 12, AGAIN = 4 /* rounds in each */ };

static struct speedup by_processes(double apart, double slower, struct stats_random *r)
{
	static double ms[MOST * AGAIN][2][2];
	const double us = 6;
	size_t ends[MOST];
	struct rounds rounds = { .n_subjects = 2, .ends = ends, .ms = &ms[0][0][0],
				 .apart_ms = 0.01 * sqrt(2) * us * 1e-3 };
	struct speedup s;

	do {
		double candidate = us * slower * exp(apart * normal(r));
		double base = us * exp(apart * normal(r));

		for (size_t i = 0; i < AGAIN; i++, rounds.n++)
			for (size_t k = 0; k < 4; k++)
				ms[rounds.n][k / 2][k % 2] = 1e-3 * (k < 2 ? candidate : base)
							     * exp(0.004 * normal(r));
		ends[rounds.n_processes++] = rounds.n;
		s = speedup_of(&rounds, 1, 1, 1);
	} while (rounds.n_processes % STEP
		 || (rounds.n_processes < MOST && speedup_is_open(&s)));
	return s;
}

static void processes_that_differ_count_as_they_do(void **state)
{
	static const double apart[] = { 0.002, 0.01, 0.02 };
	unsigned all = trials();

	(void)state;
	for (size_t i = 0; i < COUNT(apart); i++) {
		struct stats_random r = { .state = 1 + i };
		unsigned same = 0, slower = 0;

		for (unsigned k = 0; k < all; k++) {
			same += by_processes(apart[i], 1, &r).verdict == SPEEDUP_SAME;
			slower += by_processes(apart[i], 1.05, &r).verdict == SPEEDUP_SLOWER;
		}
		printf("# processes that differ by %g %%: of %u, %u same, %u slower by 5 %%\n",
		       100 * apart[i], all, same, slower);
		assert_true(same * 100 >= all * 98); /* 98.8 of 100 where they differ by 2 % */
		assert_true(slower * 100 >= all * 95);
	}
}

/* -- by hand: three subjects, the candidate and two baselines */

struct table {
	double ms[ROUNDS][3][2];
};

static struct rounds fill(struct table *t, double candidate, double base, double other)
{
	const double of[] = { candidate, base, other };

	for (size_t i = 0; i < ROUNDS; i++)
		for (size_t k = 0; k < 6; k++) /* within 0.1 %, not all the same */
			t->ms[i][k / 2][k % 2] =
				of[k / 2] * (1 + 0.0002 * (double)((i * 7 + k * 3) % 5));
	return (struct rounds){ .n = ROUNDS, .n_subjects = 3, .ms = &t->ms[0][0][0] };
}

static void each_baseline_has_its_own(void **state)
{
	struct table t;
	struct rounds r = fill(&t, 2, 3, 1.96);
	struct speedup first = speedup_of(&r, 1, 1, 1), second = speedup_of(&r, 1, 2, 1);

	(void)state;
	assert_true(fabs(first.ratio - 1.5) < 0.002 && first.lo > 1.49 && first.hi < 1.51);
	assert_true(first.rounds == ROUNDS && first.floor == 0.015);
	assert_string_equal(speedup_verdict_name(first.verdict), "faster");
	assert_string_equal(speedup_verdict_name(second.verdict), "slower");
	r = fill(&t, 2, 2.01, 1.99);
	assert_string_equal(speedup_verdict_name(speedup_of(&r, 1, 1, 1).verdict), "same");
	assert_string_equal(speedup_verdict_name(speedup_of(&r, 1, 2, 1).verdict), "same");
	assert_true(speedup_of(&r, 1, 1, 1).lo > 1); /* it is the floor that holds it */
}

/* The same 4 % are faster where the baseline agrees with itself, and nothing where it does not. */
static void a_baseline_that_wavers_shows_nothing(void **state)
{
	struct table t;
	struct rounds r = fill(&t, 1, 1.04, 1);

	(void)state;
	assert_int_equal(speedup_of(&r, 1, 1, 1).verdict, SPEEDUP_FASTER);
	for (size_t i = 0; i < ROUNDS; i++) {
		t.ms[i][1][0] *= 1.025;
		t.ms[i][1][1] /= 1.025;
	}
	assert_int_equal(speedup_of(&r, 1, 1, 1).verdict, SPEEDUP_SAME);
	assert_true(fabs(speedup_of(&r, 1, 1, 1).floor - 0.05) < 0.005);
	assert_true(speedup_of(&r, 1, 1, 1).lo > 1.03);
}

/* In palindromic order a clock that goes down by 10 % within each round hides nothing. */
static void drift_in_a_round_is_no_difference(void **state)
{
	struct table t;
	struct rounds r = fill(&t, 1, 1, 1);
	static const unsigned char at[3][2] = { { 0, 5 }, { 1, 4 }, { 2, 3 } };

	(void)state;
	for (size_t i = 0; i < ROUNDS; i++)
		for (size_t k = 0; k < 6; k++)
			t.ms[i][k / 2][k % 2] *= exp(0.02 * at[k / 2][k % 2]);
	assert_true(fabs(speedup_of(&r, 1, 1, 1).ratio - 1) < 0.001);
	assert_true(fabs(speedup_of(&r, 1, 2, 1).ratio - 1) < 0.001);
}

static void rounds_without_a_time_are_left_out(void **state)
{
	struct table t;
	struct rounds r = fill(&t, 1, 2, 3);
	struct speedup s;

	(void)state;
	t.ms[0][0][0] = NAN;
	t.ms[1][1][1] = 0;
	t.ms[2][2][0] = -1; /* the other baseline's */
	s = speedup_of(&r, 1, 1, 1);
	assert_true(s.rounds == ROUNDS - 2 && s.verdict == SPEEDUP_FASTER);
	assert_true(speedup_of(&r, 1, 2, 1).rounds == ROUNDS - 2);
	r.n = STATS_LEAST + 1; /* of which two do not count */
	s = speedup_of(&r, 1, 1, 1);
	assert_true(s.rounds == STATS_LEAST - 1 && s.verdict == SPEEDUP_SAME);
	assert_true(isnan(s.ratio) && isnan(s.lo) && isnan(s.floor));
	assert_true(speedup_of(NULL, 0, 1, 1).verdict == SPEEDUP_SAME);
}

/* Twice as fast in one case and half as fast in the other is the same in all. */
static void the_whole_is_the_geometric_mean(void **state)
{
	struct table up, down;
	struct rounds cases[] = { fill(&up, 1, 2, 1), fill(&down, 2, 1, 1) };
	struct speedup s = speedup_of(cases, 2, 1, 1);

	(void)state;
	assert_true(fabs(s.ratio - 1) < 0.002 && s.verdict == SPEEDUP_SAME);
	cases[1] = fill(&down, 1, 1.28, 1);
	s = speedup_of(cases, 2, 1, 1);
	assert_true(fabs(s.ratio - 1.6) < 0.002 && s.verdict == SPEEDUP_FASTER);
	assert_true(s.lo > 1.598 && s.hi < 1.602);
	cases[1].n = STATS_LEAST - 1;
	s = speedup_of(cases, 2, 1, 1);
	assert_true(isnan(s.ratio) && s.rounds == STATS_LEAST - 1 && s.verdict == SPEEDUP_SAME);
}

/* Ten rounds of one process are no ten processes. */
static void rounds_of_a_process_are_one(void **state)
{
	const size_t ends[] = { 10, 15, 20 };
	struct table t;
	struct rounds r = fill(&t, 1, 1.04, 1);
	struct speedup s = speedup_of(&r, 1, 1, 1);

	(void)state;
	assert_true(s.verdict == SPEEDUP_FASTER && !speedup_is_open(&s));
	for (size_t i = 10; i < ROUNDS; i++)
		t.ms[i][1][0] = t.ms[i][1][1] = i < 15 ? 1 : 0.98;
	r.ends = ends;
	r.n_processes = COUNT(ends);
	s = speedup_of(&r, 1, 1, 1);
	assert_true(fabs(log(s.ratio) - (log(1.04) + log(1) + log(0.98)) / 3) < 0.001);
	assert_true(s.lo < 0.97 && s.hi > 1.04 && s.verdict == SPEEDUP_SAME);
	assert_true(speedup_is_open(&s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_baseline_has_its_own),
		cmocka_unit_test(a_baseline_that_wavers_shows_nothing),
		cmocka_unit_test(drift_in_a_round_is_no_difference),
		cmocka_unit_test(rounds_without_a_time_are_left_out),
		cmocka_unit_test(the_whole_is_the_geometric_mean),
		cmocka_unit_test(rounds_of_a_process_are_one),
		cmocka_unit_test(processes_that_differ_count_as_they_do),
		cmocka_unit_test(errs_in_less_than_1_of_100),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
