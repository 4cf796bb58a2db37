#include "ground/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ground/fd.h"

enum { LIVE_MAX = 1024, CHUNK = 64 * 1024 };

/* The groups that a deadly signal takes along. A slot is written whole, so that the
 * handler sees a group or none. */
static volatile sig_atomic_t live[LIVE_MAX];
static const int deadly[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

static void on_deadly(int sig)
{
	for (size_t i = 0; i < LIVE_MAX; i++)
		if (live[i])
			kill(-(pid_t)live[i], SIGKILL);
	/* SA_RESETHAND put the default back: the process dies of the very signal. */
	raise(sig);
}

static void catch_deadly(void)
{
	static bool done;
	struct sigaction now, sa = { .sa_handler = on_deadly, .sa_flags = (int)SA_RESETHAND };

	if (done)
		return;
	done = true;
	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		if (!sigaction(deadly[i], NULL, &now) && now.sa_handler == SIG_DFL)
			sigaction(deadly[i], &sa, NULL);
}

static bool remember(pid_t pid)
{
	for (size_t i = 0; i < LIVE_MAX; i++)
		if (!live[i]) {
			live[i] = pid;
			return true;
		}
	return false;
}

static void forget(pid_t pid)
{
	for (size_t i = 0; i < LIVE_MAX; i++)
		if (live[i] == pid)
			live[i] = 0;
}

/* In the child, which has one thread: ours has at most helpers that hold no lock of ours. */
static _Noreturn void run_child(int in, int out, int err, char *const argv[], char *const env[])
{
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		signal(deadly[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	for (size_t i = 0; env && env[i]; i++)
		putenv(env[i]);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s cannot be run: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

int proc_spawn(struct proc *p, char *const argv[], char *const env[], struct err *e)
{
	int fds[6] = { -1, -1, -1, -1, -1, -1 };
	pid_t pid = -1;

	*p = (struct proc){ .pid = -1, .exited = -1, .in = -1, .out = -1, .err = -1 };
	if (pipe2(fds, O_CLOEXEC) || pipe2(fds + 2, O_CLOEXEC) || pipe2(fds + 4, O_CLOEXEC))
		goto fail;
	catch_deadly();
	pid = fork();
	if (pid < 0)
		goto fail;
	if (pid == 0)
		run_child(fds[0], fds[3], fds[5], argv, env);
	setpgid(pid, pid); /* both sides do it, so that it is so whoever is first */
	p->pid = pid;
	p->in = fds[1];
	p->out = fds[2];
	p->err = fds[4];
	fd_close(&fds[0]);
	fd_close(&fds[3]);
	fd_close(&fds[5]);
	fcntl(p->in, F_SETFL, O_NONBLOCK);
	fcntl(p->out, F_SETFL, O_NONBLOCK);
	fcntl(p->err, F_SETFL, O_NONBLOCK);
	p->exited = pidfd_open(pid, 0);
	if (p->exited < 0 || !remember(pid)) {
		err_errno(e, ERR_SOFTWARE, "%s cannot be watched", argv[0]);
		proc_end(p);
		return ERR_SOFTWARE;
	}
	return 0;
fail:
	err_errno(e, ERR_SOFTWARE, "%s cannot be started", argv[0]);
	for (size_t i = 0; i < 6; i++)
		fd_close(&fds[i]);
	return ERR_SOFTWARE;
}

ssize_t proc_write(struct proc *p, const void *data, size_t len)
{
	const struct timespec at_once = { 0, 0 };
	sigset_t pipe_signal, old;
	ssize_t n;
	int error;

	/* A pipe has no MSG_NOSIGNAL: block the signal, and take back the one we caused. */
	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_signal, &old);
	n = write(p->in, data, len);
	error = errno;
	if (n < 0 && error == EPIPE)
		sigtimedwait(&pipe_signal, NULL, &at_once);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return n;
}

void proc_close_in(struct proc *p)
{
	fd_close(&p->in);
}

void proc_read(int *fd, struct buf *b)
{
	char chunk[CHUNK];
	ssize_t n;

	if (*fd < 0)
		return;
	do
		n = read(*fd, chunk, sizeof(chunk));
	while (n < 0 && errno == EINTR);
	if (n > 0)
		buf_add(b, chunk, (size_t)n);
	else if (n == 0 || errno != EAGAIN)
		fd_close(fd);
}

bool proc_exited(struct proc *p, int *status)
{
	siginfo_t info = { 0 };

	/* Left unreaped until proc_end(), so that its group's number stays its own. */
	if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
		return false;
	*status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
	return true;
}

void proc_end(struct proc *p)
{
	if (p->pid > 0) {
		kill(-p->pid, SIGKILL);
		forget(p->pid);
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	fd_close(&p->exited);
	fd_close(&p->in);
	fd_close(&p->out);
	fd_close(&p->err);
	p->pid = -1;
}

void proc_signal(int sig, char out[PROC_SIGNAL_MAX])
{
	const char *name = sigabbrev_np(sig);

	if (name)
		snprintf(out, PROC_SIGNAL_MAX, "SIG%s", name);
	else
		snprintf(out, PROC_SIGNAL_MAX, "SIG%d", sig);
}

void proc_describe(int status, char *out, size_t size)
{
	char name[PROC_SIGNAL_MAX];

	if (WIFEXITED(status)) {
		snprintf(out, size, "exited with %d", WEXITSTATUS(status));
		return;
	}
	proc_signal(WTERMSIG(status), name);
	snprintf(out, size, "was killed by %s", name);
}
