#include "domain/task_keys.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ground/slip.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const char *const task_keys[] = {
	"geak", "id", "title", "prompt", "language", "entry", "signature", "reference",
	"cases", "tolerance", "tolerates", "allow", "seeds", "deterministic", "strides", "tags",
	"difficulty", "harness", "tests", "result", "seed_source", "source_suite",
};

static const char *const case_keys[] = {
	"name", "kind", "params", "tolerance", "values", "layout", "contents", "flops", "bytes",
};

static const char *const tolerance_keys[] = { "atol", "rtol", "equal_nan", "signed_zero" };

static int check_keys(const struct json *object, const char *of, const char *const *keys, size_t n,
		      struct err *e)
{
	for (const struct json *m = json_first(object); m; m = json_next(m)) {
		const char *meant = slip_of(json_key(m), keys, n);

		if (meant && !json_get(object, meant))
			return err_set(e, ERR_RECORD, "%s \"%s\" is nothing that geak knows; is it \"%s\"? "
				       "If not, name it otherwise", of, json_key(m), meant);
	}
	return 0;
}

static int check_tolerance_keys(const struct json *owner, struct err *e)
{
	return check_keys(json_get(owner, "tolerance"), "a tolerance's", tolerance_keys,
			  COUNT(tolerance_keys), e);
}

int task_keys_check(const struct json *task, struct err *e)
{
	if (check_keys(task, "the task's", task_keys, COUNT(task_keys), e)
	    || check_tolerance_keys(task, e))
		return ERR_RECORD;
	for (const struct json *c = json_first(json_get(task, "cases")); c; c = json_next(c)) {
		const char *name = json_get_string(c, "name");
		char of[160];

		snprintf(of, sizeof(of), "case \"%.128s\": its", name ? name : "");
		if (check_keys(c, of, case_keys, COUNT(case_keys), e) || check_tolerance_keys(c, e))
			return ERR_RECORD;
	}
	return 0;
}

static bool is_known(const char *key)
{
	for (size_t i = 0; i < COUNT(task_keys); i++)
		if (strcmp(task_keys[i], key) == 0)
			return true;
	return false;
}

struct json *task_in_order(const struct json *task)
{
	struct json *ordered = json_new_object();

	for (size_t i = 0; i < COUNT(task_keys); i++) {
		const struct json *value = json_get(task, task_keys[i]);

		if (value)
			json_add(ordered, task_keys[i], json_dup(value));
	}
	for (const struct json *m = json_first(task); m; m = json_next(m))
		if (!is_known(json_key(m)))
			json_add(ordered, json_key(m), json_dup(m));
	return ordered;
}
