/* Statistics of times: against values known beforehand, and by how often an interval holds. */
#include "unit.h"

#include <math.h>

#include "domain/stats.h"

static void assert_near(double got, double wanted)
{
	if (!(fabs(got - wanted) <= 1e-12 * fmax(1, fabs(wanted))))
		fail_msg("got %.17g, wanted %.17g", got, wanted);
}

/* The first numbers of SplitMix64 from the seed 1234567, as its authors' own code gives them. */
static void the_generator_is_splitmix(void **state)
{
	struct stats_random r = { .state = 1234567 };

	(void)state;
	assert_true(stats_random(&r) == 6457827717110365317U);
	assert_true(stats_random(&r) == 3203168211198807973U);
	assert_true(stats_random(&r) == 9817491932198370423U);
}

static void draws_below_are_even(void **state)
{
	struct stats_random r = { .state = 1 };
	unsigned seen[7] = { 0 };

	(void)state;
	for (size_t i = 0; i < 70000; i++) {
		size_t k = stats_random_below(&r, COUNT(seen));

		assert_true(k < COUNT(seen));
		seen[k]++;
	}
	for (size_t i = 0; i < COUNT(seen); i++) /* 10000 expected, 93 the standard deviation */
		assert_in_range(seen[i], 9600, 10400);
}

static void quantile(void **state)
{
	static const double v[] = { 1, 2, 4, 8 };

	(void)state;
	assert_near(stats_quantile(v, 4, 0), 1);
	assert_near(stats_quantile(v, 4, 1), 8);
	assert_near(stats_quantile(v, 4, 0.5), 3);
	assert_near(stats_quantile(v, 4, 0.25), 1.75); /* numpy.quantile says so too */
	assert_near(stats_quantile(v, 1, 0.99), 1);
	assert_true(isnan(stats_quantile(v, 0, 0.5)));
}

/* A clock of half a unit, a time of t units: it shows the tick below or the one above. */
static double shown_median(double t, struct stats_random *r, double tick)
{
	double v[401];

	for (size_t i = 0; i < COUNT(v); i++) {
		double phase = 0.5 * (double)(stats_random(r) >> 11) / 9007199254740992.0;

		v[i] = floor((phase + t) / 0.5) * 0.5;
	}
	return stats_grouped_median(v, COUNT(v), tick);
}

static void a_grouped_median_sees_between_ticks(void **state)
{
	double tied[] = { 2, 1, 1, 1, 1, 2, 2, 1 }, halves[] = { 2, 1, 2, 1 };
	double plain[] = { 9, 1, 5 };
	struct stats_random r = { .state = 1 };

	(void)state;
	assert_near(stats_grouped_median(plain, 3, 0), 5);
	assert_near(stats_grouped_median(plain, 3, 1), 5);
	assert_near(stats_grouped_median(halves, 4, 1), 1.5);
	assert_near(stats_grouped_median(tied, 8, 1), 0.5 + 4.0 / 5); /* 4 of 8 are below that */
	assert_true(isnan(stats_grouped_median(NULL, 0, 1)));
	/* What is 4 % longer: the plain median cannot tell. */
	assert_true(shown_median(5.1, &r, 0) == shown_median(5.1 * 1.02, &r, 0));
	assert_true(shown_median(5.1 * 1.04, &r, 0.5) > shown_median(5.1, &r, 0.5) + 0.03);
}

static double normal(struct stats_random *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)(stats_random(r) >> 11) / 9007199254740992.0;
	return sum;
}

static void the_interval_holds_the_median(void **state)
{
	static const size_t sizes[] = { STATS_LEAST, 11, 20, 60 };
	struct stats_random r = { .state = 7 };

	(void)state;
	for (size_t s = 0; s < COUNT(sizes); s++) {
		unsigned held = 0;
		double v[60];

		for (unsigned trial = 0; trial < 1000; trial++) {
			struct stats_interval i;

			for (size_t k = 0; k < sizes[s]; k++)
				v[k] = normal(&r);
			i = stats_mean_of_medians(&(struct stats_sample){ v, sizes[s] }, 1, trial);
			assert_true(i.lo <= i.mid && i.mid <= i.hi);
			held += i.lo <= 0 && 0 <= i.hi;
		}
		printf("# of 1000 intervals over %zu values %u hold the median\n", sizes[s], held);
		assert_in_range(held, 970, 1000);
	}
}

/* Two samples that lie far apart: the mean of their medians is between them, and its interval
 * is that of the mean, not of all values in one. */
static void samples_are_drawn_from_apart(void **state)
{
	struct stats_random r = { .state = 3 };
	double low[20], high[20];
	struct stats_sample both[] = { { low, 20 }, { high, 20 } };
	struct stats_interval i;

	(void)state;
	for (size_t k = 0; k < 20; k++) {
		low[k] = normal(&r);
		high[k] = 100 + normal(&r);
	}
	i = stats_mean_of_medians(both, 2, 1);
	assert_true(fabs(i.mid - 50) < 1 && i.hi - i.lo < 3 && i.hi > i.lo);
}

static void says_the_same_again(void **state)
{
	double v[] = { 3, 1, 4, 1, 5, 9, 2, 6 };
	struct stats_sample s = { v, COUNT(v) };
	struct stats_interval a = stats_mean_of_medians(&s, 1, 5);
	struct stats_interval b = stats_mean_of_medians(&s, 1, 5);

	(void)state;
	assert_memory_equal(&a, &b, sizeof(a));
	assert_near(a.mid, 3.5);
	assert_true(v[0] == 3); /* and the values stay as they lie */
	s.n = STATS_LEAST - 1;
	assert_true(isnan(stats_mean_of_medians(&s, 1, 5).mid));
	assert_true(isnan(stats_mean_of_medians(NULL, 0, 5).mid));
	s.n = COUNT(v);
	v[2] = INFINITY;
	assert_true(isnan(stats_mean_of_medians(&s, 1, 5).lo));
}

static void a_few_values_say_little(void **state)
{
	static const double values[] = { 1, 2, 3 };
	struct stats_interval t = stats_mean_of_few(values, 3, 0, 0);

	(void)state;
	assert_true(t.mid == 2 && fabs(t.hi - 2 - 9.925 / sqrt(3)) < 1e-9 && t.lo == 4 - t.hi);
	t = stats_mean_of_few(values, 1, 0.5, 2); /* what is known before */
	assert_true(t.mid == 1 && fabs(t.hi - 1 - 9.925 * 0.5) < 1e-9);
	t = stats_mean_of_few(values, 3, 0.5, 4); /* both: 4 of 0.25, and 2 */
	assert_true(fabs(t.hi - 2 - 3.707 * sqrt(3.0 / 6 / 3)) < 1e-9);
	assert_true(stats_mean_of_few(values, 3, 0, 1000).hi < t.hi); /* beyond the table */
	assert_true(isnan(stats_mean_of_few(values, 1, 0, 0).mid) && isnan(stats_mean_of_few(NULL, 0, 1, 9).lo));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generator_is_splitmix),
		cmocka_unit_test(draws_below_are_even),
		cmocka_unit_test(quantile),
		cmocka_unit_test(a_grouped_median_sees_between_ticks),
		cmocka_unit_test(the_interval_holds_the_median),
		cmocka_unit_test(samples_are_drawn_from_apart),
		cmocka_unit_test(a_few_values_say_little),
		cmocka_unit_test(says_the_same_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
