/*
 * Statistics of times, each with the source of its formula. What cannot be had is NAN.
 * Owns nothing; every result is the same again for the same input and seed.
 */
#ifndef GEAK_DOMAIN_STATS_H
#define GEAK_DOMAIN_STATS_H

#include <stddef.h>
#include <stdint.h>

/* SplitMix64: Steele, Lea, Flood 2014, "Fast Splittable Pseudorandom Number Generators". */
struct stats_random {
	uint64_t state; /* begins as the seed, any number */
};

uint64_t stats_random(struct stats_random *r);

/* Below n, which is at most 2^32: the high half of a product, Lemire 2019, "Fast Random Integer
 * Generation in an Interval"; without his second draw, since n / 2^32 of bias is nothing here. */
size_t stats_random_below(struct stats_random *r, size_t n);

/* The p-quantile, 0 <= p <= 1, of values in ascending order, between its two neighbours in
 * proportion: definition 7 of Hyndman and Fan 1996, "Sample Quantiles in Statistical Packages". */
double stats_quantile(const double *sorted, size_t n, double p);

/*
 * The median of what a clock that counts in ticks shows; sorts values. Many samples then show
 * the same, and the plain median stands still while the time itself moves by most of a tick.
 * Each sample stands for the tick around it, and the median is where half of them are below:
 * the median of grouped data, as textbooks have it. With tick 0 the plain median.
 */
double stats_grouped_median(double *values, size_t n, double tick);

struct stats_sample {
	const double *values;
	size_t n;
};

struct stats_interval {
	double lo, mid, hi; /* mid is the figure itself, lo and hi the ends of its 99 % interval */
};

/*
 * The mean of the medians of several samples (so of one: its median), and its percentile
 * bootstrap interval: Efron and Tibshirani 1993, "An Introduction to the Bootstrap",
 * chapter 13; every sample is drawn from anew, for itself. All NAN without samples or when one
 * of them has fewer values than STATS_LEAST or one that is not finite.
 */
struct stats_interval stats_mean_of_medians(const struct stats_sample *samples, size_t n,
					    uint64_t seed);

/*
 * The mean of a few values, and Student's 99 % interval of it. A handful says little of how far
 * apart they are, so that what is known before counts as well: a standard deviation, with the
 * weight of so many degrees of freedom (the scaled inverse chi-squared prior of Gelman et al.,
 * "Bayesian Data Analysis", section 3.3). All NAN without values, or without any degree.
 */
struct stats_interval stats_mean_of_few(const double *values, size_t n, double sd, size_t weight);

/* No 99 % interval of a median stands on fewer: all n are on one side of it in 2^(1-n) of cases. */
enum { STATS_LEAST = 8 };

#endif
