/* After a fork of a process that may have threads: system calls, and nothing that takes a lock. */
#include "ground/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ground/fd.h"

enum { LOOK_MS = 20 };

void keeper_prepare(void)
{
	static const int others[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM };

	setpgid(0, 0); /* what a terminal sends is not for the keeper */
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		signal(others[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* False where the kernel does not tell who they are. */
static bool kill_children(void)
{
	int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	char text[4096];
	pid_t pid = 0;
	ssize_t n;

	if (fd < 0)
		return false;
	while ((n = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (text[i] >= '0' && text[i] <= '9') {
				pid = 10 * pid + (text[i] - '0');
				continue;
			}
			if (pid)
				kill(pid, SIGKILL);
			pid = 0;
		}
	close(fd);
	return true;
}

/* The children of one that dies are ours before it can be reaped, so that the next round finds
 * them: when there is nothing to reap, nothing is left. */
static void end_all(pid_t command)
{
	bool known;

	kill(-command, SIGKILL);
	do
		known = kill_children();
	while (waitpid(-1, NULL, known ? 0 : WNOHANG) > 0 || errno == EINTR);
}

static bool has_ended(pid_t command)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)command, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid;
}

static void tell_end(int leash, pid_t command)
{
	siginfo_t info = { 0 };
	int status;

	/* Left unreaped, so that its group's number stays its own. */
	if (waitid(P_PID, (id_t)command, &info, WEXITED | WNOWAIT))
		return;
	status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
	send(leash, &status, sizeof(status), MSG_NOSIGNAL);
}

_Noreturn void keeper_watch(int leash, pid_t command)
{
	struct pollfd fds[2] = { { .events = POLLIN }, { .events = POLLIN } };
	bool told = false;

	dup2(leash, 0);
	fd_close_above(0);
	fds[0].fd = 0;
	fds[1].fd = pidfd_open(command, 0);
	while (!fds[0].revents) {
		bool looks = fds[1].fd < 0 && !told; /* some containers refuse pidfd_open() */

		if (poll(fds, 2, looks ? LOOK_MS : -1) < 0)
			continue;
		if (fds[1].revents || (looks && has_ended(command))) {
			tell_end(0, command);
			fds[1].fd = -1;
			told = true;
		}
	}
	end_all(command);
	_exit(0);
}
