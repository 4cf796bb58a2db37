#include "outside/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ground/fd.h"
#include "ground/text.h"

enum {
	CHUNK = 64 * 1024,
	END_GRACE_MS = 10000, /* for a holder to report after a kill */
};

int64_t child_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void arrange_shared(const int shared[BOX_SHARED], int nothing, int fds[BOX_SHARED])
{
	for (size_t i = 0; i < BOX_SHARED; i++)
		fds[i] = shared[i] < 0 ? nothing : shared[i];
}

int child_start(struct child *c, struct zygote *z, const struct box_limits *limits,
		const int shared[BOX_SHARED], const struct json *request, struct err *e)
{
	int leash[2] = { -1, -1 }, conn[2] = { -1, -1 }, log[2] = { -1, -1 };
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC), rc = 0;

	*c = (struct child){ .leash = -1, .conn = -1, .log = -1 };
	buf_init(&c->pending, CHILD_MESSAGE_MAX + CHUNK);
	buf_init(&c->unsent, 4UL * JSON_MAX_BYTES);
	buf_init(&c->log_head, CHILD_LOG_HALF);
	buf_init(&c->log_tail, CHILD_LOG_HALF + CHUNK);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, leash)
	    || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, conn)
	    || pipe2(log, O_CLOEXEC) || nothing < 0)
		rc = err_errno(e, ERR_SOFTWARE, "no descriptors for another child (raise "
			       "`ulimit -n`, or lower --jobs)");
	if (!rc) {
		int fds[BOX_FDS] = {
			[BOX_LEASH] = leash[1], [BOX_CONN] = conn[1], [BOX_LOG] = log[1],
		};

		arrange_shared(shared, nothing, fds + BOX_MEMORY);
		rc = zygote_hatch(z, limits, fds, e);
	}
	fd_close(&leash[1]);
	fd_close(&conn[1]);
	fd_close(&log[1]);
	fd_close(&nothing);
	c->leash = leash[0];
	c->conn = conn[0];
	c->log = log[0];
	if (rc)
		child_end(c);
	else
		child_send(c, request);
	return rc;
}

/* Writes what the socket takes now; the rest goes when poll() says so. */
static void flush(struct child *c)
{
	while (c->conn >= 0 && c->unsent.len) {
		ssize_t n = send(c->conn, c->unsent.data, c->unsent.len,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0) /* it ended before it listened; its end will tell */
			buf_reset(&c->unsent);
		else
			buf_consume(&c->unsent, (size_t)n);
	}
}

void child_send(struct child *c, const struct json *message)
{
	json_print(message, &c->unsent);
	buf_addc(&c->unsent, '\n');
	flush(c);
}

int child_hand(struct child *c, const int shared[BOX_SHARED])
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC), fds[BOX_SHARED], rc = -1;

	arrange_shared(shared, nothing, fds);
	if (nothing >= 0 && c->conn >= 0)
		rc = fd_send(c->conn, "", 1, fds, BOX_SHARED);
	fd_close(&nothing);
	return rc;
}

bool child_speaks(const struct child *c)
{
	struct pollfd p = { .fd = c->conn, .events = POLLIN };

	return c->pending.len > c->taken || (c->conn >= 0 && poll(&p, 1, 0) > 0);
}

static void drain_log(struct child *c)
{
	char chunk[CHUNK];
	ssize_t n = read(c->log, chunk, sizeof(chunk));
	size_t head;

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		fd_close(&c->log);
		return;
	}
	c->log_bytes += (uint64_t)n;
	head = c->log_head.max - c->log_head.len;
	head = head < (size_t)n ? head : (size_t)n;
	buf_add(&c->log_head, chunk, head);
	buf_add(&c->log_tail, chunk + head, (size_t)n - head);
	if (c->log_tail.len > CHILD_LOG_HALF)
		buf_consume(&c->log_tail, c->log_tail.len - CHILD_LOG_HALF);
}

static void fill(struct child *c)
{
	char *end;
	ssize_t n;

	buf_consume(&c->pending, c->taken);
	c->taken = 0;
	end = buf_reserve(&c->pending, CHUNK);
	n = end ? recv(c->conn, end, CHUNK, MSG_DONTWAIT) : 0;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		fd_close(&c->conn);
		return;
	}
	c->said += (uint64_t)n;
	c->pending.len += (size_t)n;
	c->pending.data[c->pending.len] = '\0';
}

static void hear_end(struct child *c)
{
	ssize_t n = recv(c->leash, &c->end, sizeof(c->end), MSG_DONTWAIT);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	c->reported = n == (ssize_t)sizeof(c->end);
	c->ended = true;
	fd_close(&c->leash);
}

