/*
 * Asking a service over HTTP. Whatever the service sends is searched for the key
 * before anybody sees it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/llm_failure.h"
#include "domain/llm_impl.h"
#include "domain/llm_pace.h"
#include "domain/llm_target.h"
#include "domain/secret.h"
#include "ground/mem.h"
#include "outside/http.h"

enum {
	TRIES = 4,                          /* the first and three more; of 429, any number */
	HEADERS_MAX = 8,
	WHOLE_MAX = JSON_MAX_BYTES,
	STREAM_MAX = 4 * JSON_MAX_BYTES,    /* an event wraps each few bytes of text in hundreds */
};

/* Of the time for a reply, that a further try must have at least. */
static const double least_share = 0.05;

struct question {
	struct question *next, **link; /* in one of the remote's lists */
	struct remote *remote;
	struct llm_call *call;
	char *body;
	size_t body_len;
	int tries;
	int limit;               /* as in the body */
	bool renamed;            /* it has had the other name */
	double again_at;         /* when to try, or try again; 0 while a request is open */
	bool too_late;           /* that would be too near to the deadline */
	bool has_slot;           /* that moment is one that --rpm and --tpm allow */
	double due_at;           /* when it would have been sent but for them */
	double tokens;           /* that it was taken to cost */
	int64_t events;          /* of its stream, so far; about a token each */
	bool over;
	struct llm_reply reply;  /* once it is over; its text lies in `text` */
	struct llm_wire_text text;
};

struct remote {
	struct llm *llm;
	struct llm_target target;
	struct http *http;
	int limit;               /* the dialect's name for it that is used */
	struct question *open, *waiting, *over; /* asked; to be asked later; to be handed out */
	double heard_at;         /* when the service last answered; 0: it never has */
	bool served;             /* it has answered with a reply */
	struct llm_pace pace;
};

/* -- opening */

static void free_remote(struct remote *r)
{
	http_free(r->http);
	llm_target_release(&r->target);
	free(r);
}

static int http_open(struct llm *llm, const char *rest, struct err *e)
{
	const struct llm_provider *p = llm->provider;
	struct remote *r = mem_zalloc(1, sizeof(*r));
	struct llm_target *t = &r->target;
	int rc;

	r->llm = llm;
	r->limit = p->limit;
	llm_pace_init(&r->pace);
	rc = llm_target_init(t, p, llm->config.model, rest,
			     llm->config.cache != LLM_CACHE_ONLY && !llm->config.written, e);
	if (!rc && llm->config.seeded && !t->dialect->seed)
		rc = err_set(e, ERR_USAGE, "--seed: this service takes none");
	if (!rc) {
		r->http = http_new(e);
		rc = r->http ? 0 : e->code;
	}
	if (rc) {
		free_remote(r);
		return rc;
	}
	llm->state = r;
	llm->target = t;
	llm->keeps_prompts = t->dialect->marks;
	llm->identity = mem_printf("%s#%s", t->url, t->name);
	return 0;
}

static void take_out(struct question *q)
{
	if (!q->link)
		return;
	*q->link = q->next;
	if (q->next)
		q->next->link = q->link;
}

/* Puts q into the list where it now belongs. */
static void sort_in(struct question *q)
{
	struct remote *r = q->remote;
	struct question **list = q->over ? &r->over : q->again_at > 0 ? &r->waiting : &r->open;

	take_out(q);
	q->next = *list;
	q->link = list;
	if (q->next)
		q->next->link = &q->next;
	*list = q;
}

/* The first one of a list, which is then in none; NULL at its end. */
static struct question *pop(struct question **list)
{
	struct question *q = *list;

	if (!q)
		return NULL;
	*list = q->next;
	if (q->next)
		q->next->link = list;
	q->link = NULL;
	return q;
}

static void free_question(struct question *q)
{
	llm_wire_release(&q->text);
	free(q->body);
	free(q);
}

static void drop_all(struct llm *llm, struct question **list)
{
	struct question *q;

	while ((q = pop(list))) {
		llm_drop(llm, q->call);
		free_question(q);
	}
}

static void http_close(struct llm *llm)
{
	struct remote *r = llm->state;

	drop_all(llm, &r->open);
	drop_all(llm, &r->waiting);
	drop_all(llm, &r->over);
	free_remote(r);
}

/* -- whether to ask again */

