#include "domain/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/tally_data.h"
#include "ground/mem.h"
#include "records/record.h"

struct tally *tally_new(void)
{
	struct tally *t = mem_zalloc(1, sizeof(*t));

	names_init(&t->keys);
	names_init(&t->tasks);
	names_init(&t->statuses);
	names_init(&t->error_tools);
	names_init(&t->settings);
	for (int d = 0; d < DIMENSIONS; d++)
		names_init(&t->values[d]);
	return t;
}

void tally_free(struct tally *t)
{
	if (!t)
		return;
	names_release(&t->keys);
	names_release(&t->tasks);
	names_release(&t->statuses);
	names_release(&t->error_tools);
	names_release(&t->settings);
	for (int d = 0; d < DIMENSIONS; d++)
		names_release(&t->values[d]);
	free(t->errors_by_tool);
	free(t->task_difficulty);
	free(t->candidates);
	free(t);
}

static bool one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

/* A whole number as a name; "" when there is none. */
static size_t add_number(struct names *names, const struct json *object, const char *key)
{
	const char *text = json_number_text(json_get(object, key));

	return names_add(names, text ? text : "");
}

static size_t add_string(struct names *names, const struct json *object, const char *key)
{
	const char *text = json_get_string(object, key);

	return names_add(names, text ? text : "");
}

/* Room for count items of size bytes. */
static void *grow(void *items, size_t *cap, size_t count, size_t size)
{
	if (count <= *cap)
		return items;
	*cap = *cap ? 2 * *cap : 64;
	return mem_realloc(items, *cap * size);
}

static size_t add_task(struct tally *t, const struct json *task)
{
	size_t before = t->tasks.count, index = names_add(&t->tasks, json_get_string(task, "id"));
	size_t difficulty = add_number(&t->values[BY_DIFFICULTY], task, "difficulty");

	t->task_difficulty = grow(t->task_difficulty, &t->task_cap, t->tasks.count,
				  sizeof(*t->task_difficulty));
	/* A record that does not tell takes nothing away from one that did. */
	if (index == before || *t->values[BY_DIFFICULTY].list[difficulty])
		t->task_difficulty[index] = difficulty;
	return index;
}

const char *const tally_verdicts[] = { "faster", "same", "slower", NULL };

static double mean_roofline(const struct json *cases)
{
	double sum = 0;
	size_t n = 0;

	for (const struct json *c = json_first(cases); c; c = json_next(c)) {
		double share = json_get_number(c, "roofline", NAN);

		if (share > 0) {
			sum += log(share);
			n++;
		}
	}
	return n ? exp(sum / (double)n) : NAN;
}

/* Speedups are comparable where they were measured on one device, against one baseline. */
static size_t add_setting(struct tally *t, const struct json *perf)
{
	const char *device = json_get_string(perf, "device");
	const char *baseline = json_get_string(perf, "baseline");
	char *setting = mem_printf("%s\n%s", device ? device : "", baseline ? baseline : "");
	size_t index = names_add(&t->settings, setting);

	free(setting);
	return index;
}

/* Unknown where it cannot be: one such record spoils no sum or mean. */
static double at_least_0(const struct json *object, const char *key)
{
	double value = json_get_number(object, key, NAN);

	return value >= 0 ? value : NAN;
}

static double above_0(const struct json *object, const char *key)
{
	double value = json_get_number(object, key, NAN);

	return value > 0 ? value : NAN;
}

static void perf_facts(struct tally *t, struct candidate_facts *c, const struct json *perf)
{
	const char *verdict = json_get_string(perf, "verdict");

	c->perf.speedup = above_0(perf, "speedup");
	c->perf.lo = above_0(perf, "speedup_lo");
	c->perf.hi = above_0(perf, "speedup_hi");
	c->perf.floor = fmax(0, at_least_0(perf, "floor")); /* passes over a NAN */
	c->perf.roofline = mean_roofline(json_get(perf, "cases"));
	c->perf.setting = add_setting(t, perf);
	for (const char *const *v = tally_verdicts; verdict && *v; v++)
		if (strcmp(verdict, *v) == 0)
			c->perf.verdict = *v;
}

