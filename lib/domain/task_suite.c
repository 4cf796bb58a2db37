#include "domain/task_suite.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "domain/py_names.h"
#include "ground/mem.h"
#include "ground/paths.h"

enum { SEPARATOR = 146, DEFINED_MAX = 512 };

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int suite_find(const struct suite_places *places, const char *path, char **json, struct err *e)
{
	if (!is_folder(path)) {
		*json = mem_strdup(path);
		return 0;
	}
	for (size_t i = 0; places->files[i]; i++) {
		struct stat st;

		*json = mem_printf("%s/%s", path, places->files[i]);
		if (stat(*json, &st) == 0)
			return 0;
		free(*json);
	}
	*json = NULL;
	return err_set(e, ERR_USAGE, "the folder %s does not hold %s: there is no %s in it; name the "
		"JSON file itself", path, places->suite, places->files[0]);
}

struct json *suite_load(const char *path, struct err *e)
{
	struct json *all = NULL;
	struct buf text;

	buf_init(&text, JSON_MAX_BYTES);
	if (paths_read(path, JSON_MAX_BYTES, &text, e) == 0) {
		all = json_parse(text.data, text.len, e);
		if (!all)
			err_prefix(e, "%s", path);
	}
	buf_release(&text);
	if (all && !json_is(all, JSON_ARRAY)) {
		err_set(e, ERR_RECORD, "%s is not such a suite: it must hold a JSON array with an "
			"object for each task", path);
		json_free(all);
		all = NULL;
	}
	return all;
}

