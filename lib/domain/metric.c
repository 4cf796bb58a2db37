#include "domain/metric.h"

#include <math.h>
#include <stdlib.h>

double metric_share(size_t part, size_t whole)
{
	return whole ? (double)part / (double)whole : NAN;
}

double metric_pass_at_k(size_t n, size_t c, size_t k)
{
	double none_passes = 1;

	if (k == 0 || n < k || c > n)
		return NAN;
	if (n - c < k)
		return 1;
	/* The quotient of the two binomials as a product: neither of them fits a double. */
	for (size_t i = n - c + 1; i <= n; i++)
		none_passes *= 1 - (double)k / (double)i;
	return 1 - none_passes;
}

double metric_geometric_mean(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(values[i] > 0))
			return NAN;
		sum += log(values[i]);
	}
	return n ? exp(sum / (double)n) : NAN;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double metric_median(double *values, size_t n)
{
	if (n == 0)
		return NAN;
	qsort(values, n, sizeof(*values), compare);
	return n % 2 ? values[n / 2] : values[n / 2 - 1] / 2 + values[n / 2] / 2;
}
