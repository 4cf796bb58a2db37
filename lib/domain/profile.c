#include "domain/profile.h"

#include <math.h>
#include <string.h>

#include "domain/hearing.h"
#include "domain/inputs.h"
#include "domain/request.h"
#include "domain/task.h"
#include "domain/timing.h"
#include "domain/turn.h"
#include "ground/fd.h"
#include "ground/text.h"
#include "outside/box.h"

enum {
	KERNELS_MAX = 8,
	VERSION_MAX = 32,
	WHY_MAX = 400,
	RUNS = 5,   /* of the whole program, that a profiler may need for all counters */
};

/* What counters are called, and how large they can be. Percentages a little above 100 are the
 * profiler's: it reads its counters one after the other. */
static const double percent_max = 110;

static const struct figure {
	const char *name;
	double max;
} figures[] = {
	{ "ms", 1e7 },
	{ "dram_read_bytes", 1e18 },
	{ "dram_write_bytes", 1e18 },
	{ "occupancy_percent", 100 },
	{ "active_lanes_percent", 100 },
	{ "matrix_percent", 100 },
	{ "l1_hit_percent", 100 },
	{ "l2_hit_percent", 100 },
	{ "shared_conflict_percent", 100 },
	{ "wait_percent", 100 },
	{ "issue_wait_percent", 100 },
	{ "shared_wait_percent", 100 },
};

struct session {
	struct trial *trial;
	struct part part;
	int inputs;             /* shared memory */
	struct json *said;      /* {"profile":…} or {"unavailable":…}; NULL before */
	struct err failure;     /* our own, when code is set */
};

static const char *tool_of(const struct trial *t)
{
	return strncmp(t->judge->config.targets[0], "gfx", 3) == 0 ? "rocprofv3" : "ncu";
}

/* -- what it is asked */

static double size_of(const struct json *task, const struct json *call)
{
	const char *name = json_get_string(call, "name");
	const struct json *facts = task_case(task, name), *span = json_get(call, "span");

	return json_get_number(facts, "bytes", 0) + json_get_number(facts, "flops", 0)
	       + json_number(json_at(span, 1), 0) - json_number(json_at(span, 0), 0);
}

/* The largest case to be timed, a number among the oracle's; -1 when there is none. */
static int64_t largest(const struct trial *t)
{
	const struct json *m = t->oracle ? json_first(t->oracle->cases) : NULL;
	double size = -1;
	int64_t found = -1;

	for (int64_t number = 0; m; m = json_next(m), number++) {
		double its = size_of(t->task, m);

		if (task_case_is_timed(m) && its > size) {
			size = its;
			found = number;
		}
	}
	return found;
}

static struct json *kernel_names(const struct trial *t)
{
	struct json *names = json_new_array();

	for (const struct json *m = json_first(t->launches); m; m = json_next(m)) {
		const char *name = json_get_string(m, "kernel");
		const struct json *known = json_first(names);

		while (known && strcmp(json_string(known), name) != 0)
			known = json_next(known);
		if (!known)
			json_push(names, json_new_string(name));
	}
	return names;
}

static struct json *new_request(const struct trial *t, int64_t number)
{
	struct json *r = request_new(t->judge, t->device, "profiler", t->task);

	json_copy(r, t->candidate, "source");
	json_set_int(r, "number", number);
	json_set(r, "case", json_dup(json_at(t->oracle->cases, (size_t)number)));
	json_set(r, "kernels", kernel_names(t));
	return r;
}

/* -- what it says */

static void hear(void *listener, const struct json *m)
{
	struct session *s = listener;

	if (json_get(m, "next"))
		inputs_hand_out(s->trial->oracle, json_get_int(m, "next", -1), s->inputs,
				&s->part.child, &s->failure);
	else if (!s->said && (json_get(m, "profile") || json_get_string(m, "unavailable")))
		s->said = json_dup(m);
}

static bool has_failed(const void *what)
{
	return ((const struct session *)what)->failure.code;
}

static bool is_launched(const struct trial *t, const char *kernel)
{
	const struct json *m = json_first(t->launches);

	while (m && (!kernel || strcmp(json_get_string(m, "kernel"), kernel) != 0))
		m = json_next(m);
	return m;
}

/* NULL when there is nothing in it. */
static struct json *kernel_record(const struct trial *t, const struct json *said)
{
	const char *name = json_get_string(said, "kernel");
	struct json *one;
	double bytes, ms;
	size_t n = 0;

	if (!is_launched(t, name))
		return NULL;
	one = json_new_object();
	json_set_string(one, "kernel", name);
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		double x = json_get_number(said, figures[i].name, NAN), max = figures[i].max;

