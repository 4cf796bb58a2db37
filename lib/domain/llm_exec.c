/*
 * Any program as a model: a shell command that reads the prompt from its standard
 * input and writes the reply to its standard output. As with $(COMMAND), the reply
 * ends when standard output does and the command is gone.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "domain/llm_impl.h"
#include "ground/mem.h"
#include "ground/proc.h"

enum {
	REPLY_MAX = 8 * 1024 * 1024,
	PROMPT_MAX = 64 * 1024 * 1024,
	SAID_MAX = 256 * 1024, /* of standard error before it is cut */
	SAID_KEPT = 4096,
	FDS_EACH = 4,
};

struct running {
	struct running *next;
	struct llm_call *call;
	struct proc proc;
	struct err failed;      /* set when it could not be started */
	struct buf prompt, reply, said;
	size_t written;
};

struct exec {
	char *command;
	struct running *list;
	struct pollfd *fds; /* one for the input, FDS_EACH for each that runs */
};

static int exec_open(struct llm *llm, const char *rest, struct err *e)
{
	struct exec *x = mem_zalloc(1, sizeof(*x));

	(void)e;
	x->command = mem_strdup(rest);
	x->fds = mem_zalloc(1 + FDS_EACH * (size_t)llm->config.in_flight, sizeof(*x->fds));
	llm->state = x;
	return 0;
}

/* Ends it whatever it is doing; the call stays. */
static void free_running(struct running *r)
{
	if (!r->failed.code)
		proc_end(&r->proc);
	buf_release(&r->prompt);
	buf_release(&r->reply);
	buf_release(&r->said);
	free(r);
}

static void exec_close(struct llm *llm)
{
	struct exec *x = llm->state;

	while (x->list) {
		struct running *next = x->list->next;

		llm_drop(llm, x->list->call);
		free_running(x->list);
		x->list = next;
	}
	free(x->command);
	free(x->fds);
	free(x);
}

static void write_prompt(const struct json *messages, struct buf *out)
{
	for (const struct json *m = json_first(messages); m; m = json_next(m)) {
		const char *content = json_get_string(m, "content");

		if (out->len)
			buf_adds(out, "\n\n");
		buf_adds(out, content ? content : "");
	}
	if (out->len && out->data[out->len - 1] != '\n')
		buf_addc(out, '\n');
}

static int start(const struct llm *llm, struct running *r, const struct llm_request *req)
{
	char shell[] = "/bin/sh", option[] = "-c";
	const struct llm_config *c = &llm->config;
	const struct exec *x = llm->state;
	char *argv[] = { shell, option, x->command, NULL };
	char *env[] = {
		mem_printf("GEAK_TOOL=%s", req->tool),
		mem_printf("GEAK_TASK=%s", req->task),
		mem_printf("GEAK_SAMPLE=%lld", (long long)req->sample),
		mem_printf("GEAK_ROUND=%lld", (long long)req->round),
		mem_printf("GEAK_EFFORT=%s", c->effort ? c->effort : ""),
		c->seeded ? mem_printf("GEAK_SEED=%lld", llm_seed(c, req->sample))
			  : mem_strdup("GEAK_SEED="),
		NULL,
	};
	int rc = proc_spawn(&r->proc, argv, env, &r->failed);

	for (size_t i = 0; env[i]; i++)
		free(env[i]);
	return rc;
}

static void exec_ask(struct llm *llm, struct llm_call *call, const struct llm_request *req)
{
	struct exec *x = llm->state;
	struct running *r = mem_zalloc(1, sizeof(*r)), **end = &x->list;

	r->call = call;
	buf_init(&r->prompt, PROMPT_MAX);
	buf_init(&r->reply, REPLY_MAX);
	buf_init(&r->said, SAID_MAX);
	write_prompt(req->messages, &r->prompt);
	start(llm, r, req);
	while (*end)
		end = &(*end)->next;
	*end = r;
}

static void feed(struct running *r)
{
	while (r->proc.in >= 0 && r->written < r->prompt.len) {
		ssize_t n = proc_write(&r->proc, r->prompt.data + r->written,
				       r->prompt.len - r->written);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0)
			break; /* it does not want to read on, which is its right */
		r->written += (size_t)n;
	}
	proc_close_in(&r->proc);
}

