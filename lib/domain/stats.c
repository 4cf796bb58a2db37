#include "domain/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "domain/metric.h"
#include "ground/mem.h"

enum { REPLICATES = 4000 }; /* 20 of them are beyond either end of a 99 % interval */

static const double confidence = 0.99;

uint64_t stats_random(struct stats_random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

size_t stats_random_below(struct stats_random *r, size_t n)
{
	return (size_t)((stats_random(r) >> 32) * n >> 32);
}

double stats_quantile(const double *sorted, size_t n, double p)
{
	double at = p * (double)(n ? n - 1 : 0), below = floor(at);
	size_t i = (size_t)below;

	if (n == 0)
		return NAN;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]);
}

double stats_grouped_median(double *values, size_t n, double tick)
{
	double plain = metric_median(values, n), below = 0, within = 0;

	if (!(tick > 0))
		return plain;
	/* A quarter of a tick: what the clock shows is rounded. */
	for (size_t i = 0; i < n; i++) {
		below += values[i] < plain - tick / 4;
		within += fabs(values[i] - plain) <= tick / 4;
	}
	if (within == 0) /* it lies between two ticks, half of the samples on either side */
		return plain;
	return plain - tick / 2 + tick * ((double)n / 2 - below) / within;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool usable(const struct stats_sample *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!isfinite(s->values[i]))
			return false;
	return s->n >= STATS_LEAST;
}

/* The median of n draws from n sorted values. How often each was drawn tells the order of the
 * draws without sorting them. */
static double drawn_median(const double *sorted, unsigned *times, size_t n, struct stats_random *r)
{
	size_t seen = 0, i = 0;
	double lower;

	memset(times, 0, n * sizeof(*times));
	for (size_t k = 0; k < n; k++)
		times[stats_random_below(r, n)]++;
	while (seen + times[i] < (n + 1) / 2)
		seen += times[i++];
	lower = sorted[i];
	while (seen + times[i] < n / 2 + 1)
		seen += times[i++];
	return (lower + sorted[i]) / 2;
}

/* A replicate takes one draw from each sample; adds up in place. */
static double add_sample(const struct stats_sample *s, double *replicates, struct stats_random *r)
{
	double *sorted = mem_alloc(s->n * sizeof(*sorted)), median;
	unsigned *times = mem_alloc(s->n * sizeof(*times));

	memcpy(sorted, s->values, s->n * sizeof(*sorted));
	median = metric_median(sorted, s->n);
	for (size_t i = 0; i < REPLICATES; i++)
		replicates[i] += drawn_median(sorted, times, s->n, r);
	free(times);
	free(sorted);
	return median;
}

struct stats_interval stats_mean_of_medians(const struct stats_sample *samples, size_t n,
					    uint64_t seed)
{
	struct stats_random r = { .state = seed };
	double replicates[REPLICATES] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		if (!usable(&samples[i]))
			n = 0;
	if (n == 0)
		return (struct stats_interval){ NAN, NAN, NAN };
	for (size_t i = 0; i < n; i++)
		sum += add_sample(&samples[i], replicates, &r);
	qsort(replicates, REPLICATES, sizeof(*replicates), compare);
	return (struct stats_interval){
		.lo = stats_quantile(replicates, REPLICATES, (1 - confidence) / 2) / (double)n,
		.mid = sum / (double)n,
		.hi = stats_quantile(replicates, REPLICATES, (1 + confidence) / 2) / (double)n,
	};
}

/* Of Student's distribution with 1, 2, ... degrees of freedom the 0.995 quantile, as any table has it. */
static double student(size_t freedom)
{
	static const double quantiles[] = {
		63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169,
		3.106, 3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845,
	};
	const size_t n = sizeof(quantiles) / sizeof(*quantiles);

	return quantiles[(freedom < n ? freedom : n) - 1];
}

struct stats_interval stats_mean_of_few(const double *values, size_t n, double sd, size_t weight)
{
	double mean = 0, squares = (double)weight * sd * sd, half;
	size_t freedom = n ? weight + n - 1 : 0;

	if (!freedom)
		return (struct stats_interval){ NAN, NAN, NAN };
	for (size_t i = 0; i < n; i++)
		mean += values[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	half = student(freedom) * sqrt(squares / (double)freedom / (double)n);
	return (struct stats_interval){ mean - half, mean, mean + half };
}
