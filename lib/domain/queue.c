#include "domain/queue.h"

#include <math.h>
#include <string.h>

enum preference { NONE, SOMEBODY_IS_THERE, NOBODY_IS_THERE, GOES_ON };

static const double least_each = 2; /* seconds that a candidate takes where there is an oracle, at least */

bool queue_has_room(const struct queue *q)
{
	return q->n < QUEUE_MAX && q->bytes < QUEUE_BYTES_MAX;
}

void queue_add(struct queue *q, const struct stream_item *item, const char task[HASH_HEX])
{
	struct queue_entry *entry = &q->entries[q->n++];

	*entry = (struct queue_entry){ .item = *item, .bytes = item->line_len };
	memcpy(entry->task, task, HASH_HEX);
	q->bytes += entry->bytes;
}

/* What a candidate takes where there is an oracle, by those that were, or are, being judged. The first
 * one's time is its oracle's, too, which costs so much. */
static double seconds_each(const struct queue_worker *w, double now, double cost)
{
	double present = w->busy ? now - w->since : 0;

	return fmax(w->longest, w->items == 1 ? present - cost : present);
}

/* How many workers are at a task, and the most that a candidate takes there. */
static size_t count_workers(const struct queue_worker *workers, size_t n, const char *task, double now,
			    double cost, double *each)
{
	size_t count = 0;

	*each = least_each;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(workers[i].task, task) != 0)
			continue;
		*each = fmax(*each, seconds_each(&workers[i], now, cost));
		count++;
	}
	return count;
}

/* Those who are at the task will have come to all of its candidates before another oracle has to one. */
static bool is_left_to(size_t there, double each, double cost, const struct queue *q, const char *task)
{
	size_t waiting = 0;

	for (size_t i = 0; i < q->n; i++)
		waiting += strcmp(q->entries[i].task, task) == 0;
	return (double)waiting / (double)there * each < cost;
}

static enum preference preference(const struct queue *q, const char *task,
				  const struct queue_worker *workers, size_t n, size_t who, double now)
{
	double cost, each;
	size_t there;

	if (strcmp(workers[who].task, task) == 0)
		return GOES_ON;
	cost = q->oracle_cost(q->judge, task);
	there = count_workers(workers, n, task, now, cost, &each);
	if (!there)
		return NOBODY_IS_THERE;
	return is_left_to(there, each, cost, q, task) ? NONE : SOMEBODY_IS_THERE;
}

/* The longer a task the longer it takes, as a rule; and what takes long is better not begun last. */
static bool is_longer(const struct queue *q, size_t i, size_t than)
{
	return q->entries[i].bytes > q->entries[than].bytes;
}

/* The place in the queue; q->n for none. */
static size_t choose(const struct queue *q, const struct queue_worker *workers, size_t n, size_t who,
		     double now)
{
	enum preference best = NONE;
	size_t chosen = q->n;

	if (q->n && (q->in_order || q->entries[0].passed_over >= QUEUE_MAX))
		return 0;
	for (size_t i = 0; best < GOES_ON && i < q->n; i++) {
		enum preference p;

		if (i && strcmp(q->entries[i].task, q->entries[i - 1].task) == 0)
			continue; /* it fares as the one before */
		p = preference(q, q->entries[i].task, workers, n, who, now);
		if (p > best || (p == NOBODY_IS_THERE && p == best && is_longer(q, i, chosen))) {
			best = p;
			chosen = i;
		}
	}
	return chosen;
}

static void have_done(const struct queue *q, struct queue_worker *w, double now)
{
	w->longest = seconds_each(w, now, q->oracle_cost(q->judge, w->task));
	w->busy = false;
}

static void begin(struct queue_worker *w, const char task[HASH_HEX], double now)
{
	if (strcmp(w->task, task) != 0)
		*w = (struct queue_worker){ .items = 0 };
	memcpy(w->task, task, HASH_HEX);
	w->items++;
	w->busy = true;
	w->since = now;
}

bool queue_take(struct queue *q, struct queue_worker *workers, size_t n_workers, size_t who, double now,
		struct stream_item *item)
{
	struct queue_entry *entry;
	size_t chosen;

	have_done(q, &workers[who], now);
	chosen = choose(q, workers, n_workers, who, now);
	if (chosen == q->n)
		return false;
	entry = &q->entries[chosen];
	*item = entry->item;
	begin(&workers[who], entry->task, now);
	q->bytes -= entry->bytes;
	for (size_t i = 0; i < chosen; i++)
		q->entries[i].passed_over++;
	memmove(entry, entry + 1, (--q->n - chosen) * sizeof(*entry));
	return true;
}
