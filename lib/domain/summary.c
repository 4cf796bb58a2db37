/* The figures of a run, drawn from what a tally remembers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/metric.h"
#include "domain/tally.h"
#include "domain/tally_data.h"
#include "ground/mem.h"
#include "records/record.h"

enum { PASS_AT_MAX = 1 << 20 };

/* What is known of a task from the candidates that were looked at. */
struct task_facts {
	size_t candidates, decided, called, passed;
	const struct candidate_facts *best; /* of the passing ones */
};

/* A sum over those that told, and how many these were. */
struct sum {
	double total;
	size_t known;
};

struct group {
	size_t candidates, judged, decided, called, passed, faster;
	size_t tasks, tasks_decided, tasks_called, tasks_passed;
	struct sum prompt, completion, cost, seconds;
};

/* -- counting */

static void sum_add(struct sum *s, double value)
{
	if (isnan(value))
		return;
	s->total += value;
	s->known++;
}

static void count_candidate(struct group *g, struct task_facts *task,
			    const struct candidate_facts *c)
{
	g->candidates++;
	g->judged += c->judged;
	g->decided += c->decided;
	g->called += c->called;
	g->passed += c->passed;
	g->faster += c->perf.verdict && strcmp(c->perf.verdict, "faster") == 0;
	sum_add(&g->prompt, c->prompt_tokens);
	sum_add(&g->completion, c->completion_tokens);
	sum_add(&g->cost, c->cost);
	sum_add(&g->seconds, c->seconds);
	task->candidates++;
	task->decided += c->decided;
	task->called += c->called;
	task->passed += c->passed;
	if (c->passed && (!task->best || rank_compare_keys(&c->rank, &task->best->rank) < 0))
		task->best = c;
}

static size_t value_of(const struct tally *t, const struct candidate_facts *c, enum dimension by)
{
	return by == BY_DIFFICULTY ? t->task_difficulty[c->task] : c->value[by];
}

/* Counts the candidates whose value in a dimension is the one given; all with DIMENSIONS. */
static struct group count(const struct tally *t, enum dimension by, size_t value,
			  struct task_facts *tasks)
{
	struct group g = { 0 };

	memset(tasks, 0, t->tasks.count * sizeof(*tasks));
	for (size_t i = 0; i < t->keys.count; i++) {
		const struct candidate_facts *c = &t->candidates[i];

		if (by == DIMENSIONS || value_of(t, c, by) == value)
			count_candidate(&g, &tasks[c->task], c);
	}
	for (size_t i = 0; i < t->tasks.count; i++) {
		bool asked = by == DIMENSIONS
			     || (by == BY_DIFFICULTY && t->task_difficulty[i] == value);

		if (!tasks[i].candidates && !asked)
			continue;
		g.tasks++;
		/* A task for which nobody delivered anything is decided: it is not solved. */
		g.tasks_decided += tasks[i].decided > 0 || tasks[i].candidates == 0;
		g.tasks_called += tasks[i].called > 0;
		g.tasks_passed += tasks[i].passed > 0;
	}
	return g;
}

/* -- writing */

static void set_count(struct json *o, const char *key, size_t value)
{
	json_set_int(o, key, (int64_t)value);
}

static void set_accuracy(struct json *o, size_t called, size_t passed, size_t decided)
{
	set_count(o, "decided", decided);
	set_count(o, "called", called);
	set_count(o, "passed", passed);
	json_set_number(o, "call_accuracy", metric_share(called, decided));
	json_set_number(o, "execution_accuracy", metric_share(passed, decided));
}

static void set_sum(struct json *o, const char *key, const struct sum *s)
{
	struct json *sum = json_new_object();

	json_set_number(sum, "sum", s->known ? s->total : NAN);
	set_count(sum, "known", s->known);
	json_set(o, key, sum);
}

/* What each of `count` took when all that was asked for is divided among them. Only where every
 * candidate told: else it would be too little. */
