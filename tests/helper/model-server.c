/*
 * model-server MILLISECONDS: a model's service that is never in the way, for benchmarks.
 *
 * It prints its port, serves OpenAI's chat completions on loopback in one thread, and gives each
 * question the same reply that long after it has arrived. All wait equally long, so that who
 * came first is answered first: the queue is a list. On SIGTERM it prints how many questions
 * there were, how many waited at once at most, and how many a second came from the moment on
 * when that many waited.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "ground/buf.h"
#include "ground/mem.h"

enum { EVENTS = 512, READ_BYTES = 64 * 1024, REQUEST_MAX = 16 * 1024 * 1024 };

struct client {
	struct client *next; /* in the queue of those that wait for their answer */
	struct buf in;
	double due;
	int fd;
	bool waits, gone;
};

static struct {
	int epoll, listener;
	double delay;
	struct client *first, **last;
	struct buf answer;
	long came, wait, most, came_before; /* the last: when `most` was reached */
	double most_at, last_at;
} server = { .last = &server.first };

static volatile sig_atomic_t ended;

static void on_term(int signal)
{
	(void)signal;
	ended = 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A kernel of usual length; its text is of no account. */
static void make_answer(void)
{
	struct buf body;

	buf_init(&body, REQUEST_MAX);
	buf_init(&server.answer, REQUEST_MAX);
	buf_adds(&body, "{\"object\":\"chat.completion\",\"model\":\"bench\",\"choices\":[{\"index\":0,"
		 "\"message\":{\"role\":\"assistant\",\"content\":\"```python\\nimport triton\\n\\n\\n"
		 "def flip(x):\\n");
	for (int i = 0; i < 60; i++)
		buf_addf(&body, "    offsets_%d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\\n", i);
	buf_adds(&body, "    return x\\n```\\n\"},\"finish_reason\":\"stop\"}],"
		 "\"usage\":{\"prompt_tokens\":1800,\"completion_tokens\":900}}");
	buf_addf(&server.answer, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
		 "Content-Length: %zu\r\n\r\n", body.len);
	buf_add(&server.answer, body.data, body.len);
	buf_release(&body);
}

static void release(struct client *c)
{
	close(c->fd);
	buf_release(&c->in);
	free(c);
}

/* True when a whole question has come. */
static bool has_question(const struct client *c)
{
	const char *end = strstr(c->in.data, "\r\n\r\n");
	const char *length = strcasestr(c->in.data, "\r\nContent-Length:");

	return end && length && length < end
	       && c->in.len >= (size_t)(end + 4 - c->in.data) + strtoul(length + 17, NULL, 10);
}

static void greet(void)
{
	int fd, one = 1;

	while ((fd = accept4(server.listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		struct client *c = mem_zalloc(1, sizeof(*c));
		struct epoll_event e = { .events = EPOLLIN, .data.ptr = c };

		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		buf_init(&c->in, REQUEST_MAX);
		c->fd = fd;
		epoll_ctl(server.epoll, EPOLL_CTL_ADD, fd, &e);
	}
}

static void hear(struct client *c)
{
	static char piece[READ_BYTES];
	ssize_t n;

	while ((n = read(c->fd, piece, sizeof(piece))) > 0)
		buf_add(&c->in, piece, (size_t)n);
	if (n == 0 || errno != EAGAIN) {
		c->gone = true;
		epoll_ctl(server.epoll, EPOLL_CTL_DEL, c->fd, NULL);
		if (!c->waits)
			release(c);
		return;
	}
	if (c->waits || !has_question(c))
		return;
	c->waits = true;
	server.last_at = now();
	c->due = server.last_at + server.delay;
	server.came++;
	if (++server.wait > server.most) {
		server.most = server.wait;
		server.most_at = server.last_at;
		server.came_before = server.came;
	}
	c->next = NULL;
	*server.last = c;
	server.last = &c->next;
}

/* Answers those whose time has come; returns the seconds until the next one's. */
static double answer(void)
{
	double t = now();

	while (server.first && server.first->due <= t) {
		struct client *c = server.first;

		server.first = c->next;
		if (!server.first)
			server.last = &server.first;
		c->waits = false;
		server.wait--;
		buf_reset(&c->in);
		/* A socket's buffer takes all of it: there is one answer at a time. */
		if (c->gone)
			release(c);
		else if (write(c->fd, server.answer.data, server.answer.len) < 0)
			continue;
	}
	return server.first ? server.first->due - t : 1;
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct epoll_event ready[EVENTS], e = { .events = EPOLLIN };
	socklen_t len = sizeof(at);

	if (argc != 2)
		return 64;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, on_term);
	server.delay = strtod(argv[1], NULL) / 1000;
	make_answer();
	server.epoll = epoll_create1(0);
	server.listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (bind(server.listener, (struct sockaddr *)&at, len) || listen(server.listener, 4096)
	    || getsockname(server.listener, (struct sockaddr *)&at, &len)
	    || epoll_ctl(server.epoll, EPOLL_CTL_ADD, server.listener, &e)) {
		perror("model-server");
		return 70;
	}
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	while (!ended) {
		double wait = answer();
		struct timespec t = { (time_t)wait, (long)((wait - (double)(time_t)wait) * 1e9) };
		int n = epoll_pwait2(server.epoll, ready, EVENTS, &t, NULL);

		for (int i = 0; i < n; i++) {
			if (ready[i].data.ptr)
				hear(ready[i].data.ptr);
			else
				greet();
		}
	}
	printf("%ld %ld %.1f\n", server.came, server.most,
	       (double)(server.came - server.came_before) / (server.last_at - server.most_at));
	return 0;
}
