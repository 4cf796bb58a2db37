/* What the rounds of a case come to, where some of them do not count. */
#include "unit.h"

#include <math.h>

#include "domain/timing.h"

enum { ROUNDS = 20, SIDES = 2 };

/* One case of a candidate that takes 1 ms beside a baseline of 2 ms; in odd rounds both take
 * ten times as long. */
struct play {
	double ms[ROUNDS][SIDES][2];
	struct timed_case one;
	struct timing timing;
};

static struct play *set_up(void)
{
	struct play *p = calloc(1, sizeof(*p));

	for (size_t r = 0; r < ROUNDS; r++)
		for (size_t i = 0; i < SIDES; i++)
			p->ms[r][i][0] = p->ms[r][i][1] = (double)(1 + i) * (r % 2 ? 10 : 1);
	p->one = (struct timed_case){ .ms = &p->ms[0][0][0], .processes = 1 };
	p->one.rounds = (struct rounds){ .n = ROUNDS, .n_subjects = SIDES, .ms = p->one.ms };
	p->timing = (struct timing){ .names = { "candidate", "eager" }, .stays = { false, true },
				     .n_subjects = SIDES, .cases = &p->one, .n_cases = 1 };
	return p;
}

static void all_rounds_count(void **state)
{
	struct play *p = set_up();

	(void)state;
	assert_float_equal(timed_case_ms(&p->one, 0).mid, 5.5, 1e-9);
	assert_int_equal(timing_speedup(&p->timing, &p->one, 1, 1).rounds, ROUNDS);
	free(p);
}

static void rounds_that_are_set_aside_do_not(void **state)
{
	struct play *p = set_up();
	struct speedup s;

	(void)state;
	for (size_t r = 1; r < ROUNDS; r += 2)
		timed_case_set_aside(&p->one, r);
	assert_int_equal(p->one.throttled, ROUNDS / 2);
	for (size_t i = 0; i < SIDES; i++) {
		struct stats_interval t = timed_case_ms(&p->one, i);

		assert_float_equal(t.mid, 1 + (double)i, 1e-9);
		assert_float_equal(t.hi, 1 + (double)i, 1e-9);
	}
	s = timing_speedup(&p->timing, &p->one, 1, 1);
	assert_int_equal(s.rounds, ROUNDS / 2);
	assert_float_equal(s.ratio, 2, 1e-9);
	assert_int_equal(s.verdict, SPEEDUP_FASTER);
	free(p);
}

static void too_few_say_nothing(void **state)
{
	struct play *p = set_up();

	(void)state;
	for (size_t r = STATS_LEAST - 1; r < ROUNDS; r++)
		timed_case_set_aside(&p->one, r);
	assert_true(isnan(timing_speedup(&p->timing, &p->one, 1, 1).ratio));
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_rounds_count),
		cmocka_unit_test(rounds_that_are_set_aside_do_not),
		cmocka_unit_test(too_few_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
