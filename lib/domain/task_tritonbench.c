/*
 * TritonBench-G: 184 operators found on GitHub. Its JSON tells what to build and
 * how an expert built it; the tests lie in one Python file for each, below the
 * expert's kernel, and leave their results in a dictionary named result_gold.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "domain/task_suite.h"
#include "ground/cli.h"
#include "ground/mem.h"
#include "ground/paths.h"

enum { SOURCE_MAX = 4 * 1024 * 1024 };

static const char *const files[] = {
	"TritonBench_G_comp_alpac_v1_fixed_with_difficulty.json",
	"data/TritonBench_G_comp_alpac_v1_fixed_with_difficulty.json",
	"geak_eval/data/TritonBench/data/TritonBench_G_comp_alpac_v1_fixed_with_difficulty.json",
	"TritonBench_G_v1.json",
	"data/TritonBench_G_v1.json",
	NULL,
};

static const struct suite_places places = { "TritonBench", files };

/* Kernel and tests of one entry. tests stays NULL when they are not at hand. */
struct source {
	char *kernel, *tests;
};

static int read_source(const char *folder, const char *file, struct source *s, struct err *e)
{
	char *path = mem_printf("%s/%s", folder, file);
	struct buf text;
	int rc;

	buf_init(&text, SOURCE_MAX);
	rc = paths_read(path, SOURCE_MAX, &text, e);
	if (!rc) {
		rc = suite_split(text.data, &s->kernel, &s->tests, e);
		if (rc)
			err_prefix(e, "%s", path);
	}
	buf_release(&text);
	free(path);
	return rc;
}

static const char *either(const struct json *entry, const char *a, const char *b)
{
	const char *text = json_get_string(entry, a);

	return text ? text : json_get_string(entry, b);
}

/* "4" in the suite's files; a number would do. */
static int64_t difficulty_of(const struct json *entry)
{
	const char *text = json_get_string(entry, "difficulty");

	if (text)
		return strlen(text) == 1 && *text >= '1' && *text <= '5' ? *text - '0' : 0;
	return json_get_int(entry, "difficulty", 0);
}

static struct json *new_task(const struct json *entry, const char *id, const struct source *s)
{
	char *title = mem_printf("TritonBench: %s", id);
	char *name = suite_entry(s->kernel, s->tests);
	char *result = s->tests ? suite_result(s->tests) : NULL;
	int64_t difficulty = difficulty_of(entry);
	struct json *task = suite_task("tritonbench", json_get_string(entry, "file"));

	json_set_string(task, "id", id);
	json_set_string(task, "title", title);
	json_set_string(task, "prompt", either(entry, "instruction", "comp_instru"));
	json_set_string(task, "reference", s->kernel);
	json_set_string(task, "harness", "script");
	json_set(task, "tolerance", suite_tolerance(1e-3));
	if (name)
		json_set_string(task, "entry", name);
	if (s->tests)
		json_set_string(task, "tests", s->tests);
	if (result && strcmp(result, "result_gold") != 0)
		json_set_string(task, "result", result);
	if (difficulty >= 1 && difficulty <= 5)
		json_set_int(task, "difficulty", difficulty);
	free(result);
	free(name);
	free(title);
	return task;
}

static int import(const struct json *entry, const char *folder, struct source *s, char **id,
		  struct err *e)
{
	const char *file = json_get_string(entry, "file"), *expert = json_get_string(entry, "output");

	if (!file)
		return err_set(e, ERR_RECORD, "it has no \"file\"; the suite's %s tells the files",
			       "TritonBench_G_v1.json");
	*id = suite_id(file, e);
	if (!*id)
		return ERR_RECORD;
	if (!either(entry, "instruction", "comp_instru"))
		return err_set(e, ERR_RECORD, "it has no \"instruction\"");
	if (!expert)
		return err_set(e, ERR_RECORD, "it has no \"output\", the expert's kernel");
	if (folder)
		return read_source(folder, file, s, e);
	s->kernel = mem_strdup(expert);
	return 0;
}

/* The folder with the tests beside the JSON; NULL when there is none. */
static char *tests_beside(const char *json)
{
	const char *slash = strrchr(json, '/');
	char *folder = mem_printf("%.*sTritonBench_G_v1", slash ? (int)(slash + 1 - json) : 0, json);
	struct stat st;

	if (stat(folder, &st) == 0 && S_ISDIR(st.st_mode))
		return folder;
	free(folder);
	return NULL;
}

static void import_all(struct task_set *set, const char *json, const struct json *all,
		       const char *folder)
{
	struct record_origin from = { cli_tool(), json, 0 };

	for (const struct json *entry = json_first(all); entry; entry = json_next(entry)) {
		struct source s = { 0 };
		struct err why = ERR_INIT;
		struct json *task = NULL;
		char *id = NULL;

		from.line++;
		if (import(entry, folder, &s, &id, &why) == 0)
			task = new_task(entry, id, &s);
		if (!task || task_set_add(set, task, &why))
			suite_add_broken(set, &from, id, &why, entry);
		json_free(task);
		free(id);
		free(s.kernel);
		free(s.tests);
	}
}

int task_set_import_tritonbench(struct task_set *set, const char *path, const char *tests,
				struct err *e)
{
	char *json, *folder;
	struct json *all;

	if (suite_find(&places, path, &json, e))
		return e->code;
	folder = tests ? mem_strdup(tests) : tests_beside(json);
	all = suite_load(json, e);
	if (all)
		import_all(set, json, all, folder);
	free(folder);
	free(json);
	if (!all)
		return e->code;
	json_free(all);
	return 0;
}
