#include "outside/box.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct box {
	const struct box_limits *limits;
	const int *fds;
	int (*body)(void);
	bool namespaced;
};

/* -- entering the namespace */

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return n < 0 ? -1 : 0;
}

/* Our own user and group, and nobody else, inside the new user namespace. */
static int map_ids(uid_t uid, gid_t gid)
{
	char map[64];

	snprintf(map, sizeof(map), "%u %u 1\n", uid, uid);
	if (write_file("/proc/self/uid_map", map) || write_file("/proc/self/setgroups", "deny"))
		return -1;
	snprintf(map, sizeof(map), "%u %u 1\n", gid, gid);
	return write_file("/proc/self/gid_map", map);
}

/* From here on forks land in a new pid namespace: as root directly, else by a user namespace. */
static bool enter_namespaces(void)
{
	uid_t uid = getuid();
	gid_t gid = getgid();

	if (unshare(CLONE_NEWPID | CLONE_NEWNS) == 0)
		return true;
	return unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS) == 0 && map_ids(uid, gid) == 0;
}

/* In the first process of the namespace. With the old /proc, /proc/self would lead nowhere. */
static bool mount_proc(void)
{
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
	       && mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0;
}

static bool namespaces_work; /* as found by box_prepare() */

void box_prepare(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		pid_t init;

		if (!enter_namespaces() || (init = fork()) < 0)
			_exit(1);
		if (init == 0)
			_exit(!mount_proc());
		_exit(!(waitpid(init, &status, 0) == init && status == 0));
	}
	namespaces_work = pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

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
	if (syscall(SYS_close_range, N, ~0U, 0)) /* Linux before 5.9 */
		for (int fd = N; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
			close(fd);
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

/* -- those who hold it */

static void report(const struct box *b, int wait_status, const struct rusage *u)
{
	struct box_end end = {
		.wait_status = wait_status,
		.namespaced = b->namespaced,
		.max_rss_kib = u->ru_maxrss,
		.cpu_us = (u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000LL
			  + u->ru_utime.tv_usec + u->ru_stime.tv_usec,
	};

	if (write(b->fds[BOX_LEASH], &end, sizeof(end)) < 0) {
		/* The keeper is gone; there is nobody to tell. */
	}
}

static void keep_only_leash(const struct box *b)
{
	for (int i = 0; i < BOX_FDS; i++)
		if (i != BOX_LEASH)
			close(b->fds[i]);
}

/* Process 1 of the namespace: reaps everything, and takes everything along when the child ends. */
static void init(const struct box *b)
{
	struct rusage u;
	pid_t pid, ended;
	int status;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	mount_proc();
	pid = fork();
	if (pid == 0)
		child(b);
	keep_only_leash(b);
	do
		ended = wait4(-1, &status, 0, &u);
	while (ended != pid && !(ended < 0 && errno == ECHILD));
	if (ended == pid)
		report(b, status, &u);
	_exit(0);
}

/* Without a namespace: orphans come to us (we are a subreaper), and go. */
static void kill_descendants(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	for (;;) {
		FILE *f = fopen(path, "re");
		int pid;

		while (f && fscanf(f, "%d", &pid) == 1)
			kill(pid, SIGKILL);
		if (f)
			fclose(f);
		if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD)
			return;
	}
}

/* Waits until the process below has ended or the leash is let go. */
static void hold(const struct box *b, pid_t below)
{
	struct pollfd p[] = {
		{ .fd = (int)syscall(SYS_pidfd_open, below, 0), .events = POLLIN },
		{ .fd = b->fds[BOX_LEASH], .events = POLLIN },
	};
	struct rusage u;
	bool killed;
	int status;

	while (poll(p, 2, -1) < 0 && errno == EINTR)
		continue;
	killed = !p[0].revents;
	if (killed)
		kill(below, SIGKILL);
	/* Init has told of the child's end by itself, unless it was killed before that. */
	if (wait4(below, &status, 0, &u) == below && (killed || !b->namespaced))
		report(b, status, &u);
	if (!b->namespaced)
		kill_descendants();
}

void box_run(const struct box_limits *limits, const int fds[BOX_FDS], int (*body)(void))
{
	struct box b = { .limits = limits, .fds = fds, .body = body };
	pid_t below;

	signal(SIGCHLD, SIG_DFL);
	setsid();
	b.namespaced = namespaces_work && enter_namespaces();
	if (!b.namespaced)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	below = fork();
	if (below == 0 && b.namespaced)
		init(&b);
	if (below == 0)
		child(&b);
	keep_only_leash(&b);
	if (below > 0)
		hold(&b, below);
	_exit(below > 0 ? 0 : 1);
}
