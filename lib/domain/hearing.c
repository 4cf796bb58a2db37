#include "domain/hearing.h"

#include <string.h>

#include "domain/effort.h"
#include "domain/inputs.h"
#include "ground/mem.h"

enum {
	LAUNCHES_MAX = 64,
	SPECIALIZATION_MAX = 500,
	CLASS_MAX = 256,
	MESSAGE_MAX = 8 * 1024, /* both more than the harness itself ever sends */
	TRACE_MAX = 32 * 1024,
};

static void set_clipped(struct json *to, const char *key, const char *text, size_t max)
{
	json_set(to, key, json_new_stringn(text, strnlen(text, max)));
}

struct json *hear_error(const struct json *said)
{
	const char *class = json_get_string(said, "class");
	const char *message = json_get_string(said, "message");
	const char *trace = json_get_string(said, "trace");
	struct json *e = json_new_object();

	set_clipped(e, "class", class ? class : "unknown", CLASS_MAX);
	set_clipped(e, "message", message ? message : "", MESSAGE_MAX);
	if (trace)
		set_clipped(e, "trace", trace, TRACE_MAX);
	return e;
}

void hear_part_error(struct part *p, const struct json *message)
{
	const char *stage = json_get_string(message, "stage");
	const char *name = json_get_string(message, "case");

	if (p->error)
		return;
	p->error = hear_error(json_get(message, "error"));
	p->error_stage = mem_strdup(stage && strcmp(stage, "import") == 0 ? stage : "call");
	p->error_case = name ? mem_strndup(name, CLASS_MAX) : NULL;
}

/* Those that name a kernel; of the others nothing could be said. */
static struct json *launches_of(const struct json *said)
{
	struct json *all = json_new_array();
	size_t n = 0;

	for (const struct json *m = json_first(said); m && n < LAUNCHES_MAX; m = json_next(m)) {
		if (!json_get_string(m, "kernel"))
			continue;
		json_push(all, json_dup(m));
		n++;
	}
	return all;
}

/* What was done before a message that is no result belongs to the result that comes next: else a word
 * in between, which any code in there can say, would hide it. */
static void take_work(struct trial *t, const struct json *m)
{
	struct json *work = json_new_object(), *result;

	effort_add(work, t->unclaimed);
	effort_add(work, json_get(m, "work"));
	json_free(t->unclaimed);
	t->unclaimed = work;
	if (!json_get_string(m, "case") || !json_is(json_get(m, "result"), JSON_OBJECT))
		return;
	result = json_dup(m);
	json_set(result, "work", work);
	json_push(t->results, result);
	t->unclaimed = NULL;
}

void hear_candidate(void *listener, const struct json *m)
{
	struct trial *t = listener;
	const struct json *launches = json_get(m, "launches");
	const char *mark = json_get_string(m, "mark");

	if (!mark || strcmp(mark, t->mark) != 0) {
		t->forged = "a message";
		return;
	}
	if (json_get_bool(m, "forged", false))
		t->forged = "a launch";
	if (json_get(m, "imported") && !t->imported) {
		t->imported = true;
		return; /* what the module did when it was loaded is no part of a result */
	}
	if (json_get(m, "next"))
		inputs_hand_out(t->oracle, json_get_int(m, "next", -1), t->inputs, &t->run.child,
				&t->sandbox);
	if (json_is(json_get(m, "error"), JSON_OBJECT))
		hear_part_error(&t->run, m);
	take_work(t, m);
	t->launched = json_get_int(m, "launched", t->launched);
	if (json_is(launches, JSON_ARRAY)) {
		json_free(t->launches);
		t->launches = launches_of(launches);
		t->run.end = PART_DONE;
	}
}

/* What it says of one entry of the plan: the first word counts. */
static void hear_ir(struct trial *t, const struct json *m)
{
	int64_t of = json_get_int(m, "of", -1);
	struct json *said;

	if (of < 0 || (uint64_t)of >= json_len(t->plan) || t->irs[of])
		return;
	said = json_dup(m);
	if (json_get_string(m, "specialization"))
		set_clipped(said, "specialization", json_get_string(m, "specialization"),
			    SPECIALIZATION_MAX);
	t->irs[of] = said;
}

void hear_frontend(void *listener, const struct json *m)
{
	struct trial *t = listener;

	if (json_is(json_get(m, "error"), JSON_OBJECT))
		hear_part_error(&t->frontend, m);
	hear_ir(t, m);
	if (json_get(m, "emitted"))
		t->emitted = true;
	if (json_get_string(m, "ablated"))
		json_push(t->ablated, json_dup(m));
	if (json_get(m, "done"))
		t->frontend.end = PART_DONE;
}
