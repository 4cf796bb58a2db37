#include "outside/box.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outside/space.h"

enum { LEASH_FD = 0 }; /* in the holder, which has no other */

struct box {
	const struct box_limits *limits;
	const int *fds;
	int (*body)(void);
};

/* -- the child */

static void limit(int resource, uint64_t value)
{
	struct rlimit r = { .rlim_cur = value, .rlim_max = value };

	setrlimit(resource, &r);
}

static uint64_t address_space_in_use(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f) {
		if (fscanf(f, "%lu", &pages) != 1)
			pages = 0;
		fclose(f);
	}
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void apply_limits(const struct box_limits *l)
{
	limit(RLIMIT_CORE, 0);
	if (l->memory_bytes)
		limit(RLIMIT_AS, address_space_in_use() + l->memory_bytes);
	if (l->file_bytes)
		limit(RLIMIT_FSIZE, l->file_bytes);
	if (l->cpu_seconds)
		limit(RLIMIT_CPU, l->cpu_seconds);
}

/* Root could undo it all: raise the limits, look into the processes that hold it, unmount
 * /proc and find below it everybody's environment. Only the power over files stays, without
 * which the packages of another user's Python could be out of reach. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
	uint32_t kept = CAP_TO_MASK(CAP_DAC_OVERRIDE) | CAP_TO_MASK(CAP_DAC_READ_SEARCH);

	if (syscall(SYS_capget, &header, sets))
		return;
	kept &= sets[0].permitted;
	memset(sets, 0, sizeof(sets));
	sets[0].permitted = sets[0].effective = kept;
	syscall(SYS_capset, &header, sets);
}

static void close_above(int last)
{
	if (syscall(SYS_close_range, last + 1, ~0U, 0)) /* Linux before 5.9 */
		for (int fd = last + 1; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
			close(fd);
}

/* Descriptors as the harness expects them: 0 nothing, 1 and 2 the log, 3 the
 * conversation, from 4 on the shared memory. */
static void arrange_descriptors(const int fds[BOX_FDS])
{
	const int from[] = { -1, fds[BOX_LOG], fds[BOX_LOG], fds[BOX_CONN], fds[BOX_MEMORY],
			     fds[BOX_MEMORY + 1], fds[BOX_MEMORY + 2] };
	enum { N = sizeof(from) / sizeof(*from) };
	int high[N];

	for (int i = 0; i < N; i++) /* first out of the way of each other */
		high[i] = from[i] < 0 ? open("/dev/null", O_RDONLY) : fcntl(from[i], F_DUPFD, 64);
	for (int i = 0; i < N; i++)
		dup2(high[i], i);
	close_above(N - 1);
}

static void child(const struct box *b)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	arrange_descriptors(b->fds);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	apply_limits(b->limits);
	drop_capabilities();
	_exit(b->body());
}

/* -- the one who holds it */

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

static void wait_for_end(pid_t child)
{
	struct pollfd p[] = {
		{ .fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN },
		{ .fd = LEASH_FD, .events = POLLIN },
	};

	while (poll(p, 2, -1) < 0 && errno == EINTR)
		continue;
}

static _Noreturn void hold(const struct box *b)
{
	struct box_end end = { .namespaced = space_here.pid };
	pid_t pid;

	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	if (space_here.pid ? space_furnish() : prctl(PR_SET_CHILD_SUBREAPER, 1))
		_exit(1);
	pid = fork();
	if (pid == 0)
		child(b);
	dup2(b->fds[BOX_LEASH], LEASH_FD);
	close_above(LEASH_FD);
	if (pid < 0)
		_exit(1);
	wait_for_end(pid);
	kill_all(pid, &end);
	if (write(LEASH_FD, &end, sizeof(end)) < 0) {
		/* The keeper is gone; there is nobody to tell. */
	}
	_exit(0);
}

void box_enter(void)
{
	space_enter();
}

void box_hatch(const struct box_limits *limits, const int fds[BOX_FDS], int (*body)(void))
{
	struct box b = { .limits = limits, .fds = fds, .body = body };

	if (space_fork() == 0)
		hold(&b);
}
