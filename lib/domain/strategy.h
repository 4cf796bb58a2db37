/*
 * Ways to make a kernel faster, one Markdown file each in prompts/strategies, so that
 * a user can add one. A file begins with lines "key: value" between two lines "---":
 *
 *   title        what it is called in a prompt
 *   bottlenecks  names (bottleneck.h), in blanks: those that it helps with
 *   vendor       AMD or NVIDIA; left out: both
 *
 * Files are tried in the order of their names, so "10-..." comes before "20-...".
 * What strategies_load() returns owns its texts; strategies_free() frees it.
 */
#ifndef GEAK_DOMAIN_STRATEGY_H
#define GEAK_DOMAIN_STRATEGY_H

#include <stddef.h>

#include "domain/bottleneck.h"
#include "ground/err.h"

struct strategy {
	char *name;    /* the file's, without number and ".md": "vector-loads" */
	char *title;
	char *vendor;  /* "" for both */
	char *text;    /* the advice */
	unsigned for_kinds; /* a bit for each enum bottleneck_kind */
};

struct strategies;

/* Reads prompts/strategies. NULL, with e filled, when one cannot be used. */
struct strategies *strategies_load(struct err *e);
void strategies_free(struct strategies *s);

/* All of them in turn; NULL after the last. */
const struct strategy *strategies_at(const struct strategies *s, size_t index);

/*
 * The turn-th of those that help with the bottleneck on that vendor's GPUs (NULL: not
 * known, then none of one vendor's), round and round. With BOTTLENECK_UNKNOWN every
 * strategy counts. NULL when none fits.
 */
const struct strategy *strategy_pick(const struct strategies *s, enum bottleneck_kind kind,
				     const char *vendor, size_t turn);

/* Reads one file's text; name is the file's. For tests, too. Release with strategy_release(). */
int strategy_parse(const char *name, const char *text, struct strategy *out, struct err *e);
void strategy_release(struct strategy *s);

#endif
