#include "domain/builder.h"

#include <stdlib.h>
#include <unistd.h>

#include "ground/fd.h"
#include "ground/mem.h"

enum { SERVES_MAX = 500 }; /* candidates: the compiler's own memory grows a little with each */

static void hear(void *listener, const struct json *m)
{
	struct builder *b = listener;
	const struct json *built = json_get(m, "built");

	if (json_is(built, JSON_OBJECT) && !b->answer)
		b->answer = json_dup(built);
}

static void free_builder(struct builder *b)
{
	part_release(&b->part);
	fd_close(&b->irs);
	fd_close(&b->objects);
	json_free(b->answer);
	free(b);
}

static int start(struct judge *j, struct builder *b, struct err *e)
{
	struct box_limits limits = request_limits(j, true);

	b->irs = request_memory("irs", false, e);
	b->objects = b->irs < 0 ? -1 : request_memory("objects", false, e);
	if (b->objects < 0)
		return e->code;
	return part_start(&b->part, &j->compiler, &limits,
			  (const int[BOX_SHARED]){ b->irs, b->objects, -1 },
			  request_new(j, NULL, "builder", NULL), e);
}

/* One that was killed meanwhile, with its zygote say, is none. */
static struct builder *take_idle(struct judge *j)
{
	struct builder *b;

	do {
		pthread_mutex_lock(&j->lock);
		b = j->idle_builders;
		if (b)
			j->idle_builders = b->next;
		pthread_mutex_unlock(&j->lock);
		if (!b || child_lives(&b->part.child))
			return b;
		free_builder(b);
	} while (true);
}

struct builder *builder_take(struct judge *j, bool anew, struct err *e)
{
	struct builder *b;

	b = anew ? NULL : take_idle(j);
	if (!b) {
		b = mem_zalloc(1, sizeof(*b));
		b->irs = b->objects = -1;
		part_init(&b->part, hear, b);
		if (start(j, b, e)) {
			free_builder(b);
			return NULL;
		}
	}
	b->served++;
	return b;
}

static bool answered(const void *what)
{
	const struct builder *b = what;

	return b->answer;
}

struct json *builder_build(struct builder *b, const struct json *request, struct part *meanwhile,
			   int64_t deadline_ns)
{
	struct json *answer;

	if (!b->part.running)
		return NULL;
	child_send(&b->part.child, request);
	part_serve(&b->part, meanwhile, deadline_ns, answered, b);
	answer = b->answer;
	b->answer = NULL;
	return answer;
}

void builder_give(struct judge *j, struct builder *b)
{
	if (!b->part.running || b->served >= SERVES_MAX || ftruncate(b->irs, 0)
	    || ftruncate(b->objects, 0)) {
		free_builder(b);
		return;
	}
	child_forget(&b->part.child);
	pthread_mutex_lock(&j->lock);
	b->next = j->idle_builders;
	j->idle_builders = b;
	pthread_mutex_unlock(&j->lock);
}

void builder_release_all(struct judge *j)
{
	for (struct builder *b = j->idle_builders; b; b = b->next)
		part_kill(&b->part);
	while (j->idle_builders) {
		struct builder *b = j->idle_builders;

		j->idle_builders = b->next;
		free_builder(b);
	}
}
