#include "domain/hearing.h"

#include <string.h>

#include "domain/figures.h"
#include "ground/mem.h"

enum {
	LAUNCHES_MAX = 64,
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

static void set_error(struct trial_part *p, const struct json *message)
{
	const char *stage = json_get_string(message, "stage");
	const char *name = json_get_string(message, "case");

	if (p->error)
		return;
	p->error = hear_error(json_get(message, "error"));
	p->error_stage = mem_strdup(stage && strcmp(stage, "import") == 0 ? stage : "call");
	p->error_case = name ? mem_strndup(name, CLASS_MAX) : NULL;
}

void hear_oracle(struct trial *t, const struct json *m)
{
	const struct json *check = json_get(m, "check");

	if (json_is(json_get(m, "ready"), JSON_ARRAY) && !t->cases)
		t->cases = json_dup(json_get(m, "ready"));
	else if (json_get(m, "reference_ran"))
		t->reference_ran = true;
	else if (json_get(m, "reference_error") && !t->oracle.error)
		t->oracle.error = hear_error(json_get(m, "reference_error"));
	else if (json_is(check, JSON_OBJECT))
		json_push(t->checks, json_dup(check));
	else if (json_get_string(m, "base"))
		json_set_number(t->base_times, json_get_string(m, "base"),
				json_get_number(m, "ms", 0));
	else if (json_get(m, "done"))
		t->compared = true;
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

void hear_candidate(struct trial *t, const struct json *m)
{
	const struct json *launches = json_get(m, "launches");

	if (json_get(m, "imported"))
		t->imported = true;
	if (json_is(json_get(m, "error"), JSON_OBJECT))
		set_error(&t->run, m);
	if (json_get_string(m, "timed") && json_len(t->times) < json_len(t->cases))
		json_set_number(t->times, json_get_string(m, "timed"), json_get_number(m, "ms", 0));
	if (json_get_string(m, "case") && json_is(json_get(m, "result"), JSON_OBJECT))
		json_push(t->results, json_dup(m));
	t->launched = json_get_int(m, "launched", t->launched);
	if (json_is(launches, JSON_ARRAY)) {
		json_free(t->launches);
		t->launches = launches_of(launches);
		t->run.end = TRIAL_DONE;
	}
}

/* Each launch for each target at most: a report costs the reading of a code object. */
static bool expects_report(const struct trial *t)
{
	return json_len(t->compiled) < json_len(t->launches) * t->judge->config.n_targets;
}

void hear_compiler(struct trial *t, const struct json *m)
{
	if (json_is(json_get(m, "error"), JSON_OBJECT))
		set_error(&t->compiler, m);
	if (json_is(json_get(m, "compiled"), JSON_OBJECT) && expects_report(t)) {
		struct json *entry = figures_entry(t, json_get(m, "compiled"));

		if (entry)
			json_push(t->compiled, entry);
	}
	if (json_get(m, "done")) {
		t->compiled_all = true;
		t->compiler.end = TRIAL_DONE;
	}
}
