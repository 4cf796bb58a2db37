#include "records/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ground/buf.h"
#include "ground/line.h"
#include "ground/mem.h"
#include "ground/output.h"
#include "ground/outq.h"
#include "ground/paths.h"
#include "ground/text.h"

struct stream {
	struct stream_config config;
	struct outq *out;
	size_t next_input;
	bool reading;               /* reader and fd are in use */
	struct line_reader reader;
	int fd;
	struct record_origin from;
	atomic_bool some_failed, io_failed, write_failed;
};

static const char stdin_name[] = "standard input";

static size_t count_inputs(const struct stream *s)
{
	size_t n = 0;

	while (s->config.inputs && s->config.inputs[n])
		n++;
	return n;
}

static const char *input_name(const struct stream *s, size_t i)
{
	const char *name = s->config.inputs && s->config.inputs[i] ? s->config.inputs[i] : "-";

	return strcmp(name, "-") == 0 ? stdin_name : name;
}

static int input_stat(const char *name, struct stat *st)
{
	return name == stdin_name ? fstat(STDIN_FILENO, st) : stat(name, st);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether one of geak's own tasks has that name. */
static bool is_task(const char *name)
{
	char *tasks = strchr(name, '/') ? NULL : paths_data("tasks", NULL);
	char *file = tasks ? mem_printf("%s/%s/task.json", tasks, name) : NULL;
	bool there = file && access(file, R_OK) == 0;

	free(file);
	free(tasks);
	return there;
}

static int unreadable(const char *name, struct err *e)
{
	int why = errno;
	const char *advice = why == ENOENT && is_task(name) ? "; a task's name goes to geak-task" : "";

	return err_set(e, ERR_USAGE, "%s cannot be read: %s%s", name, strerror(why), advice);
}

/* Whether a file is a kernel where its records should be: each line would become an error. */
static bool is_python(const char *name, const struct stat *st)
{
	size_t len = strlen(name);
	char start[4096];
	ssize_t got;
	int fd;

	if (len < 3 || strcmp(name + len - 3, ".py") != 0 || !S_ISREG(st->st_mode))
		return false;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? 0 : read(fd, start, sizeof(start) - 1);
	if (fd >= 0)
		close(fd);
	start[got > 0 ? got : 0] = '\0';
	return got > 0 && start[strspn(start, " \t\r\n")] != '{';
}

/* A wrong name shows at once, not when the files before it are done. */
static int check_input(const char *name, struct err *e)
{
	struct stat st, out;

	if (name != stdin_name && access(name, R_OK))
		return unreadable(name, e);
	if (input_stat(name, &st)) /* a closed standard input shows when it is read */
		return name == stdin_name ? 0 : unreadable(name, e);
	if (S_ISDIR(st.st_mode))
		return err_set(e, ERR_USAGE, "%s is a folder; name files of records", name);
	if (is_python(name, &st))
		return err_set(e, ERR_USAGE, "%s holds no records but Python; judge it with: "
			       "geak-task NAME | geak-gen -m 'exec:cat %s' | geak-eval", name, name);
	if (fstat(STDOUT_FILENO, &out) == 0 && same_file(&st, &out))
		return err_set(e, ERR_USAGE, "%s is what standard output goes to as well, and would be "
			       "read as it is written; write into another file", name);
	return 0;
}

struct stream *stream_open(const struct stream_config *config, struct err *e)
{
	struct stream *s = mem_zalloc(1, sizeof(*s));

	s->config = *config;
	s->fd = -1;
	for (size_t i = 0; i == 0 || i < count_inputs(s); i++) {
		if (check_input(input_name(s, i), e)) {
			free(s);
			return NULL;
		}
	}
	s->out = outq_new(STDOUT_FILENO, config->capacity, !config->unordered);
	s->from.tool = config->tool;
	return s;
}

bool stream_reads(const struct stream *s, const char *path)
{
	struct stat file, st;

	if (stat(path, &file))
		return false;
	for (size_t i = 0; i == 0 || i < count_inputs(s); i++)
		if (input_stat(input_name(s, i), &st) == 0 && same_file(&st, &file))
			return true;
	return false;
}

static void read_failure(struct stream *s, const struct err *e)
{
	atomic_store(&s->io_failed, true);
	text_complain(s->config.tool, "%s", e->text);
}

/* Of many only the first says anything. */
static void write_failure(struct stream *s, const struct err *e)
{
	atomic_store(&s->io_failed, true);
	if (!atomic_exchange(&s->write_failed, true))
		text_complain(s->config.tool, "%s", e->text);
}

static void close_input(struct stream *s)
{
	if (!s->reading)
		return;
	line_release(&s->reader);
	if (s->fd > STDERR_FILENO)
		close(s->fd);
	s->fd = -1;
	s->reading = false;
}

/* False when there is no further input. */
static bool open_next_input(struct stream *s)
{
	size_t n = count_inputs(s);
	struct err e = ERR_INIT;

	while (s->next_input < (n ? n : 1)) {
		const char *name = input_name(s, s->next_input++);

		s->fd = name == stdin_name ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
		if (s->fd < 0) {
			err_errno(&e, ERR_IO, "%s cannot be opened", name);
			read_failure(s, &e);
			continue;
		}
		line_init(&s->reader, s->fd, JSON_MAX_BYTES);
		s->reading = true;
		s->from.input = name;
		s->from.line = 0;
		return true;
	}
	return false;
}

static void complain(struct stream *s, const struct record_origin *from, const struct err *why)
{
	atomic_store(&s->some_failed, true);
	text_complain(s->config.tool, "%s:%llu: %s", from->input,
		      (unsigned long long)from->line, why->text);
}

static void put_text(struct stream *s, uint64_t ticket, const char *text, size_t len)
{
	if (!s->config.silent)
		outq_put(s->out, ticket, text, len);
}

static void put_json(struct stream *s, uint64_t ticket, const struct json *record)
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	json_print(record, &text);
	put_text(s, ticket, text.data, text.len);
	buf_release(&text);
}

