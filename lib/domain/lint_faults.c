#include "domain/lint_faults.h"

#include <stdbool.h>
#include <string.h>

#include "domain/task.h"

static const struct {
	const char *kind, *sentence;
} all[] = {
	/* told by the child, which has run the reference */
	{ "fixed", "the result is the same whatever the seed: it can be learned by heart" },
	{ "constant", "every number of the result is the same" },
	{ "empty", "the result holds no number" },
	{ "unstable", "two runs of the reference differ in part, which is then not compared" },
	{ "unfinished", "there was no time to try every answer" },
	/* read off the task */
	{ "no_tests", "it has no tests at hand" },
	{ "no_time_case", "no case has the kind \"time\": nothing is timed" },
	{ "no_amounts", "a case for timing has neither flops nor bytes" },
	{ "prompt", "the prompt does not name the entry" },
	{ "unknown_key", "a case or tolerance has a key that geak does not know" },
};

const char *lint_sentence(const char *kind)
{
	for (size_t i = 0; kind && i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(all[i].kind, kind) == 0)
			return all[i].sentence;
	return NULL;
}

void lint_add_fault(struct json *faults, const char *kind)
{
	const char *sentence = lint_sentence(kind);
	struct json *fault;

	if (!sentence)
		return;
	fault = json_new_object();
	json_set_string(fault, "kind", kind);
	json_set_string(fault, "message", sentence);
	json_push(faults, fault);
}

static bool has_other(const struct json *object, const char *const *known)
{
	for (const struct json *m = json_first(object); m; m = json_next(m)) {
		const char *const *k = known;

		while (*k && strcmp(*k, json_key(m)) != 0)
			k++;
		if (!*k)
			return true;
	}
	return false;
}

/* Elsewhere a task may have keys of its author's; here one more is a wish that nobody hears. */
static void read_keys(const struct json *task, struct json *faults)
{
	static const char *const of_case[] = { "name", "kind", "params", "flops", "bytes",
					       "tolerance", "values", "layout", "contents", NULL };
	static const char *const of_tolerance[] = { "atol", "rtol", "equal_nan", "signed_zero", NULL };
	bool found = has_other(json_get(task, "tolerance"), of_tolerance);

	for (const struct json *c = json_first(json_get(task, "cases")); c; c = json_next(c))
		found |= has_other(c, of_case) || has_other(json_get(c, "tolerance"), of_tolerance);
	if (found)
		lint_add_fault(faults, "unknown_key");
}

static void read_cases(const struct json *task, struct json *faults)
{
	bool timed = false, bare = false;

	for (const struct json *c = json_first(json_get(task, "cases")); c; c = json_next(c)) {
		if (!task_case_is_timed(c))
			continue;
		timed = true;
		if (json_get_int(c, "flops", 0) == 0 && json_get_int(c, "bytes", 0) == 0)
			bare = true;
	}
	if (!timed)
		lint_add_fault(faults, "no_time_case");
	if (bare)
		lint_add_fault(faults, "no_amounts");
}

void lint_read_task(const struct json *task, struct json *faults)
{
	enum task_harness harness = task_harness(task);
	const char *entry = json_get_string(task, "entry");

	if (harness == TASK_SCRIPT || harness == TASK_PYTEST) {
		if (!json_get_string(task, "tests"))
			lint_add_fault(faults, "no_tests");
	} else {
		read_cases(task, faults);
	}
	if (entry && !strstr(json_get_string(task, "prompt"), entry))
		lint_add_fault(faults, "prompt");
	read_keys(task, faults);
}