static bool worth_retrying(const struct question *q, const struct http_result *r)
{
	switch (r->failure) {
	case HTTP_BROKEN:
	case HTTP_FOREIGN:
	case HTTP_STALLED:
		return q->tries < TRIES;
	case HTTP_UNREACHABLE: /* a wrong address is known at once; a network comes back */
		return q->remote->heard_at > 0;
	case HTTP_ANSWERED:
		if (r->status == 429)
			return !llm_wire_no_credit(r->body->data, r->body->len);
		return q->tries < TRIES && (r->status == 408 || r->status == 409 || r->status == 425
					    || r->status >= 500);
	default:
		return false;
	}
}

/* Sets the time of another try, if there is time for its reply then: one that comes after the
 * deadline is paid for and lost. */
static bool plan_retry(struct question *q, double retry_after_s)
{
	double at = llm_now() + llm_pace_pause(&q->remote->pace, q->tries, retry_after_s);
	double least_s = least_share * q->remote->llm->config.timeout_s;

	q->too_late = at + least_s >= q->call->deadline;
	if (q->too_late)
		return false;
	q->again_at = at;
	return true;
}

/* -- what came back */

static void fail(struct question *q, const struct err *why)
{
	const struct llm_target *t = &q->remote->target;
	struct err *e = &q->reply.err;

	err_set(e, why->code, "%s: %s", t->host, why->text);
	secret_hide(t->key, e->text, strlen(e->text));
	q->over = true;
}

/* Takes body for the whole of a reply, and ends the question if it is. */
static int read_reply(struct question *q, const struct buf *body, struct err *e)
{
	struct llm_wire_text *t = &q->text;
	int rc;

	if (memchr(body->data, '\0', body->len))
		return err_set(e, ERR_RECORD, "the answer holds NUL bytes");
	rc = llm_wire_read(q->remote->target.dialect, body->data, body->len, t, e);
	if (rc) {
		llm_wire_release(t);
		llm_wire_init(t);
		return rc;
	}
	/* It came in pieces, or would have been found before. */
	secret_hide(q->remote->target.key, t->text.data, t->text.len);
	q->reply.text = t->text.data;
	memcpy(q->reply.finish_reason, t->finish_reason, sizeof(q->reply.finish_reason));
	q->reply.usage = t->usage;
	llm_pace_settle(&q->remote->pace, &q->remote->llm->config, q->tokens, &t->usage);
	q->remote->served = true;
	q->over = true;
	return 0;
}

static void take_reply(struct question *q, const struct buf *body)
{
	struct err e = ERR_INIT;

	if (!read_reply(q, body, &e))
		return;
	if (e.code != ERR_TEMP || q->tries >= TRIES || !plan_retry(q, 0))
		fail(q, &e);
}

static void set_body(struct question *q, const struct json *j)
{
	struct buf body;

	buf_init(&body, SIZE_MAX / 2);
	json_print(j, &body);
	free(q->body);
	q->body_len = body.len;
	q->body = buf_detach(&body);
}

/* A server that does not know the limit of a reply by the name that it was given may know it by
 * the other: true when q is to be asked again with that, as all are from then on. */
static bool rename_limit(struct question *q, const struct http_result *result)
{
	struct remote *r = q->remote;
	const char *const *names = r->target.dialect->limit;
	struct json *j, *value;

	if (q->renamed || !names[1] || (result->status != 400 && result->status != 422)
	    || !llm_wire_unknown(result->body->data, result->body->len, names[q->limit]))
		return false;
	q->renamed = true;
	r->limit = !q->limit;
	j = json_parse(q->body, q->body_len, NULL);
	value = json_detach(j, names[q->limit]);
	if (value)
		json_set(j, names[r->limit], value);
	q->limit = r->limit;
	set_body(q, j);
	json_free(j);
	q->again_at = llm_now();
	return true;
}

static void on_data(void *ctx, const char *data, size_t len)
{
	static const char field[] = "data:";
	struct question *q = ctx;
	const char *end = data + len;

	while ((data = memmem(data, (size_t)(end - data), field, strlen(field)))) {
		data += strlen(field);
		q->events++;
		q->remote->llm->tokens++;
	}
}

static void take_failure(struct question *q, const struct http_result *result)
{
	const struct remote *r = q->remote;
	struct llm_attempt a = {
		.served = r->served, .heard = r->heard_at > q->call->asked,
		.too_late = q->too_late, .tries = q->tries,
	};
	struct err e = ERR_INIT;

	llm_failure(&r->target, &r->llm->config, result, &a, &e);
	fail(q, &e);
}

