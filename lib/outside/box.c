#include "outside/box.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ground/fd.h"
#include "outside/box_hold.h"
#include "outside/box_request.h"
#include "outside/landlock.h"
#include "outside/seccomp.h"
#include "outside/space.h"

#ifndef CAP_PERFMON /* Linux 5.8 */
#define CAP_PERFMON 38
#endif

const char *const box_mode_names[] = { "auto", "require", "off", NULL };

static enum box_mode mode;
static struct box_facts facts;
static const struct grants *granted;

/* -- what there is */

void box_enter(enum box_mode m)
{
	mode = m;
	if (mode != BOX_OFF)
		space_enter();
}

const char *box_missing(const struct box_facts *f)
{
	return !f->pid_namespace ? "process namespaces (root, or user namespaces, make them)"
	       : !f->mount_namespace ? "a mount namespace with a root of its own (Linux 5.12)"
	       : !f->net_namespace ? "network namespaces"
	       : !f->ipc_namespace ? "IPC namespaces"
	       : !f->landlock ? "Landlock (Linux 5.13, and lsm=landlock among its options)"
	       : !f->seccomp ? "seccomp filters" : NULL;
}

int box_close(const struct grants *grants, bool gpu, struct err *e)
{
	int watched = pidfd_open(getpid(), 0);
	const char *missing;

	if (watched < 0)
		return err_errno(e, ERR_SOFTWARE, "a candidate's end could not be told: this system "
				 "gives no pidfd (Linux 5.3)");
	close(watched);
	granted = grants;
	if (mode != BOX_OFF) {
		facts.mount_namespace = space_narrow(grants);
		facts.landlock = landlock_abi();
		facts.seccomp = seccomp_prepare(gpu);
	}
	facts.user_namespace = space_here.user;
	facts.pid_namespace = space_here.pid;
	facts.net_namespace = space_here.net;
	facts.ipc_namespace = space_here.ipc;
	facts.uts_namespace = space_here.uts;
	missing = box_missing(&facts);
	if (mode == BOX_REQUIRE && missing)
		return err_set(e, ERR_SOFTWARE, "the sandbox lacks %s, and --sandbox=require was "
			       "asked for", missing);
	return 0;
}

const struct box_facts *box_here(void)
{
	return &facts;
}

struct json *box_facts_json(const struct box_facts *f)
{
	struct json *j = json_new_object();

	json_set_bool(j, "user_namespace", f->user_namespace);
	json_set_bool(j, "pid_namespace", f->pid_namespace);
	json_set_bool(j, "mount_namespace", f->mount_namespace);
	json_set_bool(j, "net_namespace", f->net_namespace);
	json_set_bool(j, "ipc_namespace", f->ipc_namespace);
	json_set_bool(j, "uts_namespace", f->uts_namespace);
	json_set_int(j, "landlock", f->landlock);
	json_set_bool(j, "seccomp", f->seccomp);
	json_set_bool(j, "rlimits", true);
	return j;
}

/* -- the child */

static void limit(int resource, uint64_t value, uint64_t beyond)
{
	struct rlimit r = { .rlim_cur = value, .rlim_max = value + beyond };

	setrlimit(resource, &r);
}

static void apply_limits(const struct box_limits *l)
{
	enum { DESCRIPTORS = 4096 };

	limit(RLIMIT_CORE, 0, 0);
	limit(RLIMIT_NOFILE, DESCRIPTORS, 0);
	if (l->memory_bytes && l->address_space)
		limit(RLIMIT_AS, box_memory("self").address_space + l->memory_bytes, 0);
	if (l->file_bytes)
		limit(RLIMIT_FSIZE, l->file_bytes, 0);
	if (l->cpu_seconds) /* SIGXCPU tells of the limit; where both are the same, SIGKILL comes */
		limit(RLIMIT_CPU, l->cpu_seconds, 1);
}

/* Root could undo it all: raise the limits, look into the processes that hold it, unmount
 * /proc and find below it everybody's environment. Only the power to read stays, without
 * which the packages of another user's Python could be out of reach; and for a profiler that
 * by which the GPUs' drivers give their counters out, what else it opens being refused by the
 * filter of system calls. Others have powers over their own namespace alone, which a program
 * that is started loses: with any left here it could not open what is ours in /proc. */
static int drop_capabilities(bool counters)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
	uint32_t kept[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, sets))
		return -1;
	if (geteuid() == 0)
		kept[CAP_TO_INDEX(CAP_DAC_READ_SEARCH)] |= CAP_TO_MASK(CAP_DAC_READ_SEARCH);
	if (geteuid() == 0 && counters && facts.seccomp)
		kept[CAP_TO_INDEX(CAP_PERFMON)] |= CAP_TO_MASK(CAP_PERFMON);
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		kept[i] &= sets[i].permitted;
		sets[i] = (struct __user_cap_data_struct){ .permitted = kept[i], .effective = kept[i] };
	}
	return (int)syscall(SYS_capset, &header, sets);
}

