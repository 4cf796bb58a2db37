#include "domain/subject.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/fault.h"
#include "domain/hearing.h"
#include "domain/inputs.h"
#include "ground/fd.h"
#include "ground/mem.h"

/* A compiler may be at work in there, and a tuner that tries its configurations. */
static double patience(const struct subject *s)
{
	const double least = 60;
	double given = s->as ? oracle_patience(s->trial->judge) : s->trial->judge->config.timeout_s;

	return given < least ? least : given;
}

static void hear(void *listener, const struct json *m)
{
	struct subject *s = listener;
	const char *mark = json_get_string(m, "mark");

	if (!mark || strcmp(mark, s->trial->mark) != 0)
		s->forged = "a message";
	else if (json_get_bool(m, "forged", false))
		s->forged = "a launch";
	else if (json_get_string(json_get(m, "times"), "replaced"))
		s->forged = "the time";
	else if (json_get(m, "next"))
		inputs_hand_out(s->trial->oracle, json_get_int(m, "next", -1), s->inputs,
				&s->own.child, &s->failure);
	else if (json_is(json_get(m, "error"), JSON_OBJECT))
		hear_part_error(&s->own, m);
	else if (!s->answer && json_is(json_get(m, "times"), JSON_OBJECT))
		s->answer = json_dup(json_get(m, "times"));
}

void subject_init_reference(struct subject *s, const struct trial *t, const char *as)
{
	*s = (struct subject){ .name = as, .as = as, .trial = t, .inputs = -1,
			       .part = &t->oracle->part, .heard = &t->oracle->timed };
}

static struct json *new_request(const struct trial *t, const char *source)
{
	struct json *r = request_new(t->judge, t->device, "candidate", t->task);

	json_set_bool(r, "timing", true);
	json_set_string(r, "source", source);
	json_set(r, "cases", json_dup(t->oracle->cases));
	json_set_string(r, "mark", t->mark);
	return r;
}

void subject_init_source(struct subject *s, struct trial *t, const char *name, const char *source)
{
	struct box_limits limits = request_limits(t->judge, false);

	*s = (struct subject){ .name = name, .trial = t, .part = &s->own, .heard = &s->answer };
	limits.cpu_seconds = 0; /* it is asked again and again, with a deadline each time */
	part_init(&s->own, hear, s);
	s->inputs = request_memory("inputs", false, &s->failure);
	if (s->inputs >= 0)
		part_start(&s->own, request_runner(t->judge), &limits,
			   (const int[BOX_SHARED]){ s->inputs, t->oracle->outputs, -1 },
			   new_request(t, source), &s->failure);
}

static bool has_answered(const void *what)
{
	const struct subject *s = what;

	return *s->heard || s->part->error || s->forged || s->failure.code;
}

/* Asks, and waits for the answer; NULL when there is none. The question is freed. */
static const struct json *ask(struct subject *s, struct json *question)
{
	json_free(*s->heard);
	*s->heard = NULL;
	if (s->as)
		json_set_string(question, "as", s->as);
	if (s->part->running) {
		child_forget(&s->part->child); /* what it may say in all is for one that is not asked */
		child_send(&s->part->child, question);
		part_serve(s->part, NULL, part_deadline(patience(s)), has_answered, s);
	}
	json_free(question);
	return s->part->error || s->forged || s->failure.code ? NULL : *s->heard;
}

static void hear_failure(struct subject *s, const struct json *answer)
{
	const struct json *failed = json_get(answer, "failed");
	const char *message = fault_words(failed);

	free(s->why);
	s->why = failed ? mem_strdup(message ? message : "it failed") : NULL;
}

double subject_get_ready(struct subject *s, int64_t number, int64_t places)
{
	const struct oracle *o = s->trial->oracle;
	const char *name = json_get_string(json_at(o->cases, (size_t)number), "name");
	struct json *question = json_new_object();
	const struct json *answer, *changes = name ? json_get(o->changes, name) : NULL;

	s->case_name = name ? name : "";
	json_set_int(question, "time", number);
	json_set_int(question, "places", places);
	if (changes)
		json_set(question, "changes", json_dup(changes));
	answer = ask(s, question);
	hear_failure(s, answer);
	return json_get_number(answer, "empty_ms", -1);
}

/* Whether it is about the block that was asked for: one may have been made without being asked. */
static bool is_about(const struct json *answer, int64_t turn, bool real)
{
	return json_get_int(answer, "turn", -1) == turn
	       && json_get_bool(answer, "call", !real) == real;
}

bool subject_block(struct subject *s, int64_t n, bool real, struct block *b)
{
	struct json *question = json_new_object();
	const struct json *answer, *m;
	const char *seed;
	int64_t start = child_clock_ns();
	bool good;

	json_set_int(question, "block", n);
	json_set_int(question, "turn", ++s->turn);
	json_set_bool(question, "call", real);
	answer = ask(s, question);
	*b = (struct block){ .wall_ms = (double)(child_clock_ns() - start) / 1e6 };
	hear_failure(s, answer);
	good = is_about(answer, s->turn, real);
	m = json_first(json_get(answer, "block"));
	for (; m && b->n < SUBJECT_CALLS_MAX; m = json_next(m)) {
		b->ms[b->n] = json_number(m, NAN);
		good = good && b->ms[b->n] >= 0;
		b->n++;
	}
	seed = json_get_string(answer, "seed");
	free(s->seed);
	s->seed = mem_strdup(seed ? seed : "");
	return good && b->n == (size_t)n;
}

struct json *subject_give(struct subject *s, int64_t i)
{
	struct json *question = json_new_object(), *given, *contents;
	const struct json *answer;

	json_set_int(question, "give", i);
	answer = ask(s, question);
	if (!json_is(json_get(answer, "result"), JSON_OBJECT))
		return NULL;
	given = json_dup(answer);
	contents = json_new_array();
	json_push(contents, json_new_string(s->seed));
	json_push(contents, json_new_int(i));
	json_set(given, "timed", contents);
	json_set_string(given, "case", s->case_name);
	return given;
}

void subject_release(struct subject *s)
{
	if (s->as) {
		struct json *question = json_new_object();

		json_set_bool(question, "rest", true);
		ask(s, question);
		free(s->why);
		free(s->seed);
		return;
	}
	part_release(&s->own);
	json_free(s->answer);
	free(s->why);
	free(s->seed);
	fd_close(&s->inputs);
}
