#include "domain/spare.h"

#include <stdlib.h>

#include "domain/request.h"
#include "ground/mem.h"

struct spare {
	struct part part;
	bool trusted;
	bool warm;
	int64_t deadline_ns; /* for getting warm; one that is not ends by itself then, see boot.py */
	struct spare *next;
};

static const double patience_s = 30, pretended_patience_s = 8;
static const double moment_s = 1; /* to hear what one that has been warm for long said then */
/* Of a GPU's memory, for each spare of a kind: a context takes about half of one. */
static const uint64_t memory_each = 8ULL << 30;

static void hear(void *listener, const struct json *m)
{
	struct spare *s = listener;

	s->warm = s->warm || json_get_bool(m, "warm", false);
}

static void free_spare(struct spare *s)
{
	part_release(&s->part);
	free(s);
}

static bool are_of_use(const struct judge *j, const struct device *d)
{
	return d->number != DEVICE_NONE && !j->times && !j->profiles;
}

/* -- the device's list */

/* The first of them that has told that it is warm; else the first. */
static struct spare *take(struct judge *j, struct device *d, bool trusted)
{
	struct spare **chosen = NULL, *s = NULL;

	pthread_mutex_lock(&j->lock);
	for (struct spare **at = &d->spares; *at; at = &(*at)->next) {
		bool tells = (*at)->trusted == trusted && child_speaks(&(*at)->part.child);

		if (tells || (!chosen && (*at)->trusted == trusted))
			chosen = at;
		if (tells)
			break;
	}
	if (chosen) {
		s = *chosen;
		*chosen = s->next;
	}
	pthread_mutex_unlock(&j->lock);
	return s;
}

/* At least one of a kind, at most one for each candidate that is judged at once. Under the lock. */
static bool has_room(const struct judge *j, const struct device *d, bool trusted)
{
	size_t max = (size_t)(d->gpu.memory_bytes / memory_each), n = d->spares_coming[trusted];

	max = max < 1 ? 1 : max < j->config.jobs ? max : j->config.jobs;
	for (const struct spare *s = d->spares; s; s = s->next)
		n += s->trusted == trusted;
	return !d->lost && n < max;
}

/* For one that is going to be kept. */
static bool take_room(struct judge *j, struct device *d, bool trusted)
{
	bool room;

	pthread_mutex_lock(&j->lock);
	room = has_room(j, d, trusted);
	d->spares_coming[trusted] += room;
	pthread_mutex_unlock(&j->lock);
	return room;
}

/* At the end: who has had the most time is taken first. One that was not started has no use for its room,
 * nor has a device for anyone that was set aside meanwhile. */
static void keep(struct judge *j, struct device *d, struct spare *s, bool started)
{
	struct spare **at = &d->spares;
	bool kept;

	pthread_mutex_lock(&j->lock);
	d->spares_coming[s->trusted]--;
	while (*at)
		at = &(*at)->next;
	kept = started && !d->lost;
	if (kept)
		*at = s;
	pthread_mutex_unlock(&j->lock);
	if (!kept)
		free_spare(s);
}

/* -- one */

static bool is_warm(const void *what)
{
	const struct spare *s = what;

	return s->warm;
}

static struct spare *take_warm(struct judge *j, struct device *d, bool trusted)
{
	struct spare *s;

	while ((s = take(j, d, trusted))) {
		int64_t soon = part_deadline(moment_s);

		part_serve(&s->part, NULL, s->deadline_ns > soon ? s->deadline_ns : soon, is_warm, s);
		if (s->part.running && child_lives(&s->part.child))
			break;
		free_spare(s);
	}
	return s;
}

int spare_start(struct part *p, struct judge *j, struct device *d, bool trusted, bool may,
		const int shared[BOX_SHARED], struct json *request, bool *spared, struct err *e)
{
	struct spare *s = may ? take_warm(j, d, trusted) : NULL;
	struct box_limits limits;

	*spared = s && part_take_over(p, &s->part, shared, request);
	if (s)
		free_spare(s);
	if (*spared) {
		json_free(request);
		return 0;
	}
	limits = request_limits(j, trusted);
	return part_start(p, request_runner(j), &limits, shared, request, e);
}

void spare_prepare(struct judge *j, struct device *d, bool trusted, const struct device_lock *turn)
{
	const int shared[BOX_SHARED] = { turn->fd, -1, -1 };
	struct err ignored = ERR_INIT; /* then the next one is started when it is needed */
	struct box_limits limits;
	double patience = device_pretended() ? pretended_patience_s : patience_s;
	struct json *request;
	struct spare *s;
	bool started;

	if (!are_of_use(j, d) || !take_room(j, d, trusted))
		return;
	s = mem_zalloc(1, sizeof(*s));
	s->trusted = trusted;
	part_init(&s->part, hear, s);
	limits = request_limits(j, trusted);
	request = request_new(j, d, "spare", NULL);
	json_set_number(request, "patience", patience);
	s->deadline_ns = part_deadline(patience);
	started = !part_start(&s->part, request_runner(j), &limits, shared, request, &ignored);
	keep(j, d, s, started);
}

struct spare *spare_dismiss_all(struct judge *j, struct device *d)
{
	struct spare *all;

	pthread_mutex_lock(&j->lock);
	all = d->spares;
	d->spares = NULL;
	pthread_mutex_unlock(&j->lock);
	for (struct spare *s = all; s; s = s->next)
		part_kill(&s->part);
	return all;
}

void spare_free_all(struct spare *dismissed)
{
	while (dismissed) {
		struct spare *s = dismissed;

		dismissed = s->next;
		free_spare(s);
	}
}