static void take_result(struct question *q, const struct http_result *result)
{
	bool good = result->status >= 200 && result->status < 300;
	struct err none = ERR_INIT;

	q->remote->llm->tokens -= q->events; /* it may tell its own number now, or begin anew */
	q->events = 0;
	secret_hide(q->remote->target.key, result->body->data, result->body->len);
	if (result->failure == HTTP_ANSWERED)
		q->remote->heard_at = llm_now();
	if (result->failure == HTTP_ANSWERED && rename_limit(q, result))
		return;
	if (good && result->failure == HTTP_ANSWERED)
		take_reply(q, result->body);
	/* What is complete by its own account is paid for, whatever became of the connection. */
	else if (good && !read_reply(q, result->body, &none))
		return;
	else if (!worth_retrying(q, result) || !plan_retry(q, result->retry_after_s))
		take_failure(q, result);
}

static void on_result(void *ctx, const struct http_result *result)
{
	struct question *q = ctx;

	take_result(q, result);
	sort_in(q);
}

/* -- asking */

static void send_question(struct question *q)
{
	struct remote *r = q->remote;
	const char *headers[HEADERS_MAX] = { "Content-Type: application/json" };
	struct err e = ERR_INIT;
	size_t n = 1;
	struct http_post post = {
		.url = r->target.url, .headers = headers, .body = q->body, .body_len = q->body_len,
		.timeout_s = fmax(q->call->deadline - llm_now(), 0.001),
		.stall_s = r->llm->config.stream ? r->llm->config.stall_s : 0,
		.max_bytes = r->llm->config.stream ? STREAM_MAX : WHOLE_MAX,
	};

	if (r->target.key_header)
		headers[n++] = r->target.key_header;
	if (r->target.dialect->header)
		headers[n] = r->target.dialect->header;
	q->tries++;
	q->again_at = 0;
	q->has_slot = false;
	if (http_post(r->http, &post, on_data, on_result, q, &e)) {
		e.code = ERR_TEMP;
		fail(q, &e);
	}
}

/* Its time has come: sends it, or has it wait for its turn. That wait is none of the time that a
 * reply may take, before a further try as before the first: the deadline moves by it. */
static void take_turn(struct question *q)
{
	const struct llm_config *c = &q->remote->llm->config;
	double now = llm_now();

	if (!q->has_slot) {
		q->due_at = q->again_at;
		q->tokens = llm_pace_guess(c, q->body_len);
		q->again_at = llm_pace_slot(&q->remote->pace, c, now, q->tokens);
	}
	q->has_slot = true;
	if (q->again_at <= now) {
		q->call->deadline += now - q->due_at;
		send_question(q);
	}
	sort_in(q);
}

static void http_ask(struct llm *llm, struct llm_call *call, const struct llm_request *req)
{
	struct remote *r = llm->state;
	struct question *q = mem_zalloc(1, sizeof(*q));
	struct json *j = llm_wire_question(r->target.dialect, &llm->config, r->target.name, req,
					   r->limit);

	q->limit = r->limit;
	set_body(q, j);
	json_free(j);
	q->remote = r;
	q->call = call;
	llm_reply_init(&q->reply);
	llm_wire_init(&q->text);
	q->again_at = llm_now();
	take_turn(q);
}

/* Sends what is due again and hands out what is over, true if anything was.
 * timeout_ms shrinks to when more falls due. */
static bool move_on(struct llm *llm, int *timeout_ms)
{
	struct remote *r = llm->state;
	struct question *q, *next;

	for (q = r->waiting; q; q = next) {
		next = q->next;
		if (q->again_at <= llm_now())
			take_turn(q);
		if (q->again_at > 0)
			*timeout_ms = llm_timeout_until(*timeout_ms, q->again_at);
	}
	if (!r->over)
		return false;
	/* Kept before anybody can make a record of one: those who are told only take note. */
	reply_cache_begin(&llm->cache);
	while ((q = pop(&r->over))) {
		q->reply.latency_s = llm_now() - q->call->asked;
		llm_finish(llm, q->call, &q->reply);
		free_question(q);
	}
	reply_cache_end(&llm->cache);
	return true;
}

static int step(struct llm *llm, int extra_fd, int timeout_ms, struct err *e)
{
	struct remote *r = llm->state;
	struct pollfd extra = { .fd = extra_fd, .events = POLLIN };
	int rc;

	if (move_on(llm, &timeout_ms))
		timeout_ms = 0;
	rc = http_step(r->http, &extra, extra_fd >= 0, timeout_ms, e);
	move_on(llm, &timeout_ms);
	return rc;
}

const struct llm_means llm_http = { http_open, http_close, http_ask, step };
