/*
 * Recorded replies as a model: a file of {"task":ID,"text":REPLY} lines, or the
 * results of a batch. Which line answers what is described in geak-gen(1) under
 * "Recorded replies" and "Batches".
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "domain/batch.h"
#include "domain/llm_impl.h"
#include "domain/llm_wire.h"
#include "ground/line.h"
#include "ground/mem.h"

struct recorded {
	struct json *line;
	const char *task, *tool; /* in line; tool may be NULL. Of a result task is its id */
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

struct lines {
	struct recorded *list; /* by task, then as in the file */
	size_t count, cap;
};

struct replay {
	char *file;
	struct lines replies, results;
	struct ready *first, **last;
};

static int by_task(const void *a, const void *b)
{
	const struct recorded *x = a, *y = b;
	int order = strcmp(x->task, y->task);

	return order ? order : (x->position > y->position) - (x->position < y->position);
}

static void add(struct lines *l, struct recorded new)
{
	if (l->count == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 64;
		l->list = mem_realloc(l->list, l->cap * sizeof(*l->list));
	}
	new.position = l->count;
	l->list[l->count++] = new;
}

static int add_line(struct replay *r, const struct line *text, struct err *e)
{
	struct recorded new = { .line = json_parse(text->text, text->len, e) };

	if (!new.line)
		return ERR_USAGE;
	new.task = batch_result_id(new.line);
	if (new.task) {
		add(&r->results, new);
		return 0;
	}
	new.task = json_get_string(new.line, "task");
	new.tool = json_get_string(new.line, "tool");
	new.round = json_get_int(new.line, "round", -1);
	if (new.task && json_get_string(new.line, "text")) {
		add(&r->replies, new);
		return 0;
	}
	json_free(new.line);
	return err_set(e, ERR_USAGE, "a recorded reply needs the texts \"task\" and \"text\", a "
		       "result of a batch \"custom_id\"");
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

static void release_lines(struct lines *l)
{
	for (size_t i = 0; i < l->count; i++)
		json_free(l->list[i].line);
	free(l->list);
}

static void free_replay(struct replay *r)
{
	release_lines(&r->replies);
	release_lines(&r->results);
	free(r->file);
	free(r);
}

static void sort(struct lines *l)
{
	if (l->count)
		qsort(l->list, l->count, sizeof(*l->list), by_task);
}

static int replay_open(struct llm *llm, const char *rest, struct err *e)
{
	const char *named = llm_named(llm->config.model);
	struct replay *r = mem_zalloc(1, sizeof(*r));
	int fd, rc;

	/* "FILE#MODEL", or all of it */
	r->file = mem_strndup(rest, named > rest ? (size_t)(named - rest) - 1 : strlen(rest));
	r->last = &r->first;
	fd = open(r->file, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		rc = err_errno(e, ERR_USAGE, "the recorded replies in %s cannot be read", r->file);
	} else {
		rc = read_lines(r, fd, r->file, e);
		close(fd);
	}
	if (rc) {
		free_replay(r);
		e->code = rc;
		return rc;
	}
	sort(&r->replies);
	sort(&r->results);
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

static size_t first_of_task(const struct lines *l, const char *task)
{
	size_t low = 0, high = l->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(l->list[mid].task, task) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Of a question that was sent in several batches, since it failed, the last good answer. */
static const struct recorded *choose_result(const struct lines *l, const char *id)
{
	const struct recorded *best = NULL;

	for (size_t i = first_of_task(l, id); i < l->count && strcmp(l->list[i].task, id) == 0; i++)
		if (!best || batch_result_good(l->list[i].line) || !batch_result_good(best->line))
			best = &l->list[i];
	return best;
}

/*
 * A first reply (round 0) is found by the number of its sample alone, so that
 * processes side by side agree. A later one is the first not yet used here. A line that names
 * neither tool nor round stands for the round that is its place among such lines:
 * the lines before it were for the rounds before.
 */
static struct recorded *choose(struct lines *l, const struct llm_request *req)
{
	int64_t place = 0, plain = 0;

	for (size_t i = first_of_task(l, req->task);
	     i < l->count && strcmp(l->list[i].task, req->task) == 0; i++) {
		struct recorded *line = &l->list[i];

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
	char id[BATCH_ID];

	batch_id(&llm->config, req, call->prompt_sha256, id);
	ready->call = call;
	ready->recorded = choose_result(&r->results, id);
	call->batched = ready->recorded;
	if (!ready->recorded)
		ready->recorded = choose(&r->replies, req);
	ready->task = mem_strdup(req->task);
	*r->last = ready;
	r->last = &ready->next;
}

static void take_reply(const struct json *line, struct llm_reply *reply)
{
	reply->text = json_get_string(line, "text");
	llm_wire_set_reason(reply->finish_reason, sizeof(reply->finish_reason),
			    json_get_string(line, "finish_reason"));
	llm_wire_usage(json_get(line, "usage"), &reply->usage);
}

/* t holds what reply points to. */
static void take_result(const struct json *line, struct llm_reply *reply, struct llm_wire_text *t)
{
	if (batch_read(line, t, &reply->err))
		return;
	reply->text = t->text.data;
	memcpy(reply->finish_reason, t->finish_reason, sizeof(reply->finish_reason));
	reply->usage = t->usage;
}

static void tell(struct llm *llm, struct ready *ready)
{
	const struct replay *r = llm->state;
	struct llm_wire_text t;
	struct llm_reply reply;

	llm_reply_init(&reply);
	llm_wire_init(&t);
	if (ready->call->batched)
		take_result(ready->recorded->line, &reply, &t);
	else if (ready->recorded)
		take_reply(ready->recorded->line, &reply);
	else if (r->results.count && !r->replies.count)
		err_set(&reply.err, ERR_RECORD, "%s holds no result for this question about the task %s; "
			"was it asked with other options, or from another prompt?", r->file, ready->task);
	else
		err_set(&reply.err, ERR_RECORD, "no recorded reply is left for the task %s in %s",
			ready->task, r->file);
	llm_finish(llm, ready->call, &reply);
	llm_wire_release(&t);
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
