/*
 * Keeps count over a run's records and gives the figures as one summary/1.
 * What each figure means is in geak-bench(1). A tally copies what it needs.
 */
#ifndef GEAK_DOMAIN_TALLY_H
#define GEAK_DOMAIN_TALLY_H

#include <stddef.h>

#include "ground/err.h"
#include "records/json.h"

struct tally;

struct tally *tally_new(void);
void tally_free(struct tally *t);

/*
 * Counts a task/1, a candidate/1 or an error/1; a record inside an error/1
 * counts as well. Of candidates with the same task and id the later one counts,
 * unless only the earlier was judged. ERR_RECORD when a candidate has no id or no task.
 */
int tally_add(struct tally *t, const struct json *record, struct err *e);

/* The figures so far. ks are the k of pass@k; with none, the powers of two that
 * every task has candidates enough for. */
struct json *tally_summary(const struct tally *t, const size_t *ks, size_t n_ks);

#endif
