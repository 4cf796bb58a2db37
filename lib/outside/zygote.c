/* The zygote's own side: import, then fork on request. The keeper's side is zygote_client.c. */
#include "outside/zygote.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "outside/huge.h"
#include "outside/py.h"
#include "outside/zygote_wire.h"

/* One request: limits, and the descriptors as ancillary data. False when the keeper is gone. */
static bool receive(struct box_limits *limits, int fds[BOX_FDS])
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(BOX_FDS * sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = limits, .iov_len = sizeof(*limits) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			    .msg_control = &control, .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(ZYGOTE_CONTROL_FD, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	c = CMSG_FIRSTHDR(&m);
	if (n != (ssize_t)sizeof(*limits) || !c || c->cmsg_len != CMSG_LEN(BOX_FDS * sizeof(int)))
		return false;
	memcpy(fds, CMSG_DATA(c), BOX_FDS * sizeof(int));
	return true;
}

static int body(void)
{
	int status;

	py_after_fork_child();
	status = py_child();
	fflush(NULL);
	return status;
}

static void hatch(const struct box_limits *limits, const int fds[BOX_FDS])
{
	py_before_fork();
	box_hatch(limits, fds, body);
	py_after_fork_parent();
	/* A failed fork closes the leash, which is how the keeper learns of it. */
	for (int i = 0; i < BOX_FDS; i++)
		close(fds[i]);
}

static int say(const char *text, size_t len)
{
	return send(ZYGOTE_CONTROL_FD, text, len, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

static int greet(enum zygote_kind kind, struct buf *out, struct err *e)
{
	if (py_start(e))
		return e->code;
	switch (kind) {
	case ZYGOTE_INTERPRETER:
		return py_call("boot", "start_interpreter", out, e);
	case ZYGOTE_COMPILER:
		return py_call("boot", "start_compiler", out, e);
	case ZYGOTE_VERSIONS:
		break;
	}
	return py_call("versions", "versions", out, e);
}

static enum zygote_kind kind_of(const char *name)
{
	int k = ZYGOTE_INTERPRETER;

	while (k < ZYGOTE_VERSIONS && strcmp(name, zygote_kind_names[k]) != 0)
		k++;
	return (enum zygote_kind)k;
}

int zygote_main(const char *name)
{
	enum zygote_kind kind = kind_of(name);
	struct err e = ERR_INIT;
	struct buf greeting;
	struct box_limits limits;
	int fds[BOX_FDS];

	prctl(PR_SET_NAME, "geak-zygote");
	/* No parent-death signal: it would come when the thread ends that started us. The
	 * keeper's end of the control socket closes with the keeper, which is enough. */
	signal(SIGINT, SIG_IGN); /* a Ctrl-C is the keeper's to deal with */
	if (kind != ZYGOTE_VERSIONS)
		box_enter();
	buf_init(&greeting, ZYGOTE_GREETING_MAX - 1);
	if (greet(kind, &greeting, &e)) {
		buf_reset(&greeting);
		buf_addf(&greeting, "!%s", e.text);
	}
	if (say(greeting.data, greeting.len) || greeting.data[0] == '!')
		return err_exit_status(ERR_SOFTWARE);
	buf_release(&greeting);
	if (kind == ZYGOTE_VERSIONS)
		return 0;
	huge_gather();
	signal(SIGCHLD, SIG_IGN); /* holders report over their leashes; nobody waits for them */
	while (receive(&limits, fds))
		hatch(&limits, fds);
	return 0;
}
