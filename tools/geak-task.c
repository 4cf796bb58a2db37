/* geak-task: what to build, as task/1 records. */
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "domain/lint_report.h"
#include "domain/task.h"
#include "domain/task_columns.h"
#include "domain/task_set.h"
#include "ground/cli.h"
#include "ground/filter.h"
#include "ground/line.h"
#include "ground/mem.h"
#include "ground/output.h"
#include "ground/paths.h"
#include "ground/slip.h"
#include "ground/text.h"

enum {
	KEY_TESTS = 256,
	KEY_LINT,
};

static struct {
	bool list, lint, json;
	const char *directory, *import, *tests;
	const char *timeout, *jobs; /* for geak-eval, which knows what they may be */
	char **names; /* NULL-terminated */
} opts;

static const struct argp_option options[] = {
	{ "list", 'l', NULL, 0, "List the tasks instead of emitting them", 0 },
	{ "directory", 'd', "DIR", 0, "Take tasks from DIR: a task's folder or a folder of such", 0 },
	{ "import", 'i', "SUITE", 0,
	  "Take tasks from PATH, a file or checkout of SUITE: tritonbench, rocm or kernelbench", 0 },
	{ "tests", KEY_TESTS, "DIR", 0, "With tritonbench: where its files with the tests lie", 0 },
	{ "lint", KEY_LINT, NULL, 0, "Try wrong answers on the tasks, and tell which are accepted", 0 },
	{ "json", 'J', NULL, 0, "With --lint: write the tasks with what was found, not a table", 0 },
	{ "timeout", 'T', "SECONDS", 0, "With --lint: time for each task (default 60)", 0 },
	{ "jobs", 'j', "N", 0, "With --lint: tasks tried at once (default: processors)", 0 },
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
	if (opts.lint && opts.list)
		argp_error(state, "--lint and --list exclude each other");
	if (!opts.lint && (opts.json || opts.timeout || opts.jobs))
		argp_error(state, "--json, --timeout and --jobs go with --lint only");
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
	case KEY_LINT:
		opts.lint = true;
		return 0;
	case 'J':
		opts.json = true;
		return 0;
	case 'T':
		opts.timeout = arg;
		return 0;
	case 'j':
		opts.jobs = arg;
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
	       "Without a NAME, all tasks. A NAME with a slash is a folder of your own, as with -d, or a "
	       "file of task records; - is standard input.",
	.children = children,
};

/* What was asked for, in that order. What the entries point to belongs to the sets. */
struct selection {
	struct task_entry *entries;
	size_t count;
	struct task_set base; /* tasks to choose from by name */
	struct task_set *own; /* a set for each folder named on its own */
	size_t owned;
	struct names ids;     /* of the entries */
	const struct json **first; /* of each id: the task, or NULL */
};

static bool same_task(const struct json *a, const struct json *b)
{
	char one[HASH_HEX], other[HASH_HEX];

	if (a == b)
		return true;
	task_digest(a, one);
	task_digest(b, other);
	return strcmp(one, other) == 0;
}