/* Besides what all children are granted: its folders, and of /proc what there is to see when
 * processes are not hidden from each other, the numbers of its own alone. Its own it may
 * write to: CUDA names its threads there, and without that does not start. So what a profiler
 * starts has to as well, whose folders are not there yet. */
static int confine_paths(const struct box_limits *l)
{
	const struct grant apart[] = {
		{ .path = "/proc", .kind = space_here.proc ? GRANT_DEVICE : GRANT_READ },
		{ .path = space_folder(), .kind = GRANT_ALL },
		{ .path = "/dev/shm", .kind = GRANT_ALL }, { .path = "/proc/self", .kind = GRANT_ALL },
	};
	const struct grant among_others[] = {
		{ .path = l->folder, .kind = GRANT_ALL },
		{ .path = "/proc/self", .kind = GRANT_ALL },
		{ .path = facts.pid_namespace ? "/proc" : "/proc/self" },
		{ .path = "/proc/cpuinfo" }, { .path = "/proc/meminfo" }, { .path = "/proc/stat" },
		{ .path = "/proc/driver" }, { .path = "/proc/sys" },
	};

	if (facts.mount_namespace)
		return landlock_confine(granted, apart, sizeof(apart) / sizeof(*apart));
	return landlock_confine(granted, among_others,
				sizeof(among_others) / sizeof(*among_others));
}

static const char *confine(const struct box_limits *l)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || drop_capabilities(l->counters))
		return "its powers cannot be taken away";
	if (facts.landlock && confine_paths(l))
		return "Landlock";
	if (facts.seccomp && seccomp_confine())
		return "seccomp";
	return NULL;
}

/* Descriptors as the harness expects them: 0 nothing, 1 and 2 the log, 3 the
 * conversation, from 4 on the shared memory. */
static int arrange_descriptors(const int fds[BOX_FDS])
{
	const int from[] = { -1, fds[BOX_LOG], fds[BOX_LOG], fds[BOX_CONN], fds[BOX_MEMORY],
			     fds[BOX_MEMORY + 1], fds[BOX_MEMORY + 2] };

	return fd_arrange(from, sizeof(from) / sizeof(*from));
}

/* When memory runs out it is one of us that goes, not somebody's editor. */
static void volunteer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "500", 3) < 0)
		errno = 0;
	if (fd >= 0)
		close(fd);
}

/* not_closed is a pipe's end: what goes into it tells the holder that nothing was run. */
static _Noreturn void child(const struct box_limits *limits, const int fds[BOX_FDS], int not_closed,
			    int (*body)(void))
{
	const char *failure;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 1); /* as its holder is not */
	setsid();
	volunteer();
	apply_limits(limits);
	failure = confine(limits);
	if (!failure && arrange_descriptors(fds))
		failure = "its descriptors";
	if (failure) {
		dprintf(fds[BOX_LOG], "the box cannot be closed: %s: %s\n", failure, strerror(errno));
		_exit(write(not_closed, "!", 1) == 1);
	}
	_exit(body());
}

/* -- holders. One that is idle has another child, which saves a fork of all this memory. */

enum { LINES_MAX = 64 };

static struct {
	int v[LINES_MAX]; /* a line to each holder: over it it says that it is idle, and is asked */
	size_t n;
} lines;

static bool ask_idle(const struct box_limits *limits, const int fds[BOX_FDS])
{
	size_t i = 0;
	char idle;

	while (i < lines.n) {
		ssize_t n = recv(lines.v[i], &idle, sizeof(idle), MSG_DONTWAIT);

		if (n < 0 && errno == EAGAIN) {
			i++; /* busy */
		} else if (n == sizeof(idle) && box_request_send(lines.v[i], limits, fds) == 0) {
			return true;
		} else { /* it has ended */
			close(lines.v[i]);
			lines.v[i] = lines.v[--lines.n];
		}
	}
	return false;
}

void box_hatch(const struct box_limits *limits, const int fds[BOX_FDS], int (*body)(void))
{
	int line[2] = { -1, -1 };
	pid_t pid;

	if (ask_idle(limits, fds))
		return;
	if (lines.n < LINES_MAX && space_here.mount)
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line))
			line[0] = line[1] = -1; /* then it serves once */
	pid = space_fork();
	if (pid == 0)
		box_hold(limits, fds, line[1], child, body);
	fd_close(&line[1]);
	if (pid > 0 && line[0] >= 0)
		lines.v[lines.n++] = line[0];
	else
		fd_close(&line[0]);
}
