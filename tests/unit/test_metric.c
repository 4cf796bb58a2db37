/* Each figure against a plain computation or a value known beforehand. */
#include "unit.h"

#include <math.h>

#include "domain/metric.h"

static void assert_near(double got, double wanted)
{
	if (!(fabs(got - wanted) <= 1e-12 * fmax(1, fabs(wanted))))
		fail_msg("got %.17g, wanted %.17g", got, wanted);
}

static void share(void **state)
{
	(void)state;
	assert_near(metric_share(1, 4), 0.25);
	assert_near(metric_share(0, 4), 0);
	assert_true(isnan(metric_share(0, 0)));
}

/* Counts the choices of k out of n (the first c pass) that hold a passing one. */
static double by_counting(unsigned n, unsigned c, unsigned k)
{
	unsigned all = 0, good = 0;

	for (unsigned set = 0; set < 1U << n; set++) {
		if ((unsigned)__builtin_popcount(set) != k)
			continue;
		all++;
		good += (set & ((1U << c) - 1)) != 0;
	}
	return (double)good / all;
}

static void pass_at_k_is_what_counting_gives(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 9; n++)
		for (unsigned c = 0; c <= n; c++)
			for (unsigned k = 1; k <= n; k++)
				assert_near(metric_pass_at_k(n, c, k), by_counting(n, c, k));
}

static void pass_at_k_at_its_edges(void **state)
{
	(void)state;
	assert_near(metric_pass_at_k(1, 1, 1), 1);
	assert_near(metric_pass_at_k(200, 0, 100), 0);
	assert_near(metric_pass_at_k(200, 1, 100), 0.5);
	assert_near(metric_pass_at_k(1000000, 250000, 1), 0.25); /* pass@1 is the share */
	assert_true(isnan(metric_pass_at_k(3, 1, 4)));
	assert_true(isnan(metric_pass_at_k(3, 1, 0)));
	assert_true(isnan(metric_pass_at_k(0, 0, 1)));
	assert_true(isnan(metric_pass_at_k(1, 2, 1)));
}

static void geometric_mean(void **state)
{
	static const double twice_and_half[] = { 2, 0.5 }, three[] = { 1, 3, 9 };
	static const double zero[] = { 2, 0 }, unknown[] = { 2, NAN };
	double large[1000];

	(void)state;
	assert_near(metric_geometric_mean(twice_and_half, 2), 1);
	assert_near(metric_geometric_mean(three, 3), 3);
	for (size_t i = 0; i < COUNT(large); i++)
		large[i] = 1e300; /* the product would not fit */
	assert_true(fabs(metric_geometric_mean(large, COUNT(large)) / 1e300 - 1) < 1e-9);
	assert_true(isnan(metric_geometric_mean(zero, 2)));
	assert_true(isnan(metric_geometric_mean(unknown, 2)));
	assert_true(isnan(metric_geometric_mean(NULL, 0)));
}

static void median(void **state)
{
	double odd[] = { 9, 1, 5 }, even[] = { 9, 1, 5, 3 }, large[] = { 1e308, 1.5e308 };

	(void)state;
	assert_near(metric_median(odd, 3), 5);
	assert_near(metric_median(even, 4), 4);
	assert_near(metric_median(large, 2), 1.25e308);
	assert_true(isnan(metric_median(NULL, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(share),
		cmocka_unit_test(pass_at_k_is_what_counting_gives),
		cmocka_unit_test(pass_at_k_at_its_edges),
		cmocka_unit_test(geometric_mean),
		cmocka_unit_test(median),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