/* Candidates are told apart by their task's id. A task may be asked for again, though. */
static int choose(struct selection *s, const struct task_entry *entry, struct err *e)
{
	size_t known = s->ids.count, n = names_add(&s->ids, entry->id);

	if (n == known) {
		s->first = mem_realloc(s->first, (n + 1) * sizeof(*s->first));
		s->first[n] = entry->task;
	} else if (entry->task && s->first[n] && !same_task(entry->task, s->first[n])) {
		return err_set(e, ERR_USAGE, "two tasks that differ have the id \"%s\"; ids must "
			       "differ, too", entry->id);
	}
	s->entries = mem_realloc(s->entries, (s->count + 1) * sizeof(*s->entries));
	s->entries[s->count++] = *entry;
	return 0;
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

static bool is_path(const char *name)
{
	return !opts.import && (strchr(name, '/') || strcmp(name, "-") == 0);
}

static bool is_folder(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_there(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0;
}

/* A folder of tasks, or a file of records. */
static int read_path(struct task_set *set, const char *path, struct err *e)
{
	bool records = strcmp(path, "-") == 0 || (is_there(path) && !is_folder(path));

	return records ? task_set_read_records(set, path, e) : task_set_read(set, path, e);
}

static int no_task(const struct task_set *set, const char *name, struct err *e)
{
	const char **ids = mem_zalloc(set->count + 1, sizeof(*ids)), *meant;

	for (size_t i = 0; i < set->count; i++)
		ids[i] = set->entries[i].id;
	meant = slip_of(name, ids, set->count);
	free(ids);
	if (!opts.import && is_there(name))
		return err_set(e, ERR_USAGE, "there is no task named \"%s\"; --list shows those that "
			       "there are; the %s is named ./%s", name,
			       is_folder(name) ? "folder" : "file", name);
	return err_set(e, ERR_USAGE, "there is no task named \"%s\"; %s%s%s", name,
		       meant ? "is it \"" : "--list shows those that there are", meant ? meant : "",
		       meant ? "\"?" : "");
}

static int choose_name(struct selection *s, const char *name, struct err *e)
{
	const struct task_entry *entry;
	struct task_set *own;

	if (!is_path(name)) {
		entry = task_set_find(&s->base, name);
		if (!entry)
			return no_task(&s->base, name, e);
		return choose(s, entry, e);
	}
	s->own = mem_realloc(s->own, (s->owned + 1) * sizeof(*s->own));
	own = &s->own[s->owned++];
	task_set_init(own);
	if (read_path(own, name, e))
		return e->code;
	for (size_t i = 0; i < own->count && !e->code; i++)
		choose(s, &own->entries[i], e);
	return e->code;
}

/* Nothing is emitted before every name is known to be right: models cost money. */
static int select_tasks(struct selection *s, struct err *e)
{
	char **names = opts.names;
	const char *path = opts.import ? *names++ : NULL;
	bool by_name = !*names;

	for (char **n = names; *n; n++)
		by_name = by_name || !is_path(*n);
	if (by_name && read_base(&s->base, path, e))
		return e->code;
	for (size_t i = 0; !*names && i < s->base.count; i++)
		choose(s, &s->base.entries[i], e);
	for (; *names; names++)
		if (choose_name(s, *names, e))
			break;
	return e->code;
}

static void complain(const struct json *error)
{
	text_complain(cli_tool(), "%s: %s", json_get_string(error, "input"),
		      json_get_string(error, "reason"));
}

static void emit(const struct selection *s)
{
	struct buf line;

	buf_init(&line, SIZE_MAX / 2);
	for (size_t i = 0; i < s->count; i++) {
		const struct task_entry *t = &s->entries[i];

		if (t->error)
			complain(t->error);
		buf_reset(&line);
		json_print(t->error ? t->error : t->task, &line);
		buf_addc(&line, '\n');
		output_write(line.data, line.len);
	}
	buf_release(&line);
}

static void list(const struct selection *s)
{
	struct task_columns columns = { 0, 0 };
	struct buf line;

	buf_init(&line, SIZE_MAX / 2);
	for (size_t i = 0; i < s->count; i++)
		if (s->entries[i].task)
			task_columns_fit(&columns, s->entries[i].task);
	for (size_t i = 0; i < s->count; i++) {
		buf_reset(&line);
		if (s->entries[i].task) {
			task_columns_add(&columns, s->entries[i].task, &line);
			buf_addc(&line, '\n');
			output_write(line.data, line.len);
		} else {
			complain(s->entries[i].error);
		}
	}
	buf_release(&line);
}

/* -- lint: geak-eval tries the answers, since Python is its business; here they are told */

/* The tasks, as geak-eval is to read them: a file without a name. What is broken passes
 * through it untouched. */
static int write_tasks(const struct selection *s, struct err *e)
{
	int fd = memfd_create("tasks", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "w");
	struct buf line;

	buf_init(&line, SIZE_MAX / 2);
	for (size_t i = 0; f && i < s->count; i++) {
		const struct json *error = s->entries[i].error;

		if (error)
			complain(error);
		buf_reset(&line);
		json_print(error ? error : s->entries[i].task, &line);
		fprintf(f, "%s\n", line.data);
	}
	buf_release(&line);
	if (!f || fclose(f) || lseek(fd, 0, SEEK_SET))
		err_errno(e, ERR_IO, "the tasks cannot be handed to geak-eval");
	return fd;
}

static int start_eval(struct filter *eval, int tasks, struct err *e)
{
	char *argv[6] = { paths_tool("geak-eval"), mem_strdup("--lint") };
	struct err why = ERR_INIT;
	int n = 2, rc;

	if (cli_common.quiet || isatty(STDOUT_FILENO)) /* where rows tell how far it has come */
		argv[n++] = mem_strdup("--quiet");
	if (opts.timeout)
		argv[n++] = mem_printf("--timeout=%s", opts.timeout);
	if (opts.jobs)
		argv[n++] = mem_printf("--jobs=%s", opts.jobs);
	rc = filter_start(eval, argv, tasks, &why);
	if (rc)
		err_set(e, rc, "%s; it tries the answers, and comes with geak where Python has torch "
			"and triton", why.text);
	while (n)
		free(argv[--n]);
	return rc;
}

/* Tells what geak-eval says of the tasks as it comes. */
static void tell(int from, struct lint_report *report)
{
	struct line_reader reader;
	struct line line;
	struct buf text;

	line_init(&reader, from, JSON_MAX_BYTES);
	buf_init(&text, SIZE_MAX / 2);
	while (line_next(&reader, true, &line) == LINE_OK) {
		struct json *task = json_parse(line.text, line.len, NULL);

		buf_reset(&text);
		if (json_get(task, "lint"))
			lint_report_add(report, task, &text);
		json_free(task);
		if (opts.json) {
			buf_reset(&text);
			buf_addf(&text, "%s\n", line.text);
		}
		output_write(text.data, text.len);
	}
	buf_release(&text);
	line_release(&reader);
}

static void tell_sum(const struct lint_report *report)
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	lint_report_sum(report, &text);
	output_write(text.data, text.len);
	buf_release(&text);
}

static size_t widest_id(const struct selection *s)
{
	size_t widest = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->entries[i].task && strlen(s->entries[i].id) > widest)
			widest = strlen(s->entries[i].id);
	return widest;
}

