#include "outside/box_hold.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ground/fd.h"
#include "outside/box_request.h"
#include "outside/space.h"

enum {
	LEASH_FD, NOT_CLOSED_FD, LINE_FD, MOUNTS_FD, KEPT_FDS, /* in the holder, which has no other */
	WATCH_MS = 100,  /* between two looks at what a child has started */
};

struct box_memory box_memory(const char *process)
{
	struct box_memory m = { 0 };
	char path[64], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/status", process);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		unsigned long kib;

		if (sscanf(line, "VmSize: %lu", &kib) == 1)
			m.address_space = (uint64_t)kib << 10;
		else if (sscanf(line, "RssAnon: %lu", &kib) == 1
			 || sscanf(line, "RssShmem: %lu", &kib) == 1)
			m.own += (uint64_t)kib << 10;
	}
	if (f)
		fclose(f);
	return m;
}

/* -- watching */

/* No limit of the kernel's holds for several processes together where no cgroup can be
 * made. Inherited memory is not counted; what replaced it is missed, so each process can
 * hide as much as the zygote has. */
static enum box_cause look(const struct box_limits *l, uint64_t inherited)
{
	DIR *dir = opendir("/proc");
	const struct dirent *d;
	uint64_t bytes = 0;
	size_t n = 0;

	while (dir && (d = readdir(dir))) {
		struct box_memory m;

		if (d->d_name[0] < '1' || d->d_name[0] > '9' || strcmp(d->d_name, "1") == 0)
			continue;
		m = box_memory(d->d_name);
		bytes += m.own > inherited ? m.own - inherited : 0;
		n += m.address_space > 0; /* the dead that nobody waited for have none */
	}
	if (dir)
		closedir(dir);
	return n > BOX_PROCESSES ? BOX_CROWDED
	       : l->memory_bytes && bytes > l->memory_bytes ? BOX_HOARDED : BOX_ENDED;
}

/* ended is the child's pidfd, which is closed. */
static enum box_cause watch(const struct box_limits *l, int ended)
{
	struct pollfd p[] = {
		{ .fd = ended, .events = POLLIN },
		{ .fd = LEASH_FD, .events = POLLIN },
	};
	uint64_t inherited = box_memory("self").own;
	enum box_cause cause = BOX_ENDED;
	int n;

	do {
		n = poll(p, 2, space_here.pid ? WATCH_MS : -1);
		if (n == 0)
			cause = look(l, inherited);
	} while (cause == BOX_ENDED && (n == 0 || (n < 0 && errno == EINTR)));
	if (n > 0 && !p[0].revents)
		cause = BOX_LET_GO;
	close(ended);
	return cause;
}

/* -- ending */

/* Without a namespace: orphans come to us (we are a subreaper), and go. */
static void kill_children(void)
{
	char path[64];
	FILE *f;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1)
		kill(pid, SIGKILL);
	if (f)
		fclose(f);
}

/* Until nobody is left: what outlived the child could still write to its results. */
static void kill_all(pid_t child, struct box_end *end)
{
	kill(child, SIGKILL); /* by itself, since not every kernel lists a process's children */
	for (;;) {
		struct rusage u;
		int status;
		pid_t pid;

		if (space_here.pid)
			kill(-1, SIGKILL);
		else
			kill_children();
		pid = wait4(-1, &status, 0, &u);
		if (pid < 0 && errno == ECHILD)
			return;
		if (pid != child)
			continue;
		end->wait_status = status;
		end->max_rss_kib = u.ru_maxrss;
		end->cpu_us = (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000LL
			      + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
	}
}

static void report(int leash, const struct box_end *end)
{
	if (write(leash, end, sizeof(*end)) < 0) {
		/* The keeper is gone; there is nobody to tell. */
	}
}

/* -- one child after the other */

static void become_holder(void)
{
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0); /* the child runs as the same user, and has no business here */
	setsid();
	if (!space_here.pid)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* From here on the holder's descriptors are those of the enum. 0 or -1. */
static int hold_one(const struct box_limits *limits, const int fds[BOX_FDS], int line, int mounts,
		    box_child_fn *run, int (*body)(void), struct box_end *end)
{
	uint64_t folder_bytes = limits->file_bytes ? limits->file_bytes : 4ULL << 30;
	const char *open_proc = NULL;
	int not_closed[2], ended, rc;
	char byte;
	pid_t pid;

	rc = space_furnish(limits->folder, folder_bytes);
	if (!rc && limits->counters && (open_proc = space_guard_proc()) && box_here()->landlock)
		dprintf(fds[BOX_LOG], BOX_SAYS "what a profiler starts cannot name its threads, since %s "
			"could not be made read-only (%s)\n", open_proc, strerror(errno));
	if (rc || pipe(not_closed) || (pid = fork()) < 0) {
		dprintf(fds[BOX_LOG], "the box cannot be made: %s\n", strerror(errno));
		end->cause = BOX_OPEN;
		report(fds[BOX_LEASH], end);
		_exit(0);
	}
	if (pid == 0)
		run(limits, fds, not_closed[1], body);
	if (fd_arrange((const int[KEPT_FDS]){ fds[BOX_LEASH], not_closed[0], line, mounts }, KEPT_FDS))
		_exit(1);
	ended = pidfd_open(pid, 0);
	if (ended >= 0)
		end->cause = watch(limits, ended);
	kill_all(pid, end);
	if (ended < 0) /* how it would have ended nobody knows: better no report */
		return -1;
	if (read(NOT_CLOSED_FD, &byte, 1) == 1)
		end->cause = BOX_OPEN;
	return 0;
}

_Noreturn void box_hold(const struct box_limits *limits, const int fds[BOX_FDS], int line,
			box_child_fn *run, int (*body)(void))
{
	struct box_limits next = *limits;
	int mounts = space_mounts(), next_fds[BOX_FDS];
	bool again = line >= 0 && mounts >= 0;

	memcpy(next_fds, fds, sizeof(next_fds));
	become_holder();
	do {
		struct box_end end = { .facts = *box_here() };

		if (hold_one(&next, next_fds, line, mounts, run, body, &end))
			_exit(1);
		line = LINE_FD;
		mounts = MOUNTS_FD;
		again = again && space_leave(MOUNTS_FD) == 0;
		/* Idle first: who hears the report may ask at once. */
		again = again && send(LINE_FD, "", 1, MSG_NOSIGNAL) == 1;
		report(LEASH_FD, &end);
		close(LEASH_FD);
	} while (again && box_request_receive(LINE_FD, &next, next_fds));
	_exit(0);
}
