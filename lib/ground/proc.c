#include "ground/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ground/fd.h"
#include "ground/keeper.h"

enum { CHUNK = 64 * 1024 };

/* In the command's process. Its parent, the keeper, takes it along when it is killed. */
static _Noreturn void run_command(const int fds[3], char *const argv[], char *const env[])
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM,
				       SIGXFSZ };
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(fds[0], STDIN_FILENO);
	dup2(fds[1], STDOUT_FILENO);
	dup2(fds[2], STDERR_FILENO);
	for (size_t i = 0; env && env[i]; i++)
		putenv(env[i]);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s cannot be run: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* In the keeper, which has one thread: ours has at most helpers that hold no lock of ours. */
static _Noreturn void run_keeper(int leash, const int fds[3], char *const argv[], char *const env[])
{
	pid_t command;

	keeper_prepare();
	command = fork();
	if (command == 0)
		run_command(fds, argv, env);
	if (command < 0) {
		dprintf(fds[2], "%s cannot be started: %s\n", argv[0], strerror(errno));
		_exit(EXIT_FAILURE);
	}
	setpgid(command, command); /* both sides do it, so that it is so whoever is first */
	keeper_watch(leash, command);
}

int proc_spawn(struct proc *p, char *const argv[], char *const env[], struct err *e)
{
	int fds[8] = { -1, -1, -1, -1, -1, -1, -1, -1 };
	int *in = fds, *out = fds + 2, *err = fds + 4, *leash = fds + 6;

	*p = (struct proc){ .pid = -1, .exited = -1, .in = -1, .out = -1, .err = -1 };
	if (!pipe2(in, O_CLOEXEC) && !pipe2(out, O_CLOEXEC) && !pipe2(err, O_CLOEXEC)
	    && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, leash))
		p->pid = fork();
	if (p->pid < 0) {
		err_errno(e, ERR_SOFTWARE, "%s cannot be started", argv[0]);
		for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
			fd_close(&fds[i]);
		return ERR_SOFTWARE;
	}
	if (p->pid == 0)
		run_keeper(leash[1], (const int[]){ in[0], out[1], err[1] }, argv, env);
	p->in = in[1];
	p->out = out[0];
	p->err = err[0];
	p->exited = leash[0];
	fd_close(&in[0]);
	fd_close(&out[1]);
	fd_close(&err[1]);
	fd_close(&leash[1]);
	fcntl(p->in, F_SETFL, O_NONBLOCK);
	fcntl(p->out, F_SETFL, O_NONBLOCK);
	fcntl(p->err, F_SETFL, O_NONBLOCK);
	return 0;
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
	ssize_t n = recv(p->exited, status, sizeof(*status), MSG_PEEK | MSG_DONTWAIT);

	if (n == 0) /* somebody killed the keeper, and it went along */
		*status = SIGKILL;
	return n == 0 || n == (ssize_t)sizeof(*status);
}

void proc_end(struct proc *p)
{
	fd_close(&p->exited); /* lets go of the leash */
	fd_close(&p->in);
	fd_close(&p->out);
	fd_close(&p->err);
	while (p->pid > 0 && waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
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
