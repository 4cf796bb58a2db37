/*
 * The figures of the field, each with the source of its formula. A figure that
 * cannot be had is NAN, never a guess. Owns nothing.
 */
#ifndef GEAK_DOMAIN_METRIC_H
#define GEAK_DOMAIN_METRIC_H

#include <stddef.h>

/* part of whole; NAN of nothing. */
double metric_share(size_t part, size_t whole);

/*
 * The chance that at least one of k samples passes, estimated without bias from
 * n samples of which c passed: 1 - C(n-c, k) / C(n, k). NAN when n < k or k is 0.
 * Chen et al. 2021, "Evaluating Large Language Models Trained on Code", section 2.1.
 */
double metric_pass_at_k(size_t n, size_t c, size_t k);

/* NAN of nothing and where a value is not above zero. */
double metric_geometric_mean(const double *values, size_t n);

/* Sorts values. The mean of the two in the middle when n is even; NAN of nothing. */
double metric_median(double *values, size_t n);

#endif
