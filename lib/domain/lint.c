#include "domain/lint.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "domain/fault.h"
#include "domain/hearing.h"
#include "domain/lint_faults.h"
#include "domain/part.h"
#include "domain/request.h"
#include "domain/task.h"
#include "domain/turn.h"

/* What the child has told so far. */
struct lint {
	const struct json *task;
	struct json *cases, *tried, *accepted, *tolerated, *weak, *skipped, *faults;
	struct json *error;
	bool done;
};

/* -- listening */

/* Whether the task says that its tolerance is meant to let this answer pass. */
static bool is_tolerated(const struct json *task, const char *answer)
{
	for (const struct json *m = json_first(json_get(task, "tolerates")); m; m = json_next(m))
		if (json_string(m) && strcmp(json_string(m), answer) == 0)
			return true;
	return false;
}

static void hear_skipped(struct lint *l, const char *answer, const char *why)
{
	struct json *entry = json_new_object();

	json_set_string(entry, "answer", answer);
	json_set_string(entry, "why", why ? why : "it could not be made");
	json_push(l->skipped, entry);
}

static void hear_weak(struct lint *l, const char *answer, const struct json *m)
{
	struct json *entry = json_new_object();

	json_set_string(entry, "answer", answer);
	json_set(entry, "cases", json_dup(json_get(m, "cases")));
	json_set_int(entry, "of", json_get_int(m, "of", 0));
	json_push(l->weak, entry);
}

static void hear_answer(struct lint *l, const char *answer, const struct json *m)
{
	const char *outcome = json_get_string(m, "outcome");

	if (!outcome || strcmp(outcome, "skipped") == 0) {
		hear_skipped(l, answer, json_get_string(m, "why"));
		return;
	}
	json_push(l->tried, json_new_string(answer));
	if (strcmp(outcome, "accepted") == 0)
		json_push(is_tolerated(l->task, answer) ? l->tolerated : l->accepted,
			  json_new_string(answer));
	else if (strcmp(outcome, "weak") == 0 && !is_tolerated(l->task, answer))
		hear_weak(l, answer, m);
}

static void hear(void *listener, const struct json *m)
{
	struct lint *l = listener;

	if (json_get_string(m, "answer"))
		hear_answer(l, json_get_string(m, "answer"), m);
	else if (json_get_string(m, "fault"))
		lint_add_fault(l->faults, json_get_string(m, "fault"));
	else if (json_is(json_get(m, "cases"), JSON_NUMBER) && !l->cases)
		l->cases = json_dup(json_get(m, "cases"));
	else if (json_get(m, "reference_error") && !l->error)
		l->error = hear_error(json_get(m, "reference_error"));
	else if (json_get(m, "done"))
		l->done = true;
}

static bool is_done(const void *what)
{
	const struct lint *l = what;

	return l->done || l->error;
}

/* -- the child */

/* What is only timed has no checker to be tried. */
static struct json *cases_to_check(const struct json *task)
{
	struct json *cases = json_new_array();

	for (const struct json *c = json_first(json_get(task, "cases")); c; c = json_next(c))
		if (strcmp(json_get_string(c, "kind"), "check") == 0)
			json_push(cases, json_dup(c));
	return cases;
}

static struct json *new_request(const struct judge *j, const struct device *d,
				const struct json *task)
{
	struct json *r = request_new(j, d, "lint", task);
	uint64_t seed = judge_seed(j);
	char text[24];

	json_copy(r, task, "reference");
	json_copy(r, task, "tolerance");
	json_copy(r, task, "deterministic");
	json_set(r, "cases", cases_to_check(task));
	snprintf(text, sizeof(text), "%llu", (unsigned long long)seed);
	json_set_string(r, "seed", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)(seed ^ 0x5DEECE66D));
	json_set_string(r, "other_seed", text);
	json_set_number(r, "seconds", j->config.timeout_s);
	return r;
}

/* A child that did not come to its end says nothing about why. */
static void explain_end(struct lint *l, const struct part *p, double seconds)
{
	char why[160], how[64];

	if (is_done(l))
		return;
	if (p->end == PART_DEADLINE && json_len(l->tried)) {
		lint_add_fault(l->faults, "unfinished");
	} else if (p->end == PART_DEADLINE) {
		snprintf(why, sizeof(why), "the reference has not ended within %g s", seconds);
		l->error = fault_new("Timeout", why);
	} else {
		part_describe_end(p, how, sizeof(how));
		snprintf(why, sizeof(why), "the reference's process %s", how);
		l->error = fault_new("crash", why);
	}
}

