/*
 * KernelBench: a Python file for each problem, in a folder for each level. The
 * file is the reference: a class Model, get_inputs() and get_init_inputs().
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "domain/py_names.h"
#include "domain/shrink.h"
#include "domain/task_suite.h"
#include "ground/cli.h"
#include "ground/mem.h"

enum { SOURCE_MAX = 4 * 1024 * 1024, LEVELS = 9 };

/* What the suite asks of float32, both absolute and relative. */
static const double tolerance = 1e-4;

/* One file: level 1, "19_ReLU.py". */
struct problem {
	int level;
	const char *file;
	char *path;
	struct json *source;
};

/* "19" of "19_ReLU.py", and then where its name begins. */
static long number_of(const char *file, const char **name)
{
	char *end;
	long n = strtol(file, &end, 10);

	*name = end + strspn(end, "_");
	return n;
}

/* "Matmul with diagonal matrices" for "12_Matmul_with_diagonal_matrices_.py" */
static char *words_of(const char *file)
{
	const char *name;
	char *words;
	size_t len;

	number_of(file, &name);
	words = mem_strndup(name, strlen(name) - strlen(".py"));
	len = strlen(words);
	while (len > 0 && words[len - 1] == '_')
		words[--len] = '\0';
	for (char *c = words; *c; c++)
		if (*c == '_')
			*c = ' ';
	return words;
}

/* Is there a "class Model" or a "def get_inputs" at the top level? */
static bool defines(const char *text, const char *what, const char *name)
{
	struct py_names p;
	struct py_name n;
	bool defining = false;

	py_names_init(&p, text);
	while (py_names_next(&p, &n)) {
		if (defining && py_name_is(&n, name))
			return true;
		defining = n.first && n.column == 0 && py_name_is(&n, what);
	}
	return false;
}

static int read_problem(struct problem *p, struct err *e)
{
	static const struct {
		const char *what, *name;
	} needed[] = { { "class", "Model" }, { "def", "get_inputs" }, { "def", "get_init_inputs" } };

	p->source = task_set_text(p->path, SOURCE_MAX, e);
	if (!p->source)
		return ERR_RECORD;
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (!defines(json_string(p->source), needed[i].what, needed[i].name))
			return err_set(e, ERR_RECORD, "it does not define \"%s\", as a problem of "
				       "KernelBench does", needed[i].name);
	return 0;
}

/* -- the task */

static void add_case(struct json *task, const char *name, const char *kind, struct json *params)
{
	struct json *one = json_new_object();

	json_set_string(one, "name", name);
	json_set_string(one, "kind", kind);
	json_set(one, "params", params);
	json_push(json_get_mut(task, "cases"), one);
}

/* The suite's own sizes are for a GPU, unless they are all that there is. */
static void add_cases(struct json *task, const char *source)
{
	struct json *small = shrink_sizes(source);

	if (small)
		add_case(task, "small", "check", small);
	add_case(task, "full", small ? "time" : "check", json_new_object());
}

/* Where a problem is of many operators, what is not replaced is torch's. */
static void allow_part(struct json *task)
{
	struct json *allow = json_new_array();

	json_push(allow, json_new_string("part"));
	json_set(task, "allow", allow);
}

static char *prompt_of(const struct problem *p, const char *words)
{
	const char *name, *rest = "";
	long number = number_of(p->file, &name);

	if (p->level > 1) /* many operators, not one */
		rest = " Replace those operators that you can make faster, best several by one "
		       "kernel; the others may stay PyTorch's, whatever is said of that elsewhere.";
	return mem_printf("Write a module `ModelNew` that computes what the PyTorch module "
		"`Model` of the reference computes (KernelBench, level %d, problem %ld: %s), "
		"faster, by Triton kernels of its own.%s", p->level, number, words, rest);
}

static struct json *new_task(const struct problem *p)
{
	char *words = words_of(p->file), *file = mem_printf("level%d/%s", p->level, p->file);
	char *level = mem_printf("level%d", p->level), *prompt = prompt_of(p, words), *id, *title;
	struct json *task = suite_task("kernelbench", file);
	const char *name;

	id = mem_printf("%s_%.*s", level, (int)(strlen(p->file) - strlen(".py")), p->file);
	title = mem_printf("KernelBench %d/%ld: %s", p->level, number_of(p->file, &name), words);
	json_set_string(task, "id", id);
	json_set_string(task, "title", title);
	json_set_string(task, "prompt", prompt);
	json_set_string(task, "entry", "ModelNew");
	json_set(task, "reference", json_dup(p->source));
	json_set_string(task, "harness", "module");
	json_set(task, "tolerance", suite_tolerance(tolerance));
	json_set_bool(task, "deterministic", false); /* nobody asks for it there */
	json_set_int(task, "difficulty", p->level < 5 ? p->level : 5);
	json_push(json_get_mut(task, "tags"), json_new_string(level));
	add_cases(task, json_string(p->source));
	if (p->level > 1)
		allow_part(task);
	free(title);
	free(id);
	free(prompt);
	free(level);
	free(file);
	free(words);
	return task;
}

static void import_file(struct task_set *set, const char *folder, int level, const char *file)
{
	struct problem p = { level, file, mem_printf("%s/%s", folder, file), NULL };
	struct record_origin from = { cli_tool(), p.path, 1 };
	struct err why = ERR_INIT;
	struct json *task = NULL;
	struct line source = { .text = "" };

	if (read_problem(&p, &why) == 0)
		task = new_task(&p);
	if (p.source) {
		source.text = json_string(p.source);
		source.len = source.full_len = strlen(source.text);
	}
	if (!task || task_set_add(set, task, &why)) {
		err_prefix(&why, "it cannot be made a task");
		if (task)
			task_set_add_broken(set, &from, file, &why, task);
		else
			task_set_add_text(set, &from, file, &why, &source);
	}
	json_free(task);
	json_free(p.source);
	free(p.path);
}

/* -- the folders */

static int is_problem(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return d->d_name[0] >= '0' && d->d_name[0] <= '9' && dot && strcmp(dot, ".py") == 0;
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
	const char *x, *y;
	long m = number_of((*a)->d_name, &x), n = number_of((*b)->d_name, &y);

	return m < n ? -1 : m > n ? 1 : strcmp(x, y);
}

/* How many files there were; none where there is no such folder. */
static int import_level(struct task_set *set, const char *path, int level)
{
	char *folder = mem_printf("%s/level%d", path, level);
	struct dirent **list;
	int n = scandir(folder, &list, is_problem, by_number);

	for (int i = 0; i < n; i++) {
		import_file(set, folder, level, list[i]->d_name);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	free(folder);
	return n > 0 ? n : 0;
}

int task_set_import_kernelbench(struct task_set *set, const char *path, struct err *e)
{
	static const char *const places[] = { "KernelBench", "." };
	int n = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && n == 0; i++) {
		char *folder = strcmp(places[i], ".") == 0 ? mem_strdup(path)
			: mem_printf("%s/%s", path, places[i]);

		for (int level = 1; level <= LEVELS; level++)
			n += import_level(set, folder, level);
		free(folder);
	}
	return n ? 0 : err_set(e, ERR_USAGE, "the folder %s does not hold KernelBench: there are no "
		"problems in its KernelBench/level1 or level1", path);
}