static void set_each(struct json *o, const char *key, const struct group *g, size_t count)
{
	bool tokens = g->prompt.known == g->candidates && g->completion.known == g->candidates;
	double used = tokens ? g->prompt.total + g->completion.total : NAN;
	double paid = g->cost.known == g->candidates ? g->cost.total : NAN;
	struct json *each = json_new_object();

	json_set_number(each, "tokens", count ? used / (double)count : NAN);
	json_set_number(each, "usd", count ? paid / (double)count : NAN);
	json_set(o, key, each);
}

static void set_group(struct json *o, const struct group *g)
{
	struct json *tasks = json_new_object();

	set_count(o, "candidates", g->candidates);
	set_count(o, "judged", g->judged);
	set_accuracy(o, g->called, g->passed, g->decided);
	set_count(tasks, "count", g->tasks);
	set_accuracy(tasks, g->tasks_called, g->tasks_passed, g->tasks_decided);
	json_set(o, "tasks", tasks);
	set_sum(o, "prompt_tokens", &g->prompt);
	set_sum(o, "completion_tokens", &g->completion);
	set_sum(o, "cost_usd", &g->cost);
	set_each(o, "per_pass", g, g->passed);
	set_each(o, "per_speedup", g, g->faster);
	set_sum(o, "eval_seconds", &g->seconds);
}

static struct json *errors_json(const struct tally *t)
{
	struct json *errors = json_new_object(), *by_tool = json_new_object();

	set_count(errors, "count", t->errors);
	for (size_t i = 0; i < t->error_tools.count; i++) {
		const char *tool = t->error_tools.list[i];

		set_count(by_tool, *tool ? tool : "unknown", t->errors_by_tool[i]);
	}
	json_set(errors, "by_tool", by_tool);
	return errors;
}

/* Every status of geak-record(5), also where its count is 0; then those of others. */
static struct json *statuses_json(const struct tally *t)
{
	static const char *const known[] = {
		"pass", "wrong_answer", "call_error", "compile_error", "timeout", "out_of_memory",
		"crash", "no_kernel", "cheat", "unverified", "reference_error",
		"sandbox_error",
	};
	struct json *o = json_new_object();

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		set_count(o, known[i], 0);
	for (size_t i = 0; i < t->keys.count; i++) {
		const char *status;

		if (!t->candidates[i].judged)
			continue;
		status = t->statuses.list[t->candidates[i].status];
		json_set_int(o, status, json_get_int(o, status, 0) + 1);
	}
	return o;
}

static struct json *pass_at(const struct task_facts *tasks, size_t n, size_t k)
{
	struct json *o = json_new_object();
	double sum = 0;
	size_t enough = 0;

	for (size_t i = 0; i < n; i++) {
		if (tasks[i].decided < k)
			continue;
		sum += metric_pass_at_k(tasks[i].decided, tasks[i].passed, k);
		enough++;
	}
	set_count(o, "k", k);
	json_set_number(o, "value", enough ? sum / (double)enough : NAN);
	set_count(o, "tasks", enough);
	return o;
}

static struct json *pass_at_json(const struct task_facts *tasks, size_t n, const size_t *ks,
				 size_t n_ks)
{
	struct json *list = json_new_array();
	size_t fewest = 0;

	for (size_t i = 0; i < n; i++)
		if (tasks[i].decided && (!fewest || tasks[i].decided < fewest))
			fewest = tasks[i].decided;
	for (size_t i = 0; i < n_ks; i++)
		json_push(list, pass_at(tasks, n, ks[i]));
	for (size_t k = 1; n_ks == 0 && k <= fewest && k <= PASS_AT_MAX; k *= 2)
		json_push(list, pass_at(tasks, n, k));
	return list;
}