/* A complete line waiting in the buffer, if there is one. True when the caller has an event. */
static bool take_message(struct child *c, enum child_event *event, struct json **message)
{
	const char *text = c->pending.data + c->taken;
	const char *nl = memchr(text, '\n', c->pending.len - c->taken);
	size_t len = nl ? (size_t)(nl - text) : c->pending.len - c->taken;
	bool too_much = c->said > CHILD_SAYS_MAX || len > CHILD_MESSAGE_MAX;

	if (!nl && !too_much)
		return false;
	*message = nl && !too_much ? json_parse(text, len, NULL) : NULL;
	if (*message) {
		c->taken += len + 1;
		*event = CHILD_MESSAGE;
	} else {
		buf_reset(&c->pending);
		c->taken = 0;
		c->said = 0; /* told once */
		fd_close(&c->conn);
		*event = CHILD_GARBLED;
	}
	return true;
}

/* Nothing more can come: the end is known, and what it wrote before has been read. */
static bool is_over(const struct child *c)
{
	return c->ended && c->conn < 0 && c->log < 0;
}

static bool ready_event(struct child *const *children, size_t n, enum child_event *event,
			size_t *which, struct json **message)
{
	for (*which = 0; *which < n; (*which)++) {
		struct child *c = children[*which];

		if (!c)
			continue;
		if (take_message(c, event, message))
			return true;
		if (is_over(c)) {
			*event = CHILD_ENDED;
			return true;
		}
	}
	return false;
}

enum { FDS_EACH = 3, CHILDREN_MAX = 4 };

static size_t watch(struct child *const *children, size_t n, struct pollfd *p)
{
	size_t count = 0;

	for (size_t i = 0; i < n && i < CHILDREN_MAX; i++) {
		struct child *c = children[i];
		short conn_events = c && c->unsent.len ? POLLIN | POLLOUT : POLLIN;

		p[count++] = (struct pollfd){ .fd = c ? c->conn : -1, .events = conn_events };
		p[count++] = (struct pollfd){ .fd = c ? c->log : -1, .events = POLLIN };
		p[count++] = (struct pollfd){ .fd = c ? c->leash : -1, .events = POLLIN };
	}
	return count;
}

static void serve(struct child *c, const struct pollfd *p)
{
	if (p[0].revents & POLLOUT)
		flush(c);
	if (p[0].revents & (POLLIN | POLLHUP | POLLERR))
		fill(c);
	if (p[1].revents)
		drain_log(c);
	if (p[2].revents)
		hear_end(c);
}

enum child_event child_wait(struct child *const *children, size_t n, int64_t deadline_ns,
			    size_t *which, struct json **message)
{
	enum child_event event;

	*message = NULL;
	while (!ready_event(children, n, &event, which, message)) {
		struct pollfd p[CHILDREN_MAX * FDS_EACH];
		size_t count = watch(children, n, p);
		int64_t left = deadline_ns - child_clock_ns();

		if (left <= 0)
			return CHILD_DEADLINE;
		if (poll(p, count, (int)(left / 1000000 + 1)) <= 0)
			continue;
		for (size_t i = 0; i * FDS_EACH < count; i++)
			if (children[i])
				serve(children[i], p + i * FDS_EACH);
	}
	return event;
}

bool child_lives(const struct child *c)
{
	struct pollfd p = { .fd = c->leash, .events = POLLIN };

	return c->leash >= 0 && poll(&p, 1, 0) == 0;
}

void child_kill(struct child *c)
{
	/* The holder reads end-of-file and kills; shutting down only our sending side
	 * leaves the way open for its report. */
	if (c->leash >= 0)
		shutdown(c->leash, SHUT_WR);
}

void child_end(struct child *c)
{
	int64_t deadline = child_clock_ns() + END_GRACE_MS * 1000000LL;
	struct child *const one[] = { c };
	enum child_event event;
	struct json *message;
	size_t which;

	if (c->leash >= 0 && !c->ended) {
		child_kill(c);
		do {
			event = child_wait(one, 1, deadline, &which, &message);
			json_free(message);
		} while (event == CHILD_MESSAGE || event == CHILD_GARBLED);
	}
	fd_close(&c->leash);
	fd_close(&c->conn);
	fd_close(&c->log);
	buf_release(&c->pending);
	buf_release(&c->unsent);
	buf_release(&c->log_head);
	buf_release(&c->log_tail);
}

void child_forget(struct child *c)
{
	c->said = 0;
	c->log_bytes = 0;
	buf_reset(&c->log_head);
	buf_reset(&c->log_tail);
}

void child_log(const struct child *c, struct buf *out)
{
	text_add_masked(out, c->log_head.data, c->log_head.len, 1);
	if (c->log_bytes > c->log_head.len + c->log_tail.len)
		buf_addf(out, "\n[%llu bytes left out]\n",
			 (unsigned long long)(c->log_bytes - c->log_head.len - c->log_tail.len));
	text_add_masked(out, c->log_tail.data, c->log_tail.len, 1);
}
