/*
 * Recorded replies as a model: a file of {"task":ID,"text":REPLY} lines. Which
 * line answers what is described in geak-gen(1) under "Recorded replies".
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "domain/llm_impl.h"
#include "domain/llm_wire.h"
#include "ground/line.h"
#include "ground/mem.h"

struct recorded {
	struct json *line;
	const char *task, *tool; /* in line; tool may be NULL */
	int64_t round;           /* -1 when the line names none */
	size_t position;         /* in the file */
	bool used;
};

/* A question that has its answer already and waits to be told. */
struct ready {
	struct ready *next;
	struct llm_call *call;
	const struct recorded *recorded; /* NULL: there is none */
	char *task;
};

struct replay {
	struct recorded *lines; /* by task, then as in the file */
	size_t count, cap;
	struct ready *first, **last;
};

static int by_task(const void *a, const void *b)
{
	const struct recorded *x = a, *y = b;
	int order = strcmp(x->task, y->task);

	return order ? order : (x->position > y->position) - (x->position < y->position);
}

static int add_line(struct replay *r, const struct line *text, struct err *e)
{
	struct recorded new = { .position = r->count };

	new.line = json_parse(text->text, text->len, e);
	if (!new.line)
		return ERR_USAGE;
	new.task = json_get_string(new.line, "task");
	new.tool = json_get_string(new.line, "tool");
	new.round = json_get_int(new.line, "round", -1);
	if (!new.task || !json_get_string(new.line, "text")) {
		json_free(new.line);
		return err_set(e, ERR_USAGE, "a recorded reply needs the texts \"task\" and "
			       "\"text\"");
	}
	if (r->count == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 64;
		r->lines = mem_realloc(r->lines, r->cap * sizeof(*r->lines));
	}
	r->lines[r->count++] = new;
	return 0;
}

static int read_lines(struct replay *r, int fd, const char *file, struct err *e)
{
	struct line_reader reader;
	struct line line;
	enum line_status status;
	size_t number = 0;
	int rc = 0;

	line_init(&reader, fd, JSON_MAX_BYTES);
	while (!rc && (status = line_next(&reader, true, &line)) != LINE_EOF) {
		number++;
		if (status == LINE_ERROR)
			rc = err_errno(e, ERR_IO, "reading %s failed", file);
		else if (status == LINE_TOO_LONG)
			rc = err_set(e, ERR_USAGE, "%s:%zu: the line is too long", file, number);
		else if (line.text[strspn(line.text, " \t\r")] && add_line(r, &line, e)) {
			err_prefix(e, "%s:%zu", file, number);
			rc = ERR_USAGE;
		}
	}
	line_release(&reader);
	return rc;
}

static void free_replay(struct replay *r)
{
	for (size_t i = 0; i < r->count; i++)
		json_free(r->lines[i].line);
	free(r->lines);
	free(r);
}

static int replay_open(struct llm *llm, const char *rest, struct err *e)
{
	struct replay *r;
	int fd = open(rest, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return err_errno(e, ERR_USAGE, "the recorded replies in %s cannot be read", rest);
	r = mem_zalloc(1, sizeof(*r));
	r->last = &r->first;
	rc = read_lines(r, fd, rest, e);
	close(fd);
	if (rc) {
		free_replay(r);
		e->code = rc;
		return rc;
	}
	if (r->count)
		qsort(r->lines, r->count, sizeof(*r->lines), by_task);
	llm->state = r;
	return 0;
}

static void replay_close(struct llm *llm)
{
	struct replay *r = llm->state;

	while (r->first) {
		struct ready *next = r->first->next;

		llm_drop(llm, r->first->call);
		free(r->first->task);
		free(r->first);
		r->first = next;
	}
	free_replay(r);
}

static size_t first_of_task(const struct replay *r, const char *task)
{
	size_t low = 0, high = r->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(r->lines[mid].task, task) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * A first reply (round 0) is found by the number of its sample alone, so that
 * processes side by side agree. A later one is the first not yet used here. A line that names
 * neither tool nor round stands for the round that is its place among such lines:
 * the lines before it were for the rounds before.
 */
static struct recorded *choose(struct replay *r, const struct llm_request *req)
{
	int64_t place = 0, plain = 0;

	for (size_t i = first_of_task(r, req->task);
	     i < r->count && strcmp(r->lines[i].task, req->task) == 0; i++) {
		struct recorded *line = &r->lines[i];

		if (line->tool && strcmp(line->tool, req->tool) != 0)
			continue;
		if (line->round >= 0 && line->round != req->round)
			continue;
		if (req->round == 0) {
			if (place++ == req->sample)
				return line;
			continue;
		}
		if (!line->tool && line->round < 0 && plain++ < req->round)
			continue;
		if (!line->used) {
			line->used = true;
			return line;
		}
	}
	return NULL;
}

static void replay_ask(struct llm *llm, struct llm_call *call, const struct llm_request *req)
{
	struct replay *r = llm->state;
	struct ready *ready = mem_zalloc(1, sizeof(*ready));

	ready->call = call;
	ready->recorded = choose(r, req);
	ready->task = mem_strdup(req->task);
	*r->last = ready;
	r->last = &ready->next;
}

static void tell(struct llm *llm, struct ready *ready)
{
	struct llm_reply reply;

	llm_reply_init(&reply);
	if (ready->recorded) {
		const struct json *line = ready->recorded->line;

		reply.text = json_get_string(line, "text");
		llm_wire_set_reason(reply.finish_reason, sizeof(reply.finish_reason),
				    json_get_string(line, "finish_reason"));
		llm_wire_usage(json_get(line, "usage"), &reply.usage);
	} else {
		err_set(&reply.err, ERR_RECORD, "no recorded reply is left for the task %s in %s",
			ready->task, strchr(llm->config.model, ':') + 1);
	}
	llm_finish(llm, ready->call, &reply);
	free(ready->task);
	free(ready);
}

static int replay_step(struct llm *llm, int extra_fd, int timeout_ms, struct err *e)
{
	struct replay *r = llm->state;
	struct ready *list = r->first;
	struct pollfd p = { .fd = extra_fd, .events = POLLIN };

	if (!list) {
		if (poll(&p, 1, timeout_ms) < 0 && errno != EINTR)
			return err_errno(e, ERR_SOFTWARE, "waiting for input failed");
		return 0;
	}
	r->first = NULL;
	r->last = &r->first;
	while (list) {
		struct ready *next = list->next;

		tell(llm, list);
		list = next;
	}
	return 0;
}

const struct llm_means llm_replay = { replay_open, replay_close, replay_ask, replay_step };