/* How many have each verdict; left out where none has one. */
static void set_verdicts(struct json *o, const struct candidate_facts *const *timed, size_t n)
{
	struct json *verdicts = json_new_object();
	size_t told = 0;

	for (const char *const *v = tally_verdicts; *v; v++)
		set_count(verdicts, *v, 0);
	for (size_t i = 0; i < n; i++) {
		const char *verdict = timed[i]->perf.verdict;

		if (!verdict)
			continue;
		json_set_int(verdicts, verdict, json_get_int(verdicts, verdict, 0) + 1);
		told++;
	}
	if (told)
		json_set(o, "verdicts", verdicts);
	else
		json_free(verdicts);
}

static void set_roofline(struct json *o, const struct candidate_facts *const *timed, size_t n)
{
	double *values = mem_zalloc(n + 1, sizeof(*values));
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(timed[i]->perf.roofline))
			values[known++] = timed[i]->perf.roofline;
	if (known)
		json_set_number(o, "roofline", metric_geometric_mean(values, known));
	free(values);
}

/* Of n that were timed, among decided candidates or tasks; untimed ones passed as well. */
static struct json *speedup_stats(const struct candidate_facts *const *timed, size_t n,
				  size_t decided, size_t untimed)
{
	double *values = mem_zalloc(n + 1, sizeof(*values));
	struct json *o = json_new_object();
	size_t faster = 0;

	for (size_t i = 0; i < n; i++) {
		values[i] = timed[i]->perf.speedup;
		faster += values[i] > 1;
	}
	set_count(o, "count", n);
	json_set_number(o, "geometric_mean", metric_geometric_mean(values, n));
	json_set_number(o, "median", metric_median(values, n)); /* sorts them */
	json_set_number(o, "min", n ? values[0] : NAN);
	json_set_number(o, "max", n ? values[n - 1] : NAN);
	json_set_number(o, "fast_1", n ? metric_share(faster, decided - untimed) : NAN);
	set_verdicts(o, timed, n);
	set_roofline(o, timed, n);
	free(values);
	return o;
}

static struct json *speedups_json(const struct tally *t, const struct group *all,
				  const struct task_facts *tasks)
{
	const struct candidate_facts **timed = mem_zalloc(t->keys.count + 1, sizeof(*timed));
	struct json *o = json_new_object();
	size_t n = 0;

	for (size_t i = 0; i < t->keys.count; i++)
		if (!isnan(t->candidates[i].perf.speedup))
			timed[n++] = &t->candidates[i];
	json_set(o, "candidates", speedup_stats(timed, n, all->decided, all->passed - n));
	n = 0;
	for (size_t i = 0; i < t->tasks.count; i++)
		if (tasks[i].best && !isnan(tasks[i].best->perf.speedup))
			timed[n++] = tasks[i].best;
	json_set(o, "tasks", speedup_stats(timed, n, all->tasks_decided, all->tasks_passed - n));
	free(timed);
	return o;
}

/* A name that is a number stands as that number, one that is missing as null. */
static struct json *value_json(const char *name, bool is_number)
{
	return !*name ? json_new_null()
	       : is_number ? json_new_number(strtod(name, NULL)) : json_new_string(name);
}

static struct json *tasks_json(const struct tally *t, const struct task_facts *tasks)
{
	struct json *list = json_new_array();

	for (size_t i = 0; i < t->tasks.count; i++) {
		const char *difficulty = t->values[BY_DIFFICULTY].list[t->task_difficulty[i]];
		const struct candidate_facts *best = tasks[i].best;
		struct json *o = json_new_object();

		json_set_string(o, "task", t->tasks.list[i]);
		json_set(o, "difficulty", value_json(difficulty, true));
		set_count(o, "candidates", tasks[i].candidates);
		set_count(o, "decided", tasks[i].decided);
		set_count(o, "called", tasks[i].called);
		set_count(o, "passed", tasks[i].passed);
		json_set_string(o, "best", best ? best->rank.id : NULL);
		json_set_number(o, "speedup", best ? best->perf.speedup : NAN);
		json_push(list, o);
	}
	return list;
}

