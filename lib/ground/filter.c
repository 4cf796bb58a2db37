#include "ground/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

int filter_start(struct filter *f, char *const argv[], int in, struct err *e)
{
	posix_spawn_file_actions_t actions;
	int fds[2], rc;

	if (pipe2(fds, O_CLOEXEC))
		return err_errno(e, ERR_SOFTWARE, "no pipe for %s", argv[0]);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	rc = posix_spawnp(&f->pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	if (rc) {
		close(fds[0]);
		errno = rc;
		return err_errno(e, ERR_SOFTWARE, "%s cannot be run", argv[0]);
	}
	f->out = fds[0];
	return 0;
}

int filter_end(struct filter *f)
{
	int status = 0;

	close(f->out);
	while (waitpid(f->pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
