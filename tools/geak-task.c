/* geak-task: what to build, as task/1 records. */
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <uniwidth.h>

#include "domain/task_set.h"
#include "ground/cli.h"
#include "ground/mem.h"
#include "ground/outq.h"
#include "ground/paths.h"
#include "ground/text.h"

enum {
	KEY_TESTS = 256,
	WIDTH = 80,    /* of --list, and of two of its columns at most: */
	ID_MAX = 40,
	TAGS_MAX = 26,
};

static struct {
	bool list;
	const char *directory, *import, *tests;
	char **names; /* NULL-terminated */
} opts;

static const struct argp_option options[] = {
	{ "list", 'l', NULL, 0, "List the tasks instead of emitting them", 0 },
	{ "directory", 'd', "DIR", 0, "Take tasks from DIR: a task's folder or a folder of such", 0 },
	{ "import", 'i', "SUITE", 0,
	  "Take tasks from PATH, a file or checkout of SUITE: tritonbench, rocm or kernelbench", 0 },
	{ "tests", KEY_TESTS, "DIR", 0, "With tritonbench: where its files with the tests lie", 0 },
	{ 0 },
};

static bool is_suite(const char *name)
{
	static const char *const names[] = { "tritonbench", "rocm", "kernelbench" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void check_options(struct argp_state *state)
{
	if (opts.import && !is_suite(opts.import))
		argp_error(state, "--import knows the suites tritonbench, rocm and kernelbench, not '%s'",
			   opts.import);
	if (opts.import && opts.directory)
		argp_error(state, "--import and --directory exclude each other");
	if (opts.import && !opts.names[0])
		argp_error(state, "--import needs the PATH of the suite");
	if (opts.tests && (!opts.import || strcmp(opts.import, "tritonbench") != 0))
		argp_error(state, "--tests goes with --import tritonbench only");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static char *none[] = { NULL };

	switch (key) {
	case 'l':
		opts.list = true;
		return 0;
	case 'd':
		opts.directory = arg;
		return 0;
	case 'i':
		opts.import = arg;
		return 0;
	case KEY_TESTS:
		opts.tests = arg;
		return 0;
	case ARGP_KEY_INIT:
		opts.names = none;
		return 0;
	case ARGP_KEY_ARGS:
		opts.names = state->argv + state->next;
		return 0;
	case ARGP_KEY_END:
		check_options(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &cli_argp, 0, NULL, 0 }, { 0 } };

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[NAME...]\n--import SUITE PATH [NAME...]",
	.doc = "Emit tasks, one record a line: what to build and how to judge it.\v"
	       "Without a NAME, all tasks. A NAME with a slash is a folder of your own, as with -d.",
	.children = children,
};

/* What was asked for, in that order. What the entries point to belongs to the sets. */
struct selection {
	struct task_entry *entries;
	size_t count;
	struct task_set base; /* tasks to choose from by name */
	struct task_set *own; /* a set for each folder named on its own */
	size_t owned;
};

static void choose(struct selection *s, const struct task_entry *entry)
{
	s->entries = mem_realloc(s->entries, (s->count + 1) * sizeof(*s->entries));
	s->entries[s->count++] = *entry;
}

static int read_base(struct task_set *set, const char *path, struct err *e)
{
	char *data;
	int rc;

	if (opts.import && strcmp(opts.import, "rocm") == 0)
		return task_set_import_rocm(set, path, e);
	if (opts.import && strcmp(opts.import, "kernelbench") == 0)
		return task_set_import_kernelbench(set, path, e);
	if (opts.import)
		return task_set_import_tritonbench(set, path, opts.tests, e);
	if (opts.directory)
		return task_set_read(set, opts.directory, e);
	data = paths_data("tasks", e);
	if (!data)
		return e->code;
	rc = task_set_read(set, data, e);
	free(data);
	return rc;
}

static bool is_folder_name(const char *name)
{
	return !opts.import && strchr(name, '/');
}

static bool is_folder(const char *name)
{
	struct stat st;

	return !opts.import && stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

static int choose_name(struct selection *s, const char *name, struct err *e)
{
	const struct task_entry *entry;
	struct task_set *own;

	if (!is_folder_name(name)) {
		entry = task_set_find(&s->base, name);
		if (!entry)
			return err_set(e, ERR_USAGE, "there is no task named \"%s\"; "
				"--list shows those that there are%s%s", name,
				is_folder(name) ? "; the folder is named ./" : "",
				is_folder(name) ? name : "");
		choose(s, entry);
		return 0;
	}
	s->own = mem_realloc(s->own, (s->owned + 1) * sizeof(*s->own));
	own = &s->own[s->owned++];
	task_set_init(own);
	if (task_set_read(own, name, e))
		return e->code;
	for (size_t i = 0; i < own->count; i++)
		choose(s, &own->entries[i]);
	return 0;
}

/* Nothing is emitted before every name is known to be right: models cost money. */
static int select_tasks(struct selection *s, struct err *e)
{
	char **names = opts.names;
	const char *path = opts.import ? *names++ : NULL;
	bool by_name = !*names;

	for (char **n = names; *n; n++)
		by_name = by_name || !is_folder_name(*n);
	if (by_name && read_base(&s->base, path, e))
		return e->code;
	for (size_t i = 0; !*names && i < s->base.count; i++)
		choose(s, &s->base.entries[i]);
	for (; *names; names++)
		if (choose_name(s, *names, e))
			return e->code;
	return 0;
}

static void complain(const struct json *error)
{
	text_complain(cli_tool(), "%s: %s", json_get_string(error, "input"),
		      json_get_string(error, "reason"));
}

static void put(struct outq *out, const struct json *record)
{
	uint64_t ticket = outq_open(out);
	struct buf line;

	buf_init(&line, SIZE_MAX / 2);
	json_print(record, &line);
	outq_put(out, ticket, line.data, line.len);
	outq_close(out, ticket);
	buf_release(&line);
}

static int emit(const struct selection *s, struct err *e)
{
	struct outq *out = outq_new(stdout, 1, true);
	int rc = 0;

	for (size_t i = 0; i < s->count && !rc; i++) {
		const struct task_entry *t = &s->entries[i];

		if (t->error)
			complain(t->error);
		put(out, t->error ? t->error : t->task);
		rc = outq_check(out, e);
	}
	outq_free(out);
	return rc;
}

/* Columns that text takes on a terminal. */
static int width(const char *text)
{
	return u8_strwidth((const uint8_t *)text, "UTF-8");
}

/* Appends text, cut to at most columns and, with fill, padded to them. */
static void add_column(struct buf *line, const char *text, int columns, bool fill)
{
	struct buf masked;

	buf_init(&masked, SIZE_MAX / 2);
	text_add_masked(&masked, text, strlen(text), 0);
	while (masked.len && width(masked.data) > columns) {
		do
			buf_truncate(&masked, masked.len - 1);
		while (masked.len && ((unsigned char)masked.data[masked.len] & 0xC0) == 0x80);
	}
	buf_adds(line, masked.data);
	for (int i = width(masked.data); fill && i < columns; i++)
		buf_addc(line, ' ');
	buf_release(&masked);
}

static void join_tags(const struct json *task, struct buf *out)
{
	for (const struct json *t = json_first(json_get(task, "tags")); t; t = json_next(t)) {
		if (out->len)
			buf_addc(out, ',');
		buf_adds(out, json_string(t));
	}
}

/* Widths of the first and the third column. */
struct columns {
	int id, tags;
};

static void list_task(const struct json *task, const struct columns *columns)
{
	const char *title = json_get_string(task, "title");
	int64_t difficulty = json_get_int(task, "difficulty", 0);
	struct buf line, tags;

	buf_init(&line, SIZE_MAX / 2);
	buf_init(&tags, SIZE_MAX / 2);
	join_tags(task, &tags);
	add_column(&line, json_get_string(task, "id"), columns->id, true);
	buf_adds(&line, "  ");
	buf_addc(&line, difficulty ? (char)('0' + difficulty) : '-');
	buf_adds(&line, "  ");
	add_column(&line, tags.data, columns->tags, true);
	buf_adds(&line, "  ");
	add_column(&line, title ? title : "", WIDTH - width(line.data), false);
	puts(line.data);
	buf_release(&tags);
	buf_release(&line);
}

static void widen(int *column, const char *text, int max)
{
	int w = width(text);

	if (w > *column)
		*column = w < max ? w : max;
}

static void list(const struct selection *s)
{
	struct columns columns = { 0, 0 };
	struct buf tags;

	buf_init(&tags, SIZE_MAX / 2);
	for (size_t i = 0; i < s->count; i++) {
		buf_reset(&tags);
		join_tags(s->entries[i].task, &tags);
		widen(&columns.id, s->entries[i].task ? s->entries[i].id : "", ID_MAX);
		widen(&columns.tags, tags.data, TAGS_MAX);
	}
	buf_release(&tags);
	for (size_t i = 0; i < s->count; i++) {
		if (s->entries[i].task)
			list_task(s->entries[i].task, &columns);
		else
			complain(s->entries[i].error);
	}
}

static bool any_broken(const struct selection *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->entries[i].error)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	static const struct cli cli = { .tool = "geak-task" };
	struct err e = ERR_INIT;
	struct selection s = { 0 };
	int status;

	cli_start(&cli);
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	if (select_tasks(&s, &e)) {
		status = cli_fail(&e);
	} else {
		if (opts.list)
			list(&s);
		else
			emit(&s, &e);
		errno = 0;
		if (fclose(stdout) && !e.code)
			err_errno(&e, ERR_IO, "writing records failed");
		status = e.code ? cli_fail(&e) : any_broken(&s);
	}
	for (size_t i = 0; i < s.owned; i++)
		task_set_release(&s.own[i]);
	task_set_release(&s.base);
	free(s.own);
	free(s.entries);
	return status;
}