/* -- breakdowns */

static const struct {
	const char *key, *list;
	bool is_number;
} dimensions[DIMENSIONS] = {
	[BY_DIFFICULTY] = { "difficulty", "by_difficulty", true },
	[BY_MODEL] = { "model", "by_model", false },
	[BY_TOOL] = { "tool", "by_tool", false },
	[BY_ROUND] = { "round", "by_round", true },
};

struct value {
	const char *name;
	size_t number;
	bool is_number;
};

/* Numbers by size, other names as they came; those that are missing last. */
static int compare_values(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	if (!*x->name || !*y->name)
		return (*x->name == '\0') - (*y->name == '\0');
	if (x->is_number) {
		double p = strtod(x->name, NULL), q = strtod(y->name, NULL);

		if (p != q)
			return p < q ? -1 : 1;
	}
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Which of the values belong to a candidate that counts, or to a task. */
static size_t values_in_use(const struct tally *t, enum dimension d, struct value *values)
{
	size_t n = t->values[d].count, used = 0;
	bool *seen = mem_zalloc(n, sizeof(*seen));

	for (size_t i = 0; i < t->keys.count; i++)
		seen[value_of(t, &t->candidates[i], d)] = true;
	for (size_t i = 0; d == BY_DIFFICULTY && i < t->tasks.count; i++)
		seen[t->task_difficulty[i]] = true;
	for (size_t i = 0; i < n; i++)
		if (seen[i])
			values[used++] = (struct value){ t->values[d].list[i], i,
							 dimensions[d].is_number };
	free(seen);
	if (used)
		qsort(values, used, sizeof(*values), compare_values);
	return used;
}

static size_t mark_solved(const struct task_facts *tasks, size_t n, bool *solved)
{
	size_t all = 0;

	for (size_t i = 0; i < n; i++) {
		solved[i] |= tasks[i].passed > 0;
		all += solved[i];
	}
	return all;
}

/* Left out where there is only one value: it would repeat the total. */
static void set_breakdown(struct json *summary, const struct tally *t, enum dimension d,
			  struct task_facts *tasks)
{
	struct value *values = mem_zalloc(t->values[d].count, sizeof(*values));
	bool *solved = mem_zalloc(t->tasks.count, sizeof(*solved));
	size_t n = values_in_use(t, d, values);
	struct json *list = n > 1 ? json_new_array() : NULL;

	for (size_t i = 0; list && i < n; i++) {
		struct group g = count(t, d, values[i].number, tasks);
		struct json *o = json_new_object();

		json_set(o, dimensions[d].key, value_json(values[i].name, values[i].is_number));
		set_group(o, &g);
		if (d == BY_ROUND)
			set_count(o, "solved_so_far", mark_solved(tasks, t->tasks.count, solved));
		json_push(list, o);
	}
	if (list)
		json_set(summary, dimensions[d].list, list);
	free(solved);
	free(values);
}

struct json *tally_summary(const struct tally *t, const size_t *ks, size_t n_ks)
{
	struct task_facts *tasks = mem_zalloc(t->tasks.count, sizeof(*tasks));
	struct group all = count(t, DIMENSIONS, 0, tasks);
	struct json *summary = record_new(RECORD_SUMMARY);

	set_group(summary, &all);
	set_count(summary, "repeated", t->repeated);
	json_set(summary, "errors", errors_json(t));
	json_set(summary, "status", statuses_json(t));
	json_set(summary, "pass_at_k", pass_at_json(tasks, t->tasks.count, ks, n_ks));
	json_set(summary, "speedup", speedups_json(t, &all, tasks));
	json_set(summary, "per_task", tasks_json(t, tasks));
	for (int d = 0; d < DIMENSIONS; d++)
		set_breakdown(summary, t, (enum dimension)d, tasks);
	free(tasks);
	return summary;
}
