#include "domain/eval_record.h"

#include <string.h>

#include "domain/effort.h"
#include "domain/fault.h"
#include "domain/perf.h"
#include "domain/verdict.h"

static struct json *grid_of(const struct json *launch)
{
	const struct json *grid = json_get(launch, "grid");
	struct json *sizes = json_new_array();

	for (size_t i = 0; i < 3 && json_at(grid, i); i++)
		json_push(sizes, json_new_int(json_int(json_at(grid, i), 0)));
	return sizes;
}

static struct json *launches_of(const struct trial *t)
{
	struct json *all = json_new_array();
	const struct json *m;

	for (m = json_first(t->launches); m; m = json_next(m)) {
		struct json *one = json_new_object();

		json_set_string(one, "kernel", json_get_string(m, "kernel"));
		json_set(one, "grid", grid_of(m));
		json_set_int(one, "count", json_get_int(m, "count", 0));
		json_push(all, one);
	}
	return all;
}

/* One that was killed has not told what held it. */
static struct json *sandbox_of(const struct trial *t)
{
	return t->run.reported ? box_facts_json(&t->run.how.facts) : json_dup(t->judge->box);
}

static struct json *new_eval(const struct judge *j, const char *status, const char *stage,
			     const char *key)
{
	struct json *eval = json_new_object();

	json_set_string(eval, "status", status);
	json_set_string(eval, "stage", stage);
	json_set_string(eval, "key", key);
	json_set_string(eval, "target", j->config.targets[0]);
	json_set_string(eval, "device", j->device);
	return eval;
}

static void set_times(struct json *eval, const struct timing *timing, const struct trial *t)
{
	struct json *perf = perf_record(timing, t), *untimed = perf ? NULL : perf_untimed(timing);

	if (perf)
		json_set(eval, "perf", perf);
	else if (untimed)
		json_set(eval, "untimed", untimed);
}

struct json *eval_record(const struct trial *t, const struct timing *timing, const char *key,
			 double seconds)
{
	struct verdict v = verdict_of(t, timing);
	struct json *eval = new_eval(t->judge, v.status, v.stage, key), *work;
	struct json *gpu = device_record(t->device);

	if (gpu)
		json_set(eval, "gpu", gpu);
	if (t->oracle)
		json_set_string(eval, "seed", t->oracle->seed);
	if (v.error)
		json_set(eval, "error", v.error);
	json_set(eval, "compile", json_dup(t->compiled));
	json_set(eval, "checks", t->oracle ? json_dup(t->oracle->checks) : json_new_array());
	json_set(eval, "launches", launches_of(t));
	if (t->oracle && t->oracle->own_share >= 0)
		json_set_number(eval, "own_share", t->oracle->own_share);
	if ((work = effort_record(t->results)))
		json_set(eval, "work", work);
	if (strcmp(v.status, "pass") == 0)
		set_times(eval, timing, t);
	if (v.log->len)
		json_set(eval, "log", json_new_stringn(v.log->data, v.log->len));
	json_set(eval, "sandbox", sandbox_of(t));
	json_set(eval, "env", json_dup(t->judge->env));
	json_set_number(eval, "seconds", (double)(long)(seconds * 1e3 + 0.5) / 1e3);
	return eval;
}

struct json *eval_record_no_code(const struct judge *j, const char *key)
{
	struct json *eval = new_eval(j, "compile_error", "compile", key);

	json_set(eval, "error", fault_new("no_code", "the reply held no code"));
	json_set_number(eval, "seconds", 0);
	return eval;
}