/* True when the child was lost through no fault of the task's. */
static bool run(struct judge *j, const struct device *d, struct lint *l, struct err *e)
{
	const int shared[BOX_SHARED] = { request_memory("inputs", false, e), -1, -1 };
	struct box_limits limits = request_limits(j, true);
	struct device_lock turn;
	struct part part;
	bool lost;

	if (shared[0] < 0)
		return true;
	part_init(&part, hear, l);
	lost = turn_take(&turn, d, false, e)
	       || part_start(&part, request_runner(j), &limits, shared,
			     new_request(j, d, l->task), e);
	if (!lost) {
		part_serve(&part, NULL, part_deadline(j->config.timeout_s), is_done, l);
		part_finish(&part);
		lost = !is_done(l) && part_says_nothing(&part);
		if (part.end == PART_NOT_BOXED)
			err_set(e, ERR_SOFTWARE, "%.*s", (int)strcspn(part.log.data, "\n"),
				part.log.data);
		explain_end(l, &part, j->config.timeout_s);
	}
	part_release(&part);
	turn_end(&turn);
	close(shared[0]);
	return lost;
}

/* -- the record */

static void start_over(struct lint *l, const struct json *task)
{
	*l = (struct lint){
		.task = task, .tried = json_new_array(), .accepted = json_new_array(),
		.tolerated = json_new_array(), .weak = json_new_array(),
		.skipped = json_new_array(), .faults = json_new_array(),
	};
	lint_read_task(task, l->faults);
}

static void release(struct lint *l)
{
	json_free(l->cases);
	json_free(l->tried);
	json_free(l->accepted);
	json_free(l->tolerated);
	json_free(l->weak);
	json_free(l->skipped);
	json_free(l->faults);
	json_free(l->error);
	*l = (struct lint){ 0 };
}

static bool can_be_tried(const struct json *task)
{
	enum task_harness h = task_harness(task);

	return (h != TASK_SCRIPT && h != TASK_PYTEST) || json_get_string(task, "tests");
}

static const char *status_of(const struct lint *l)
{
	if (!can_be_tried(l->task))
		return "unverified";
	if (l->error)
		return "reference_error";
	return json_len(l->accepted) ? "accepts" : "refuses";
}

/* The members become the object's; l is empty afterwards. */
static struct json *to_json(struct lint *l, const struct judge *j, double seconds)
{
	struct json *o = json_new_object();

	json_set_string(o, "status", status_of(l));
	if (l->error)
		json_set(o, "error", l->error);
	if (l->cases)
		json_set(o, "cases", l->cases);
	json_set(o, "tried", l->tried);
	json_set(o, "accepted", l->accepted);
	json_set(o, "tolerated", l->tolerated);
	json_set(o, "weak", l->weak);
	json_set(o, "skipped", l->skipped);
	json_set(o, "faults", l->faults);
	json_set_string(o, "device", j->device);
	json_set(o, "env", json_dup(j->env));
	json_set_number(o, "seconds", seconds);
	*l = (struct lint){ 0 };
	return o;
}

int lint_task(struct judge *j, struct json *task, struct err *e)
{
	struct err why = ERR_INIT;
	bool lost = false;
	struct lint l = { 0 };
	int64_t start;

	if (task_check(task, e) || judge_start(j, e))
		return e->code;
	start = child_clock_ns();
	for (int tries = 0; tries < 2 && (tries == 0 || lost); tries++) {
		struct device *d = device_take(j, e);

		release(&l);
		if (!d)
			return e->code;
		start_over(&l, task);
		if (tries)
			judge_revive(j);
		lost = can_be_tried(task) && run(j, d, &l, &why);
		if (lost || l.error) /* an error may have been the GPU's doing */
			lost = !device_works(j, d) || lost;
		device_give(j, d);
	}
	if (lost) {
		release(&l);
		return err_set(e, ERR_RECORD, "task %s: the process that was to try it was lost: %s",
			       json_get_string(task, "id"), why.code ? why.text : "it was killed");
	}
	json_set(task, "lint", to_json(&l, j, (double)(child_clock_ns() - start) / 1e9));
	return 0;
}