int suite_split(const char *text, char **kernel, char **tests, struct err *e)
{
	for (const char *line = text; *line; ) {
		size_t marks = strspn(line, "#"), blanks = strspn(line + marks, " \t\r");
		const char *end = line + marks + blanks;

		if (marks == SEPARATOR && (*end == '\n' || *end == '\0')) {
			*kernel = mem_strndup(text, (size_t)(line - text));
			*tests = mem_strdup(end);
			return 0;
		}
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return err_set(e, ERR_RECORD, "the kernel cannot be told from its tests: no line of %d '#' "
		"stands between them", SEPARATOR);
}

struct json *suite_task(const char *suite, const char *file)
{
	struct json *task = record_new(RECORD_TASK), *origin = json_new_object();
	struct json *tags = json_new_array();

	json_set_string(origin, "name", suite);
	json_set_string(origin, "file", file);
	json_push(tags, json_new_string(suite));
	json_set_string(task, "language", "triton");
	json_set(task, "cases", json_new_array());
	json_set(task, "tags", tags);
	json_set(task, "source_suite", origin);
	return task;
}

struct json *suite_tolerance(double x)
{
	struct json *tolerance = json_new_object();

	json_set_number(tolerance, "atol", x);
	json_set_number(tolerance, "rtol", x);
	json_set_bool(tolerance, "equal_nan", true);
	return tolerance;
}

void suite_add_broken(struct task_set *set, const struct record_origin *from, const char *id,
		      const struct err *why, const struct json *entry)
{
	unsigned long long number = from->line;
	struct err e = *why;

	if (id)
		err_prefix(&e, "entry %llu (%s) cannot be made a task", number, id);
	else
		err_prefix(&e, "entry %llu cannot be made a task", number);
	task_set_add_broken(set, from, id ? id : "", &e, entry);
}

char *suite_id(const char *file, struct err *e)
{
	size_t len = strlen(file);

	if (len > 3 && strcmp(file + len - 3, ".py") == 0)
		len -= 3;
	if (len == 0 || strchr(file, '/')) {
		err_set(e, ERR_RECORD, "the \"file\" must be the plain name of a Python file, not \"%s\"",
			file);
		return NULL;
	}
	return mem_strndup(file, len);
}

/* What a file defines at its top level. */
struct defined {
	struct py_name name;
	bool kernel;      /* decorated with something like @triton.jit */
	bool is_class;
	unsigned used;    /* occurrences outside its definition, in the kernel's file */
	bool called;      /* the tests name it */
	bool shadowed;    /* the tests define the name themselves */
};

struct file {
	struct defined names[DEFINED_MAX];
	size_t count;
};

static bool same(const struct py_name *a, const struct py_name *b)
{
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

static struct defined *find(struct file *f, const struct py_name *name)
{
	for (size_t i = 0; i < f->count; i++)
		if (same(&f->names[i].name, name))
			return &f->names[i];
	return NULL;
}

static bool holds(const struct py_name *name, const char *word)
{
	return memmem(name->text, name->len, word, strlen(word)) != NULL;
}

static void define(struct file *f, const struct py_name *name, bool kernel, bool is_class)
{
	if (f->count < DEFINED_MAX && !find(f, name))
		f->names[f->count++] = (struct defined){
			.name = *name, .kernel = kernel, .is_class = is_class,
		};
}

static void find_definitions(struct file *f, const char *text)
{
	struct py_names p;
	struct py_name n;
	bool kernel = false, decorating = false;

	py_names_init(&p, text);
	while (py_names_next(&p, &n)) {
		bool is_class = py_name_is(&n, "class"), top = n.first && n.column == 0;

		if (n.first)
			decorating = n.decorator;
		if (n.decorator && n.column == 1)
			decorating = true;
		if (decorating && holds(&n, "jit"))
			kernel = true;
		if (!top)
			continue;
		if (py_name_is(&n, "async") && !py_names_next(&p, &n))
			return;
		if (is_class || py_name_is(&n, "def")) {
			if (!py_names_next(&p, &n))
				return;
			define(f, &n, kernel, is_class);
		} else if (n.assigned) {
			define(f, &n, false, false);
		}
		kernel = false;
	}
}

static void count_uses(struct file *f, const char *text)
{
	struct py_names p;
	struct py_name n;
	struct defined *d;

	py_names_init(&p, text);
	while (py_names_next(&p, &n)) {
		d = n.attribute ? NULL : find(f, &n);
		if (d && d->name.text != n.text)
			d->used++;
	}
}

static void find_calls(struct file *f, const char *tests)
{
	struct py_names p;
	struct py_name n;
	struct defined *d;
	bool defining = false;

	py_names_init(&p, tests);
	while (py_names_next(&p, &n)) {
		d = n.attribute ? NULL : find(f, &n);
		if (d && (defining || (n.first && n.assigned)))
			d->shadowed = true;
		else if (d)
			d->called = true;
		defining = py_name_is(&n, "def") || py_name_is(&n, "class");
	}
}

/* The only one for which the question is answered with yes. */
static const struct defined *only(const struct file *f, bool (*question)(const struct defined *))
{
	const struct defined *found = NULL;

	for (size_t i = 0; i < f->count; i++) {
		if (!question(&f->names[i]))
			continue;
		if (found)
			return NULL;
		found = &f->names[i];
	}
	return found;
}

static bool is_called(const struct defined *d)
{
	return d->called && !d->shadowed;
}

static bool is_root(const struct defined *d)
{
	return !d->used && !d->kernel && !d->is_class;
}

static bool is_public_root(const struct defined *d)
{
	return is_root(d) && d->name.text[0] != '_';
}

char *suite_entry(const char *kernel, const char *tests)
{
	struct file *f = mem_zalloc(1, sizeof(*f));
	const struct defined *entry = NULL;
	char *name;

	find_definitions(f, kernel);
	count_uses(f, kernel);
	if (tests) {
		find_calls(f, tests);
		entry = only(f, is_called);
	}
	if (!entry)
		entry = only(f, is_public_root);
	if (!entry)
		entry = only(f, is_root);
	name = entry ? mem_strndup(entry->name.text, entry->name.len) : NULL;
	free(f);
	return name;
}

char *suite_result(const char *tests)
{
	struct py_names p;
	struct py_name n, left = { 0 }, result = { 0 };
	bool assigned = false;

	py_names_init(&p, tests);
	while (py_names_next(&p, &n)) {
		if (assigned && n.len > 5 && memcmp(n.text, "test_", 5) == 0)
			result = left;
		assigned = n.first && n.column == 0 && n.assigned;
		if (assigned)
			left = n;
	}
	return result.text ? mem_strndup(result.text, result.len) : NULL;
}
