#include "domain/similar.h"
size_t similar_best(const char *query, const char *const *texts, size_t n, double *score)
{
	(void)query; (void)texts; (void)n;
	if (score)
		*score = 0;
	return 0;
}