static void bad_line(struct stream *s, const struct line *line, const struct err *why)
{
	struct json *error = record_error_text(&s->from, why, line->text, line->len,
					       line->full_len);
	uint64_t ticket = outq_open(s->out);

	complain(s, &s->from, why);
	put_json(s, ticket, error);
	outq_close(s->out, ticket);
	json_free(error);
}

/* Deals with one line; true when it became an item for the stage. */
static bool take_line(struct stream *s, const struct line *line, bool too_long,
		      struct stream_item *item)
{
	struct err e = ERR_INIT;
	uint64_t ticket;

	if (!too_long && line_is_blank(line))
		return false;
	if (too_long) {
		err_set(&e, ERR_RECORD, "the line is too long: %zu bytes, more than the 16 MiB "
			"that a record may have", line->full_len);
		bad_line(s, line, &e);
		return false;
	}
	item->record = record_parse(line->text, line->len, &item->kind, &e);
	if (!item->record) {
		if (!line->complete)
			err_prefix(&e, "the last line is cut off");
		bad_line(s, line, &e);
		return false;
	}
	ticket = outq_open(s->out);
	if (s->config.handles & STREAM_KIND(item->kind)) {
		item->ticket = ticket;
		item->from = s->from;
		item->line = line->text;
		item->line_len = line->len;
		item->samples = NULL;
		return true;
	}
	put_text(s, ticket, line->text, line->len);
	outq_close(s->out, ticket);
	json_free(item->record);
	return false;
}

enum stream_status stream_next(struct stream *s, bool wait, struct stream_item *item)
{
	struct line line;
	struct err e = ERR_INIT;

	for (;;) {
		enum line_status status;

		if (stream_broken(s))
			return STREAM_END;
		if (!wait && !outq_has_room(s->out))
			return STREAM_AGAIN;
		if (!s->reading && !open_next_input(s))
			return STREAM_END;
		status = line_next(&s->reader, wait, &line);
		if (status == LINE_AGAIN)
			return STREAM_AGAIN;
		if (status == LINE_ERROR) {
			err_errno(&e, ERR_IO, "reading %s failed", s->from.input);
			read_failure(s, &e);
		}
		if (status == LINE_ERROR || status == LINE_EOF) {
			close_input(s);
			continue;
		}
		s->from.line++;
		if (take_line(s, &line, status == LINE_TOO_LONG, item))
			return STREAM_ITEM;
	}
}

void stream_trailer(struct stream *s, struct stream_item *item)
{
	*item = (struct stream_item){ .kind = RECORD_UNKNOWN, .from = s->from };
	item->from.input = item->from.input ? item->from.input : stdin_name;
	item->ticket = outq_open(s->out);
}

bool stream_has_room(struct stream *s)
{
	return outq_has_room(s->out);
}

int stream_fd(struct stream *s)
{
	return s->reading && outq_has_room(s->out) ? s->fd : -1;
}

void stream_put(struct stream *s, const struct stream_item *item, const struct json *record)
{
	struct err e = ERR_INIT;
	struct buf text;

	buf_init(&text, JSON_MAX_BYTES);
	if (record_print(record, &text, &e))
		stream_put_error(s, item, &e);
	else
		put_text(s, item->ticket, text.data, text.len);
	buf_release(&text);
}

void stream_pass(struct stream *s, const struct stream_item *item)
{
	put_text(s, item->ticket, item->line, item->line_len);
}

void stream_put_text(struct stream *s, const struct stream_item *item, const char *text,
		     size_t len)
{
	outq_put(s->out, item->ticket, text, len);
}

void stream_put_error(struct stream *s, const struct stream_item *item, const struct err *why)
{
	complain(s, &item->from, why);
	stream_put_error_silently(s, item, why);
}

void stream_put_error_silently(struct stream *s, const struct stream_item *item,
			       const struct err *why)
{
	struct json *error = record_error(&item->from, why, item->record);

	if (item->samples)
		json_set(error, "samples", json_dup(item->samples));
	atomic_store(&s->some_failed, true);
	put_json(s, item->ticket, error);
	json_free(error);
}

void stream_done(struct stream *s, struct stream_item *item)
{
	outq_close(s->out, item->ticket);
	json_free(item->record);
	item->record = NULL;
}

void stream_fail(struct stream *s, struct stream_item *item, const struct err *why)
{
	stream_put_error(s, item, why);
	stream_done(s, item);
}

bool stream_broken(struct stream *s)
{
	struct err e = ERR_INIT;

	if (!outq_check(s->out, &e))
		return false;
	write_failure(s, &e);
	return true;
}

int stream_close(struct stream *s)
{
	struct err e = ERR_INIT;
	int status;

	stream_broken(s);
	close_input(s);
	if (output_close(&e))
		write_failure(s, &e);
	status = atomic_load(&s->io_failed) ? err_exit_status(ERR_IO)
					    : atomic_load(&s->some_failed);
	outq_free(s->out);
	free(s);
	return status;
}
