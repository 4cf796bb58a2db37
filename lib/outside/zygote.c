/* The zygote's own side: import, then fork on request. The keeper's side is zygote_client.c. */
#include "outside/zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ground/paths.h"
#include "outside/box_request.h"
#include "outside/huge.h"
#include "outside/py.h"
#include "outside/zygote_wire.h"

enum { ROOTS_MAX = 1 << 20 };

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
	if (send(ZYGOTE_CONTROL_FD, text, len, MSG_NOSIGNAL) >= 0)
		return 0;
	/* A person who wants to see what it says gave a terminal instead. */
	return errno == ENOTSOCK && write(ZYGOTE_CONTROL_FD, text, len) >= 0 ? 0 : -1;
}

static int start_python(enum zygote_kind kind, const char *targets, struct buf *versions,
			struct err *e)
{
	if (py_start(e))
		return e->code;
	switch (kind) {
	case ZYGOTE_INTERPRETER:
		return py_call("boot", "start_interpreter", targets, versions, e);
	case ZYGOTE_COMPILER:
		return py_call("boot", "start_compiler", targets, versions, e);
	case ZYGOTE_VERSIONS:
		break;
	}
	return py_call("versions", "versions", NULL, versions, e);
}

/* What this Python has to read, and what every program has to; but not our tasks, with
 * their references. */
static int grant(struct grants *g, bool gpu, struct err *e)
{
	char *tasks = paths_data("tasks", NULL);
	struct json *roots;
	struct buf text;
	int rc;

	buf_init(&text, ROOTS_MAX);
	grants_init(g, tasks);
	grants_add_system(g, gpu);
	rc = py_call("roots", "roots", NULL, &text, e);
	roots = rc ? NULL : json_parse(text.data, text.len, e);
	for (const struct json *m = json_first(roots); m; m = json_next(m))
		grants_add(g, json_string(m), GRANT_READ);
	rc = roots ? 0 : e->code;
	json_free(roots);
	buf_release(&text);
	free(tasks);
	return rc;
}

static void greet(struct buf *greeting, const struct buf *versions)
{
	struct json *box = box_facts_json(box_here());

	buf_addf(greeting, "{\"versions\":%s,\"box\":", versions->data);
	json_print(box, greeting);
	buf_addf(greeting, ",\"boxed\":%s}", box_missing(box_here()) ? "false" : "true");
	json_free(box);
}

static int get_ready(enum zygote_kind kind, bool gpu, const char *targets, struct grants *g,
		     struct buf *greeting, struct err *e)
{
	struct buf versions;

	buf_init(&versions, ZYGOTE_GREETING_MAX / 2);
	if (start_python(kind, targets, &versions, e) || grant(g, gpu, e))
		buf_addf(greeting, "!%s; check the environment that geak was built for, or set "
			 "GEAK_PYTHON", e->text);
	else if (box_close(g, gpu, e))
		buf_addf(greeting, "!%s", e->text);
	else
		greet(greeting, &versions);
	buf_release(&versions);
	return e->code;
}

/* Which of names it is; the first when it is none. */
static unsigned find(const char *const *names, const char *name)
{
	for (unsigned i = 0; names[i]; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return 0;
}

/* While it imports, which takes seconds, a zygote hears nothing; but the kernel has SIGIO end it
 * when the keeper's end of the socket closes. No parent-death signal: that would come when the
 * thread ends that started us. */
static void end_with_keeper(bool on)
{
	struct pollfd p = { .fd = ZYGOTE_CONTROL_FD };
	int flags = fcntl(ZYGOTE_CONTROL_FD, F_GETFL);
	struct stat st;

	if (fstat(ZYGOTE_CONTROL_FD, &st) || !S_ISSOCK(st.st_mode))
		return; /* a terminal's SIGIO is somebody who types */
	signal(SIGIO, on ? SIG_DFL : SIG_IGN);
	fcntl(ZYGOTE_CONTROL_FD, F_SETOWN, getpid());
	fcntl(ZYGOTE_CONTROL_FD, F_SETFL, on ? flags | O_ASYNC : flags & ~O_ASYNC);
	if (on && poll(&p, 1, 0) > 0) /* it had ended before we asked */
		_exit(0);
}

/* A request for a child; before it the keeper may want to know whether we are there. */
static bool receive(struct box_limits *limits, int fds[BOX_FDS])
{
	char call;

	while (recv(ZYGOTE_CONTROL_FD, &call, sizeof(call), MSG_PEEK | MSG_TRUNC) == ZYGOTE_CALL_SIZE)
		if (recv(ZYGOTE_CONTROL_FD, &call, sizeof(call), 0) < 0 || say(&call, sizeof(call)))
			return false;
	return box_request_receive(ZYGOTE_CONTROL_FD, limits, fds);
}

int zygote_main(int n, char *const *arguments)
{
	enum zygote_kind kind = (enum zygote_kind)find(zygote_kind_names, n > 0 ? arguments[0] : "");
	bool gpu = n > 2 && strcmp(arguments[2], "gpu") == 0;
	struct err e = ERR_INIT;
	struct buf greeting;
	struct grants grants;
	struct box_limits limits;
	int fds[BOX_FDS], rc;

	prctl(PR_SET_NAME, "geak-zygote");
	signal(SIGINT, SIG_IGN); /* a Ctrl-C is the keeper's to deal with */
	end_with_keeper(true);
	box_enter((enum box_mode)find(box_mode_names, n > 1 ? arguments[1] : ""));
	buf_init(&greeting, ZYGOTE_GREETING_MAX - 1);
	rc = get_ready(kind, gpu, n > 3 ? arguments[3] : NULL, &grants, &greeting, &e);
	end_with_keeper(false);
	if (say(greeting.data, greeting.len) || rc)
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