		if (!(x >= 0 && x <= (max == 100 ? percent_max : max)))
			continue;
		json_set_figure(one, figures[i].name, fmin(x, max));
		n++;
	}
	ms = json_get_number(one, "ms", 0);
	bytes = json_get_number(one, "dram_read_bytes", NAN)
		+ json_get_number(one, "dram_write_bytes", NAN);
	if (ms > 0)
		json_set_figure(one, "dram_gbps", bytes / ms * 1e-6); /* nothing, where it is NAN */
	if (n == 0) {
		json_free(one);
		return NULL;
	}
	return one;
}

static struct json *kernel_records(const struct trial *t, const struct json *said)
{
	struct json *all = json_new_array();
	size_t n = 0;

	for (const struct json *m = json_first(said); m && n < KERNELS_MAX; m = json_next(m)) {
		struct json *one = kernel_record(t, m);

		if (one) {
			json_push(all, one);
			n++;
		}
	}
	return all;
}

static void set_clipped(struct json *to, const char *key, const char *text, size_t max)
{
	struct buf masked;

	buf_init(&masked, 4 * WHY_MAX);
	text_add_masked(&masked, text, strnlen(text, max), 0);
	json_set_string(to, key, masked.data);
	buf_release(&masked);
}

/* With what the box had to say, which may be the reason. */
static void set_unavailable(struct json *record, const char *why, const struct buf *log)
{
	const char *box = log->data ? strstr(log->data, BOX_SAYS) : NULL;
	struct buf text;

	buf_init(&text, 4 * WHY_MAX);
	buf_adds(&text, why);
	if (box) {
		box += strlen(BOX_SAYS);
		buf_addf(&text, "; %.*s", (int)strcspn(box, "\n"), box);
	}
	set_clipped(record, "unavailable", text.data, WHY_MAX);
	buf_release(&text);
}

static void set_outcome(struct json *record, const struct session *s)
{
	const struct json *profile = json_get(s->said, "profile");
	const char *why = json_get_string(s->said, "unavailable");
	const char *version = json_get_string(profile, "version");
	struct json *kernels;

	if (s->failure.code)
		why = s->failure.text;
	else if (!s->said)
		why = s->part.end == PART_DEADLINE ? "the time for it was up"
						   : "the process that ran it ended early";
	if (why) {
		set_unavailable(record, why, &s->part.log);
		return;
	}
	kernels = kernel_records(s->trial, json_get(profile, "kernels"));
	if (!json_len(kernels)) {
		json_free(kernels);
		json_set_string(record, "unavailable", "what it counted makes no sense");
		return;
	}
	set_clipped(record, "version", version ? version : "unknown", VERSION_MAX);
	json_set(record, "kernels", kernels);
}

/* -- */

static void run(struct session *s, int64_t number)
{
	struct trial *t = s->trial;
	struct box_limits limits = request_limits(t->judge, false);
	struct device_lock turn;

	limits.cpu_seconds = 0; /* torch is imported once more for each run */
	limits.counters = true;
	s->inputs = request_memory("inputs", false, &s->failure);
	if (s->inputs < 0 || turn_take(&turn, t->device, true, &s->failure))
		return;
	part_init(&s->part, hear, s);
	if (part_start(&s->part, request_runner(t->judge), &limits,
		       (const int[BOX_SHARED]){ s->inputs, -1, -1 }, new_request(t, number),
		       &s->failure) == 0)
		part_serve(&s->part, NULL, part_deadline(RUNS * t->judge->config.timeout_s),
			   has_failed, s);
	part_finish(&s->part);
	turn_end(&turn);
}

/* Why there is nothing to be run, or NULL. */
static const char *why_not(const struct trial *t, int64_t number)
{
	if (!t->judge->profiles)
		return "the kernels ran in Triton's interpreter, where there are no counters";
	if (request_is_suite(t->task) || number < 0)
		return "the task has no case that is timed";
	return NULL;
}

struct json *profile_record(struct trial *t)
{
	struct session s = { .trial = t, .inputs = -1 };
	struct json *record = json_new_object();
	int64_t number = largest(t);
	const char *why = why_not(t, number);

	json_set_string(record, "tool", tool_of(t));
	if (why) {
		json_set_string(record, "unavailable", why);
		return record;
	}
	json_set_string(record, "case",
			json_get_string(json_at(t->oracle->cases, (size_t)number), "name"));
	run(&s, number);
	set_outcome(record, &s);
	if (s.part.reported)
		json_set(record, "sandbox", box_facts_json(&s.part.how.facts));
	part_release(&s.part);
	json_free(s.said);
	fd_close(&s.inputs);
	return record;
}
