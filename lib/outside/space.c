#include "outside/space.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ground/fd.h"

struct space space_here;

static int own_pid_space = -1; /* the way back after a child got another */

/* -- getting in */

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

/* Processes and mounts come together: with the old /proc, /proc/self would lead nowhere.
 * Root does without a user namespace, inside which other users' files were beyond it. */
static bool leave_home(bool *user)
{
	uid_t uid = getuid();
	gid_t gid = getgid();

	*user = false;
	if (unshare(CLONE_NEWPID | CLONE_NEWNS) == 0)
		return true;
	*user = true;
	return unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS) == 0 && map_ids(uid, gid) == 0;
}

int space_mount_proc(const char *path)
{
	return mount("proc", path, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* In the first process of the zygote's namespace. */
static bool settle(void)
{
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && space_mount_proc("/proc") == 0
	       && (own_pid_space = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC)) >= 0;
}

static bool succeeds(pid_t pid)
{
	int status;

	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* All of it tried out in a fork, since half of it could not be undone. */
static bool can_enter(void)
{
	pid_t pid = fork(), first, second;
	bool user;

	if (pid)
		return succeeds(pid);
	if (!leave_home(&user) || (first = fork()) < 0)
		_exit(1);
	if (first == 0) {
		if (!settle() || (second = space_fork()) < 0)
			_exit(1);
		if (second == 0)
			_exit(unshare(CLONE_NEWNS | CLONE_NEWIPC) || space_mount_proc("/proc"));
		_exit(!succeeds(second));
	}
	_exit(!succeeds(first));
}

/* The process that the keeper knows: it ends as the zygote ends, and the other way round. */
static _Noreturn void stay_behind(pid_t zygote)
{
	int status = 0;

	fd_close_above(-1);
	while (waitpid(zygote, &status, 0) < 0 && errno == EINTR)
		continue;
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

void space_enter(void)
{
	pid_t pid;

	if (!can_enter() || !leave_home(&space_here.user))
		return;
	space_here.net = unshare(CLONE_NEWNET) == 0;
	space_here.ipc = unshare(CLONE_NEWIPC) == 0;
	space_here.uts = unshare(CLONE_NEWUTS) == 0;
	pid = fork();
	if (pid > 0)
		stay_behind(pid);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pid < 0 || !settle())
		_exit(1);
	space_here.pid = true;
}

/* -- children */

pid_t space_fork(void)
{
	bool apart = own_pid_space >= 0;
	pid_t pid;

	if (apart && unshare(CLONE_NEWPID))
		return -1;
	pid = fork();
	if (apart && pid && setns(own_pid_space, CLONE_NEWPID))
		_exit(1); /* the next fork would land among the first one's processes */
	return pid;
}
