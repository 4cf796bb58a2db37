/*
 * Two files a device. "room" is held shared or exclusively for as long as the device is; "door"
 * exclusively, for as long as one is about to enter. Who wants the room alone waits at the open
 * door until the room is empty, and nobody comes in meanwhile.
 */
#include "outside/device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ground/fd.h"
#include "ground/mem.h"

/* flock() knows no deadline: it is asked again and again, less often after a while, since
 * those who wait share the host's cores with who is timed. */
static const int64_t pause_ns = 1000000, pause_max_ns = 16000000;

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* -- files */

/*
 * Makes the file for everybody, who need no more than to read it. It appears under its name with
 * its mode: between open() and fchmod() others would be refused. Nothing that exists is opened
 * with O_CREAT, which the kernel forbids for another user's file in /tmp (fs.protected_regular).
 */
static int make_file(const char *path)
{
	char *draft = mem_printf("%s.XXXXXX", path);
	int fd = mkostemp(draft, O_CLOEXEC), rc = -1;

	if (fd >= 0) {
		if (!fchmod(fd, 0444) && (!link(draft, path) || errno == EEXIST))
			rc = 0;
		unlink(draft);
		close(fd);
	}
	free(draft);
	return rc;
}

/* A link that somebody put there is not followed, and a pipe does not keep us waiting. */
static int open_file(const char *path, struct err *e)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = open(path, flags);
	struct stat st;

	if (fd < 0 && errno == ENOENT && make_file(path) == 0)
		fd = open(path, flags);
	if (fd < 0) {
		err_errno(e, ERR_SOFTWARE, "the lock of a GPU, %s, cannot be opened", path);
	} else if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		fd_close(&fd);
		err_set(e, ERR_SOFTWARE, "the lock of a GPU, %s, is no file: remove it", path);
	}
	return fd;
}

/* Somebody may have tidied up: then those who come now would lock another file. */
static bool is_there(int fd, const char *path)
{
	struct stat ours, theirs;

	return fstat(fd, &ours) == 0 && lstat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino
	       && ours.st_dev == theirs.st_dev;
}

/* -- locks */

/* The lock of a file, or -1. */
static int take(const char *path, int how, int64_t began, int64_t deadline, struct err *e)
{
	int64_t pause = pause_ns;
	int fd = -1;

	for (;;) {
		int64_t left;
		bool locked;

		if (fd < 0)
			fd = open_file(path, e);
		if (fd < 0)
			return -1;
		locked = flock(fd, how | LOCK_NB) == 0;
		if (!locked && errno != EWOULDBLOCK && errno != EINTR) {
			err_errno(e, ERR_SOFTWARE, "the lock of a GPU, %s, cannot be taken", path);
			break;
		}
		if (!is_there(fd, path))
			fd_close(&fd);
		else if (locked)
			return fd;
		left = deadline - now_ns();
		if (left <= 0) {
			err_set(e, ERR_TEMP, "others had the lock of a GPU, %s, for %.3g s", path,
				(double)(now_ns() - began) * 1e-9);
			break;
		}
		nanosleep(&(struct timespec){ .tv_nsec = pause < left ? pause : left }, NULL);
		pause = 2 * pause < pause_max_ns ? 2 * pause : pause_max_ns;
	}
	fd_close(&fd);
	return -1;
}

static char *name_file(const char *gpu, const char *what)
{
	const char *dir = getenv("GEAK_LOCK_DIR");

	return mem_printf("%s/geak-gpu-%.15s.%s", dir && *dir ? dir : "/tmp", gpu, what);
}

int device_lock_take(struct device_lock *l, const char *gpu, bool alone, double seconds,
		     struct err *e)
{
	int64_t began = now_ns(), deadline = began + (int64_t)(seconds * 1e9);
	char *door = name_file(gpu, "door"), *room = name_file(gpu, "room");
	int entering = take(door, LOCK_EX, began, deadline, e);

	l->fd = entering < 0 ? -1 : take(room, alone ? LOCK_EX : LOCK_SH, began, deadline, e);
	fd_close(&entering);
	free(room);
	free(door);
	return l->fd < 0 ? e->code : 0;
}

void device_lock_drop(struct device_lock *l)
{
	fd_close(&l->fd);
}
