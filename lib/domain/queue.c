#include "domain/queue.h"

#include <string.h>

enum preference { NONE, SOMEBODY_IS_THERE, NOBODY_IS_THERE, GOES_ON };

static const double candidate_s = 2; /* that one takes, about, where there is an oracle */

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

static size_t count_workers(const struct queue_worker *workers, size_t n, const char *task)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += strcmp(workers[i].task, task) == 0;
	return count;
}

/* Those who are at the task will have come to all of its candidates before another oracle has to one. */
static bool is_left_to(size_t there, const struct queue *q, const char *task)
{
	size_t waiting = 0;

	for (size_t i = 0; i < q->n; i++)
		waiting += strcmp(q->entries[i].task, task) == 0;
	return (double)waiting / (double)there * candidate_s < q->oracle_cost(q->judge, task);
}

/* The longer a task the longer it takes, as a rule; and what takes long is better not begun last. */
static bool is_longer(const struct queue *q, size_t i, size_t than)
{
	return q->entries[i].bytes > q->entries[than].bytes;
}

/* The place in the queue; q->n for none. */
static size_t choose(const struct queue *q, const struct queue_worker *workers, size_t n, size_t who)
{
	enum preference best = NONE;
	size_t chosen = q->n;

	if (q->n && (q->in_order || q->entries[0].passed_over >= QUEUE_MAX))
		return 0;
	for (size_t i = 0; best < GOES_ON && i < q->n; i++) {
		const char *task = q->entries[i].task;
		size_t there = count_workers(workers, n, task);
		enum preference p = strcmp(workers[who].task, task) == 0 ? GOES_ON
				    : there ? SOMEBODY_IS_THERE : NOBODY_IS_THERE;

		if (p < best || (p == best && (p != NOBODY_IS_THERE || !is_longer(q, i, chosen)))
		    || (p == SOMEBODY_IS_THERE && is_left_to(there, q, task)))
			continue;
		best = p;
		chosen = i;
	}
	return chosen;
}

bool queue_take(struct queue *q, struct queue_worker *workers, size_t n_workers, size_t who,
		struct stream_item *item)
{
	size_t chosen = choose(q, workers, n_workers, who);
	struct queue_entry *entry = &q->entries[chosen];

	if (chosen == q->n)
		return false;
	*item = entry->item;
	memcpy(workers[who].task, entry->task, sizeof(entry->task));
	q->bytes -= entry->bytes;
	for (size_t i = 0; i < chosen; i++)
		q->entries[i].passed_over++;
	memmove(entry, entry + 1, (--q->n - chosen) * sizeof(*entry));
	return true;
}
