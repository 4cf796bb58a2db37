/*
 * Candidates that wait to be judged, and which of them a worker takes next: the first; or
 * where they need not leave in order, the first of those that cost least. An oracle serves
 * the candidates of its task one after the other, so a worker goes on with the task that it
 * is at; when it has to begin with another, rather one that nobody is at, and of those the
 * longest. Where another oracle would take longer than the few that wait for one, they are
 * left to who has it. The first in line is passed over only so often.
 *
 * Owns no items. Not for several threads at once.
 */
#ifndef GEAK_DOMAIN_QUEUE_H
#define GEAK_DOMAIN_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "records/hash.h"
#include "records/stream.h"

enum {
	QUEUE_MAX = 256,            /* items that wait; also how often one is passed over */
	QUEUE_BYTES_MAX = 8 << 20,  /* of their lines, but for the last one's */
};

struct queue_entry {
	struct stream_item item;
	char task[HASH_HEX];
	size_t bytes;
	size_t passed_over;
};

struct queue {
	bool in_order;
	/* Seconds that another oracle for a task would take, as far as is known: see domain/oracle.h. */
	double (*oracle_cost)(void *judge, const char task[HASH_HEX]);
	void *judge;
	struct queue_entry entries[QUEUE_MAX]; /* as they came */
	size_t n, bytes;
};

/* Who takes. */
struct queue_worker {
	char task[HASH_HEX]; /* that it was at last; "" before the first */
	size_t items;        /* of that task */
	bool busy;           /* with the last of them, */
	double since;        /* by a clock in seconds */
	double longest;      /* that it was busy with one of them, without their oracle's start */
};

bool queue_has_room(const struct queue *q);

/* Only while there is room. task: the digest of the candidate's; in order it makes no difference. */
void queue_add(struct queue *q, const struct stream_item *item, const char task[HASH_HEX]);

/* The next item for workers[who], which has done with its last one, at so many seconds on the clock.
 * False when nothing waits that is not left to others: ask again when something has changed, or after a
 * while. */
bool queue_take(struct queue *q, struct queue_worker *workers, size_t n_workers, size_t who, double now,
		struct stream_item *item);

#endif
