/*
 * AMD's ROCm suite: 31 kernels to complete. Each entry's label is the finished
 * file, kernel and pytest tests; the tests save what they computed in a
 * dictionary named result_gold.
 */
#include <stdlib.h>
#include <string.h>

#include "domain/task_suite.h"
#include "ground/cli.h"
#include "ground/mem.h"

static const char *const files[] = {
	"ROCm_eval_complex_instruct_v1.json",
	"data/ROCm_eval_complex_instruct_v1.json",
	"geak_eval/data/ROCm/data/ROCm_eval_complex_instruct_v1.json",
	NULL,
};

static const struct suite_places places = { "the ROCm suite", files };

/* "a, b" names two kernels. */
static struct json *kernels_of(const char *names)
{
	struct json *all = json_new_array();

	while (*names) {
		size_t len = strcspn(names, ", ");

		if (len)
			json_push(all, json_new_stringn(names, len));
		names += len;
		names += strspn(names, ", ");
	}
	return all;
}

static struct json *new_task(const struct json *entry, const char *id, const char *kernel,
			     const char *tests)
{
	struct json *task = suite_task("rocm", json_get_string(entry, "file"));
	struct json *kernels = kernels_of(json_get_string(entry, "target_kernel_name"));
	const char *first = json_string(json_at(kernels, 0));
	char *title = mem_printf("ROCm: %s", id);

	json_set_string(task, "id", id);
	json_set_string(task, "title", title);
	json_set_string(task, "prompt", json_get_string(entry, "instruction"));
	if (first)
		json_set_string(task, "entry", first);
	json_set_string(task, "reference", kernel);
	json_set(task, "tolerance", suite_tolerance(1e-2));
	json_set_string(task, "harness", "pytest");
	json_set_string(task, "tests", tests);
	json_set(json_get_mut(task, "source_suite"), "kernels", kernels);
	free(title);
	return task;
}

static int import(const struct json *entry, char **id, char **kernel, char **tests, struct err *e)
{
	static const char *const keys[] = { "file", "instruction", "label", "target_kernel_name" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!json_get_string(entry, keys[i]))
			return err_set(e, ERR_RECORD, "it has no \"%s\"", keys[i]);
	*id = suite_id(json_get_string(entry, "file"), e);
	if (!*id)
		return ERR_RECORD;
	return suite_split(json_get_string(entry, "label"), kernel, tests, e);
}

int task_set_import_rocm(struct task_set *set, const char *path, struct err *e)
{
	struct record_origin from = { cli_tool(), NULL, 0 };
	struct json *all;
	char *json;

	if (suite_find(&places, path, &json, e))
		return e->code;
	from.input = json;
	all = suite_load(json, e);
	for (const struct json *entry = json_first(all); entry; entry = json_next(entry)) {
		char *id = NULL, *kernel = NULL, *tests = NULL;
		struct err why = ERR_INIT;
		struct json *task = NULL;

		from.line++;
		if (import(entry, &id, &kernel, &tests, &why) == 0)
			task = new_task(entry, id, kernel, tests);
		if (!task || task_set_add(set, task, &why))
			suite_add_broken(set, &from, id, &why, entry);
		json_free(task);
		free(id);
		free(kernel);
		free(tests);
	}
	free(json);
	if (!all)
		return e->code;
	json_free(all);
	return 0;
}
