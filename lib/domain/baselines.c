#include "domain/baselines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ground/line.h"
#include "ground/mem.h"
#include "records/record.h"

static const char *const words[] = { "eager", "compile", "seed" };

/* -- a file of candidates */

static double told_speedup(const struct json *candidate)
{
	return json_get_number(json_get(json_get(candidate, "eval"), "perf"), "speedup", 0);
}

static bool may_be_right(const struct json *candidate)
{
	const struct json *eval = json_get(candidate, "eval");
	const char *status = json_get_string(eval, "status");

	return !eval || (status && strcmp(status, "pass") == 0);
}

/* best holds the speedups of what is in records. */
static void take(struct json *records, struct json *best, const struct json *candidate)
{
	const char *id = json_get_string(record_task(candidate), "id");
	const char *source = json_get_string(candidate, "source");

	if (!id || !source || !*source || !may_be_right(candidate))
		return;
	if (json_get(records, id) && told_speedup(candidate) <= json_get_number(best, id, 0))
		return;
	json_set_string(records, id, source);
	json_set_number(best, id, told_speedup(candidate));
}

static int take_line(struct baseline *b, struct json *best, const struct line *line, struct err *e)
{
	enum record_kind kind;
	struct json *record = record_parse(line->text, line->len, &kind, e);

	if (record && kind == RECORD_CANDIDATE)
		take(b->records, best, record);
	json_free(record);
	return record ? 0 : ERR_USAGE;
}

static int read_records(struct baseline *b, struct err *e)
{
	int fd = open(b->path, O_RDONLY | O_CLOEXEC), rc = 0;
	struct line_reader reader;
	enum line_status status;
	struct line line;
	struct json *best;
	size_t number = 0;

	if (fd < 0)
		return err_errno(e, ERR_USAGE, "--baseline: %s is none of eager, compile, seed and "
				 "none, and no file that can be opened", b->path);
	best = json_new_object();
	b->records = json_new_object();
	line_init(&reader, fd, JSON_MAX_BYTES);
	while (!rc && (status = line_next(&reader, true, &line)) != LINE_EOF) {
		number++;
		if (status == LINE_ERROR)
			rc = err_errno(e, ERR_IO, "--baseline: %s cannot be read", b->path);
		else if (status == LINE_TOO_LONG)
			rc = err_set(e, ERR_USAGE, "--baseline: %s:%zu: the line is too long",
				     b->path, number);
		else if (line.len && (rc = take_line(b, best, &line, e)))
			err_prefix(e, "--baseline: %s:%zu", b->path, number);
	}
	line_release(&reader);
	close(fd);
	json_free(best);
	return rc;
}

/* -- the list */

static int add(struct baselines *b, const char *word, struct err *e)
{
	struct baseline *one = &b->all[b->n];

	for (size_t i = 0; i < b->n; i++)
		if (strcmp(word, baseline_name(&b->all[i])) == 0)
			return err_set(e, ERR_USAGE, "--baseline: %s is there twice", word);
	if (b->n == BASELINES_MAX)
		return err_set(e, ERR_USAGE, "--baseline: more than %d", BASELINES_MAX);
	b->n++;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(word, words[i]) == 0) {
			one->kind = (enum baseline_kind)i;
			return 0;
		}
	one->kind = BASELINE_RECORD;
	one->path = mem_strdup(word);
	return read_records(one, e);
}

int baselines_parse(struct baselines *b, const char *list, struct err *e)
{
	char *text = mem_strdup(list), *save = NULL;
	int rc = 0;

	baselines_release(b);
	if (strcmp(list, "none") != 0) {
		for (char *w = strtok_r(text, ",", &save); w && !rc; w = strtok_r(NULL, ",", &save))
			rc = add(b, w, e);
		if (!rc && !b->n)
			rc = err_set(e, ERR_USAGE, "--baseline: the list is empty; none is a word, too");
	}
	free(text);
	return rc;
}

const char *baseline_name(const struct baseline *b)
{
	return b->kind == BASELINE_RECORD ? b->path : words[b->kind];
}

const char *baseline_source(const struct baseline *b, const struct json *task)
{
	const char *id = json_get_string(task, "id");

	if (b->kind == BASELINE_RECORD)
		return id ? json_get_string(b->records, id) : NULL;
	return b->kind == BASELINE_SEED ? json_get_string(task, "seed_source") : NULL;
}

bool baselines_compile(const struct baselines *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->all[i].kind == BASELINE_COMPILE)
			return true;
	return false;
}

void baselines_release(struct baselines *b)
{
	for (size_t i = 0; i < b->n; i++) {
		free(b->all[i].path);
		json_free(b->all[i].records);
		b->all[i] = (struct baseline){ .path = NULL };
	}
	b->n = 0;
}
