/*
 * Which of several texts are about what a query is about: BM25, by SQLite's FTS5, in memory.
 * A struct store_search owns copies of the texts that were added.
 */
#ifndef GEAK_OUTSIDE_STORE_SEARCH_H
#define GEAK_OUTSIDE_STORE_SEARCH_H

#include <stddef.h>

#include "ground/err.h"

struct store_search;

/* NULL with ERR_SOFTWARE where SQLite was built without FTS5. */
struct store_search *store_search_new(struct err *e);
void store_search_free(struct store_search *s); /* NULL is allowed */

/* Texts are numbered from 0 in the order in which they are added. Returns 0 or ERR_SOFTWARE. */
int store_search_add(struct store_search *s, const char *text, struct err *e);

/*
 * Adds weight times each text's likeness to score, which has a place for each. Words are what
 * letters and digits make, in English and without their endings; one that many texts have says
 * little, and one that the query repeats no more. Likeness is 0 without a common word and has
 * no upper bound. Returns 0 or ERR_SOFTWARE.
 */
int store_search_rank(struct store_search *s, const char *query, double weight, double *score,
		      struct err *e);

#endif