static void judge_facts(struct tally *t, struct candidate_facts *c, const struct json *eval)
{
	static const char *const no_verdict[] = { "reference_error", "sandbox_error",
						 "unverified", NULL };
	static const char *const entry_ran[] = { "pass", "wrong_answer", "no_kernel", NULL };
	const char *status = json_get_string(eval, "status");

	c->judged = status != NULL;
	if (!status)
		return;
	c->status = names_add(&t->statuses, status);
	c->decided = !one_of(status, no_verdict);
	c->called = one_of(status, entry_ran);
	c->passed = strcmp(status, "pass") == 0;
	if (c->passed)
		perf_facts(t, c, json_get(eval, "perf"));
}

/* Where a candidate stands, by its task and its id; NAMES_NONE for one that was judged before and
 * comes again unjudged. */
static size_t place_of(struct tally *t, size_t task, const char *id, bool judged)
{
	char *key = mem_printf("%zu %s", task, id);
	size_t index = names_find(&t->keys, key);

	t->repeated += index != NAMES_NONE;
	if (index == NAMES_NONE)
		index = names_add(&t->keys, key);
	else if (t->candidates[index].judged && !judged)
		index = NAMES_NONE;
	free(key);
	return index;
}

static int add_candidate(struct tally *t, const struct json *record, struct err *e)
{
	const struct json *task = record_task(record), *eval = json_get(record, "eval");
	const struct json *origin = json_get(record, "origin"), *usage = json_get(origin, "usage");
	const char *id = json_get_string(record, "id");
	struct candidate_facts c = { .perf = { .speedup = NAN } };
	size_t index;

	if (!id || !json_get_string(task, "id"))
		return err_set(e, ERR_RECORD, "the candidate cannot be counted: it has no %s",
			       id ? "task with an \"id\"" : "\"id\"");
	judge_facts(t, &c, eval);
	c.task = add_task(t, task);
	index = place_of(t, c.task, id, c.judged);
	if (index == NAMES_NONE)
		return 0;
	rank_of(record, &c.rank);
	c.rank.id = strchr(t->keys.list[index], ' ') + 1;
	c.value[BY_MODEL] = add_string(&t->values[BY_MODEL], origin, "model");
	c.value[BY_TOOL] = add_string(&t->values[BY_TOOL], origin, "tool");
	c.value[BY_ROUND] = add_number(&t->values[BY_ROUND], record, "round");
	c.prompt_tokens = at_least_0(usage, "prompt_tokens");
	c.completion_tokens = at_least_0(usage, "completion_tokens");
	c.cost = at_least_0(origin, "cost_usd");
	c.seconds = at_least_0(eval, "seconds");
	t->candidates = grow(t->candidates, &t->candidate_cap, t->keys.count,
			     sizeof(*t->candidates));
	t->candidates[index] = c;
	return 0;
}

static void add_error(struct tally *t, const struct json *error)
{
	const struct json *inside = json_get(error, "record");
	size_t tool = add_string(&t->error_tools, error, "tool");

	if (t->error_tools.count > t->error_tool_count) {
		t->errors_by_tool = grow(t->errors_by_tool, &t->error_tool_cap,
					 t->error_tools.count, sizeof(*t->errors_by_tool));
		t->errors_by_tool[t->error_tool_count++] = 0;
	}
	t->errors_by_tool[tool]++;
	t->errors++;
	/* What was asked for, or judged, before it became an error still counts. */
	if (record_kind_of(inside) == RECORD_CANDIDATE && json_get(inside, "id"))
		add_candidate(t, inside, NULL);
	if (json_get_string(record_task(inside), "id"))
		add_task(t, record_task(inside));
}

int tally_add(struct tally *t, const struct json *record, struct err *e)
{
	switch (record_kind_of(record)) {
	case RECORD_CANDIDATE:
		return add_candidate(t, record, e);
	case RECORD_ERROR:
		add_error(t, record);
		return 0;
	case RECORD_TASK:
		if (!json_get_string(record, "id"))
			return err_set(e, ERR_RECORD, "the task cannot be counted: it has no \"id\"");
		add_task(t, record);
		return 0;
	default:
		return 0;
	}
}