static void listen_to(struct running *r)
{
	proc_read(&r->proc.out, &r->reply);
	if (r->said.len > SAID_MAX / 2)
		buf_consume(&r->said, r->said.len - SAID_KEPT);
	proc_read(&r->proc.err, &r->said);
}

/* The last line of what it said on standard error that is not blank. */
static const char *last_words(struct buf *said)
{
	char *line;

	while (said->len && strchr(" \t\r\n", said->data[said->len - 1]))
		buf_truncate(said, said->len - 1);
	line = strrchr(said->data, '\n');
	return line ? line + 1 : said->data;
}

static void judge_exit(struct running *r, int status, struct llm_reply *reply)
{
	char how[64];
	const char *words;

	listen_to(r);
	words = last_words(&r->said);
	proc_describe(status, how, sizeof(how));
	if (status != 0)
		err_set(&reply->err, ERR_RECORD, "the model's command %s%s%s", how,
			*words ? ": " : "", words);
	else if (memchr(r->reply.data, '\0', r->reply.len))
		err_set(&reply->err, ERR_RECORD, "the reply holds a NUL byte");
	reply->text = r->reply.data;
}

/* True when r is over, one way or another; reply then says how. */
static bool is_over(const struct llm *llm, struct running *r, struct llm_reply *reply)
{
	int status;

	llm_reply_init(reply);
	if (r->failed.code) {
		err_set(&reply->err, ERR_TEMP, "the model's command failed: %s", r->failed.text);
		return true;
	}
	feed(r);
	listen_to(r);
	if (buf_overflowed(&r->reply)) {
		err_set(&reply->err, ERR_RECORD, "the model's command wrote more than the "
			"%d MiB that a reply may have", REPLY_MAX >> 20);
		return true;
	}
	if (r->proc.out < 0 && proc_exited(&r->proc, &status)) {
		judge_exit(r, status, reply);
		return true;
	}
	if (llm_now() < r->call->deadline)
		return false;
	err_set(&reply->err, ERR_TEMP, "no reply within %g s: the model's command was killed; "
		"--timeout gives it more time", llm->config.timeout_s);
	return true;
}

static size_t collect_fds(struct exec *x, int extra_fd, int *timeout_ms)
{
	size_t n = 0;

	x->fds[n++] = (struct pollfd){ .fd = extra_fd, .events = POLLIN };
	for (struct running *r = x->list; r; r = r->next) {
		if (r->failed.code) {
			*timeout_ms = 0;
			continue;
		}
		*timeout_ms = llm_timeout_until(*timeout_ms, r->call->deadline);
		x->fds[n++] = (struct pollfd){ .fd = r->proc.in, .events = POLLOUT };
		x->fds[n++] = (struct pollfd){ .fd = r->proc.out, .events = POLLIN };
		x->fds[n++] = (struct pollfd){ .fd = r->proc.err, .events = POLLIN };
		/* Its end matters once it has nothing more to say. */
		x->fds[n++] = (struct pollfd){ .fd = r->proc.out < 0 ? r->proc.exited : -1,
					       .events = POLLIN };
	}
	return n;
}

static int exec_step(struct llm *llm, int extra_fd, int timeout_ms, struct err *e)
{
	struct exec *x = llm->state;
	struct running **link = &x->list;
	size_t n = collect_fds(x, extra_fd, &timeout_ms);

	if (poll(x->fds, n, timeout_ms) < 0 && errno != EINTR)
		return err_errno(e, ERR_SOFTWARE, "waiting for the model's command failed");
	while (*link) {
		struct running *r = *link;
		struct llm_reply reply;

		if (!is_over(llm, r, &reply)) {
			link = &r->next;
			continue;
		}
		*link = r->next;
		reply.latency_s = llm_now() - r->call->asked;
		llm_finish(llm, r->call, &reply);
		free_running(r);
	}
	return 0;
}

const struct llm_means llm_exec = { exec_open, exec_close, exec_ask, exec_step };
