#include "outside/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ground/fd.h"
#include "ground/mem.h"

enum { SWEEPS = 300, SWEEP_PAUSE_MS = 100 }; /* while a killed owner's children still write */

static DIR *open_folder(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

static const struct dirent *next_entry(DIR *dir)
{
	const struct dirent *d;

	do
		d = readdir(dir);
	while (d && (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0));
	return d;
}

/* A folder of mode 0 could not be opened, nor moved. */
static void open_up(int at, const char *name)
{
	if (fchmodat(at, name, 0700, AT_SYMLINK_NOFOLLOW)) {
		/* Not ours, then: removing it will tell. */
	}
}

/* Unlinks the files of a folder in top, moves its folders up into top, and removes
 * it. So there is no depth at which descriptors, stack or path would run out. */
static bool dissolve(int top, const char *name, unsigned long *moved)
{
	DIR *dir = open_folder(top, name);
	const struct dirent *d;

	while (dir && (d = next_entry(dir))) {
		char higher[32];

		if (unlinkat(dirfd(dir), d->d_name, 0) == 0 || errno != EISDIR)
			continue;
		snprintf(higher, sizeof(higher), "moved-%lu", (*moved)++);
		open_up(dirfd(dir), d->d_name);
		renameat(dirfd(dir), d->d_name, top, higher);
	}
	if (dir)
		closedir(dir);
	return unlinkat(top, name, AT_REMOVEDIR) == 0;
}

int scratch_remove(const char *path)
{
	DIR *top = open_folder(AT_FDCWD, path);
	unsigned long moved = 0;
	bool progress = top;

	while (progress) {
		const struct dirent *d;

		progress = false;
		rewinddir(top);
		while ((d = next_entry(top))) {
			if (unlinkat(dirfd(top), d->d_name, 0) == 0) {
				progress = true;
			} else if (errno == EISDIR) {
				open_up(dirfd(top), d->d_name);
				progress |= dissolve(dirfd(top), d->d_name, &moved);
			}
		}
	}
	if (top)
		closedir(top);
	return rmdir(path);
}

/* The sweeper: nothing of the owner's but the line, so that nobody waits for it. */
static _Noreturn void sweep(int line)
{
	const struct timespec pause = { 0, SWEEP_PAUSE_MS * 1000000L };
	char path[PATH_MAX];
	size_t len = 0;
	ssize_t n;

	prctl(PR_SET_NAME, "geak-sweeper");
	setsid(); /* a Ctrl-C is not for us */
	dup2(line, STDIN_FILENO);
	fd_close_above(STDIN_FILENO);
	while (len < sizeof(path) - 1) {
		n = read(STDIN_FILENO, path + len, sizeof(path) - 1 - len);
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		len += n > 0 ? (size_t)n : 0;
	}
	path[len] = '\0';
	/* The owner was killed: what it started ends with it, but not before it, and a process
	 * that makes folders would make this one anew. */
	if (len && access(path, F_OK) == 0)
		nanosleep(&pause, NULL);
	for (int i = 0; len && i < SWEEPS && scratch_remove(path) && errno != ENOENT; i++)
		nanosleep(&pause, NULL);
	_exit(0);
}

int scratch_init(struct scratch *s, struct err *e)
{
	int line[2];

	*s = (struct scratch){ .line = -1 };
	/* Not a pipe: should the sweeper have been killed, writing to one would end us. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line))
		return err_errno(e, ERR_SOFTWARE, "no socket for the process that tidies up");
	s->sweeper = fork();
	if (s->sweeper == 0)
		sweep(line[0]);
	close(line[0]);
	s->line = line[1];
	if (s->sweeper < 0) {
		fd_close(&s->line);
		return err_errno(e, ERR_SOFTWARE, "the process that tidies up cannot be started");
	}
	return 0;
}

int scratch_make(struct scratch *s, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	char *path;

	if (s->path)
		return 0;
	tmp = tmp && *tmp ? tmp : "/tmp";
	if (strchr(tmp, '%'))
		return err_set(e, ERR_SOFTWARE, "there can be no scratch folder in %s: LLVM puts "
			       "something else in place of a %%; set another TMPDIR", tmp);
	path = mem_printf("%s/geak-eval-XXXXXX", tmp);
	if (!mkdtemp(path)) {
		err_errno(e, ERR_SOFTWARE, "the scratch folder %s cannot be made; set TMPDIR", path);
		free(path);
		return e->code;
	}
	s->path = path;
	/* Without a sweeper scratch_release() does it all. */
	if (send(s->line, path, strlen(path), MSG_NOSIGNAL) < 0)
		errno = 0;
	return 0;
}

void scratch_release(struct scratch *s)
{
	if (s->path)
		scratch_remove(s->path);
	free(s->path);
	s->path = NULL;
	if (s->line < 0)
		return;
	fd_close(&s->line);
	while (waitpid(s->sweeper, NULL, 0) < 0 && errno == EINTR)
		continue;
}
