#include "domain/judging.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "domain/lint.h"
#include "domain/oracle.h"
#include "domain/queue.h"
#include "domain/task.h"
#include "ground/cli.h"
#include "ground/mem.h"
#include "ground/progress.h"

/* What the workers share. */
struct shop {
	struct judge *judge;
	struct stream *stream;
	bool lint;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct queue queue;        /* read, and not taken yet */
	struct queue_worker at[JUDGING_WORKERS_MAX];
	size_t workers;            /* that have begun; each knows its place in at[] */
	bool closing;
	size_t judged, passed;     /* for the progress line */
	struct err fatal;          /* the judge itself cannot go on */
};

/* What waits and is left to others may not be, after a while. */
static void wait_for_change(struct shop *s)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	if (s->queue.n)
		pthread_cond_timedwait(&s->changed, &s->lock, &until);
	else
		pthread_cond_wait(&s->changed, &s->lock);
}

static bool take(struct shop *s, size_t who, struct stream_item *item)
{
	bool got;

	pthread_mutex_lock(&s->lock);
	while (!(got = queue_take(&s->queue, s->at, s->workers, who, (double)child_clock_ns() / 1e9, item))
	       && (s->queue.n || !s->closing))
		wait_for_change(s);
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return got;
}

static void give(struct shop *s, const struct stream_item *item)
{
	char task[HASH_HEX] = "";

	if (!s->queue.in_order) /* else nobody asks */
		task_digest(json_get(item->record, "task"), task);
	pthread_mutex_lock(&s->lock);
	while (!queue_has_room(&s->queue))
		pthread_cond_wait(&s->changed, &s->lock);
	queue_add(&s->queue, item, task);
	if (s->judged == 0)
		progress_show("the judge starts");
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

static void show_progress(struct shop *s, const struct json *candidate)
{
	const char *status = json_get_string(json_get(candidate, "eval"), "status");

	pthread_mutex_lock(&s->lock);
	s->judged++;
	if (status && strcmp(status, "pass") == 0)
		s->passed++;
	if (s->lint)
		progress_show("%zu tasks tried", s->judged);
	else
		progress_show("%zu judged, %zu passed", s->judged, s->passed);
	pthread_mutex_unlock(&s->lock);
}

/* When the judge cannot go on, every record that is left fails for the same reason: it is told once. */
static void fail(struct shop *s, struct stream_item *item, const struct err *why)
{
	bool told = false;

	if (why->code == ERR_SOFTWARE) {
		pthread_mutex_lock(&s->lock);
		told = s->fatal.code && strcmp(s->fatal.text, why->text) == 0;
		s->fatal = *why;
		pthread_mutex_unlock(&s->lock);
	}
	if (told)
		stream_put_error_silently(s->stream, item, why);
	else
		stream_put_error(s->stream, item, why);
	stream_done(s->stream, item);
}

static void *work(void *arg)
{
	struct shop *s = arg;
	struct stream_item item;
	size_t who;

	pthread_mutex_lock(&s->lock);
	who = s->workers++;
	pthread_mutex_unlock(&s->lock);
	while (take(s, who, &item)) {
		struct err e = ERR_INIT;

		if (stream_broken(s->stream)) { /* nobody would learn of it */
			stream_done(s->stream, &item);
			continue;
		}
		if (s->lint ? lint_task(s->judge, item.record, &e)
			    : judge_candidate(s->judge, item.record, &e)) {
			fail(s, &item, &e);
		} else {
			show_progress(s, item.record);
			stream_put(s->stream, &item, item.record);
			stream_done(s->stream, &item);
		}
	}
	return NULL;
}

static int feed(struct shop *s, size_t n_workers)
{
	pthread_t workers[JUDGING_WORKERS_MAX];
	struct stream_item item;
	size_t n = 0;

	while (n < n_workers && pthread_create(&workers[n], NULL, work, s) == 0)
		n++;
	if (n == 0)
		return err_set(&s->fatal, ERR_SOFTWARE, "not one thread can be started");
	while (stream_next(s->stream, true, &item) == STREAM_ITEM)
		give(s, &item);
	pthread_mutex_lock(&s->lock);
	s->closing = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	for (size_t i = 0; i < n; i++)
		pthread_join(workers[i], NULL);
	return 0;
}

int judging_run(const struct judging *what)
{
	struct shop *s = mem_zalloc(1, sizeof(*s));
	int status;

	s->judge = what->judge;
	s->stream = what->stream;
	s->lint = what->lint;
	s->queue.in_order = !what->unordered;
	s->queue.oracle_cost = oracle_cost;
	s->queue.judge = what->judge;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	if (feed(s, what->workers))
		cli_fail(&s->fatal);
	progress_clear();
	status = stream_close(s->stream);
	if (!status && s->judge->objects_lost)
		status = err_exit_status(ERR_IO);
	if (s->fatal.code)
		status = err_exit_status(s->fatal.code);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
	return status;
}