/* Returns the exit status, unless e is set. */
static int lint(const struct selection *s, struct err *e)
{
	struct lint_report *report = lint_report_new(widest_id(s));
	int tasks = write_tasks(s, e), status = 0;
	struct filter eval;

	if (!e->code && !start_eval(&eval, tasks, e)) {
		tell(eval.out, report);
		status = filter_end(&eval);
		if (!opts.json && status != err_exit_status(ERR_USAGE)) /* then nothing was tried */
			tell_sum(report);
		if (status == 0 && !lint_report_is_clean(report))
			status = 1;
	}
	if (tasks >= 0)
		close(tasks);
	lint_report_free(report);
	return status;
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
	int status, found = 0;

	cli_start(&cli);
	names_init(&s.ids);
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	if (select_tasks(&s, &e)) {
		status = cli_fail(&e);
	} else {
		if (opts.lint)
			found = lint(&s, &e);
		else if (opts.list)
			list(&s);
		else
			emit(&s);
		if (!e.code)
			output_close(&e);
		status = e.code ? cli_fail(&e) : found > 1 ? found : found || any_broken(&s);
	}
	for (size_t i = 0; i < s.owned; i++)
		task_set_release(&s.own[i]);
	task_set_release(&s.base);
	free(s.own);
	free(s.entries);
	free(s.first);
	names_release(&s.ids);
	return status;
}
