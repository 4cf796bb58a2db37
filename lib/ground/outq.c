#include "ground/outq.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "ground/buf.h"
#include "ground/fd.h"
#include "ground/mem.h"

enum { SLOT_MAX = 1 << 30 }; /* many children of one record, each at most 16 MiB */

struct slot {
	struct buf text;
	bool closed;
};

struct outq {
	pthread_mutex_t lock;
	pthread_cond_t room;
	int out;
	bool ordered;
	int error;              /* errno of the first failed write */
	size_t capacity;
	size_t in_use;          /* tickets that count against capacity */
	uint64_t head, tail;    /* ordered: those are head..tail-1; slot = ticket % capacity */
	struct slot *slots;     /* unordered: where a line gets its newline */
};

struct outq *outq_new(int out, size_t capacity, bool ordered)
{
	struct outq *q = mem_zalloc(1, sizeof(*q));

	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->room, NULL);
	q->out = out;
	q->ordered = ordered;
	q->capacity = capacity ? capacity : 1;
	q->slots = mem_zalloc(q->capacity, sizeof(*q->slots));
	for (size_t i = 0; i < q->capacity; i++)
		buf_init(&q->slots[i].text, SLOT_MAX);
	return q;
}

void outq_free(struct outq *q)
{
	if (!q)
		return;
	for (size_t i = 0; i < q->capacity; i++)
		buf_release(&q->slots[i].text);
	free(q->slots);
	pthread_cond_destroy(&q->room);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

static void write_out(struct outq *q, const char *text, size_t len)
{
	/* At once into a file as well: a reply is paid for, and whoever ends us must not cost it. */
	if (!q->error && fd_write(q->out, text, len))
		q->error = errno;
}

static struct slot *slot_of(struct outq *q, uint64_t ticket)
{
	return &q->slots[ticket % q->capacity];
}

static void make_room(struct outq *q)
{
	q->in_use--;
	pthread_cond_signal(&q->room);
}

/* Writes what the oldest ticket holds, and passes on to the next while it is closed. */
static void drain(struct outq *q)
{
	while (q->head < q->tail) {
		struct slot *s = slot_of(q, q->head);

		write_out(q, s->text.data, s->text.len);
		buf_reset(&s->text);
		if (!s->closed)
			return;
		buf_release(&s->text);
		q->head++;
		make_room(q);
	}
}

bool outq_has_room(struct outq *q)
{
	bool room;

	pthread_mutex_lock(&q->lock);
	room = q->in_use < q->capacity;
	pthread_mutex_unlock(&q->lock);
	return room;
}

uint64_t outq_open(struct outq *q)
{
	uint64_t ticket;

	pthread_mutex_lock(&q->lock);
	while (q->in_use >= q->capacity)
		pthread_cond_wait(&q->room, &q->lock);
	q->in_use++;
	ticket = q->tail++;
	if (q->ordered)
		slot_of(q, ticket)->closed = false;
	pthread_mutex_unlock(&q->lock);
	return ticket;
}

void outq_put(struct outq *q, uint64_t ticket, const char *line, size_t len)
{
	/* What is written at once needs one buffer, which stays as large as the longest line. */
	struct slot *s = q->ordered ? slot_of(q, ticket) : &q->slots[0];

	pthread_mutex_lock(&q->lock);
	if (buf_add(&s->text, line, len) || buf_addc(&s->text, '\n'))
		q->error = q->error ? q->error : EFBIG;
	if (!q->ordered) {
		write_out(q, s->text.data, s->text.len);
		buf_reset(&s->text);
	} else if (ticket == q->head) {
		drain(q);
	}
	pthread_mutex_unlock(&q->lock);
}

void outq_close(struct outq *q, uint64_t ticket)
{
	pthread_mutex_lock(&q->lock);
	if (q->ordered) {
		slot_of(q, ticket)->closed = true;
		drain(q);
	} else {
		make_room(q);
	}
	pthread_mutex_unlock(&q->lock);
}

int outq_check(struct outq *q, struct err *e)
{
	int error;

	pthread_mutex_lock(&q->lock);
	error = q->error;
	pthread_mutex_unlock(&q->lock);
	if (!error)
		return 0;
	errno = error;
	return err_errno(e, ERR_IO, "standard output cannot be written");
}
