#include "ground/slip.h"

#include <string.h>

enum { LONGEST = 64, SHORT_NAME = 4 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The fewest slips that turn a into b, no letter being changed twice: the optimal string
 * alignment distance. Both are of at most LONGEST bytes. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][LONGEST + 1], len = strlen(b);
	size_t *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= len; j++)
		last[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t *oldest = before;

		now[0] = i;
		for (size_t j = 1; j <= len; j++) {
			now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = oldest;
	}
	return last[len];
}

const char *slip_of(const char *name, const char *const *known, size_t n)
{
	size_t most = strlen(name) > SHORT_NAME ? 2 : 1;
	const char *meant = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t slips;

		if (strlen(name) > LONGEST || strlen(known[i]) > LONGEST)
			continue;
		slips = distance(name, known[i]);
		if (slips == 0)
			return NULL;
		if (slips <= most) {
			most = slips - 1;
			meant = known[i];
		}
	}
	return meant;
}
