#include "domain/queue.h"

#include <string.h>

enum preference { ANY, NOBODY_IS_THERE, GOES_ON };

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

static enum preference preference(const struct queue_entry *entry,
				  const struct queue_worker *workers, size_t n, size_t who)
{
	if (strcmp(workers[who].task, entry->task) == 0)
		return GOES_ON;
	for (size_t i = 0; i < n; i++)
		if (strcmp(workers[i].task, entry->task) == 0)
			return ANY;
	return NOBODY_IS_THERE;
}

static size_t choose(const struct queue *q, const struct queue_worker *workers, size_t n, size_t who)
{
	enum preference best;
	size_t chosen = 0;

	if (q->in_order || q->entries[0].passed_over >= QUEUE_MAX)
		return 0;
	best = preference(&q->entries[0], workers, n, who);
	for (size_t i = 1; best < GOES_ON && i < q->n; i++) {
		enum preference p = preference(&q->entries[i], workers, n, who);

		if (p > best) {
			best = p;
			chosen = i;
		}
	}
	return chosen;
}

void queue_take(struct queue *q, struct queue_worker *workers, size_t n_workers, size_t who,
		struct stream_item *item)
{
	size_t chosen = choose(q, workers, n_workers, who);
	struct queue_entry *entry = &q->entries[chosen];

	*item = entry->item;
	memcpy(workers[who].task, entry->task, sizeof(entry->task));
	q->bytes -= entry->bytes;
	for (size_t i = 0; i < chosen; i++)
		q->entries[i].passed_over++;
	memmove(entry, entry + 1, (--q->n - chosen) * sizeof(*entry));
}
