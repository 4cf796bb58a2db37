/*
 * Namespaces. A zygote moves into its own before Python starts: no network, no
 * process but its forks, mounts that are its own affair. Each child then gets a
 * process namespace of its own below that. Root is not needed where users may make
 * user namespaces. What was got is the process's state, here; nothing is owned.
 */
#ifndef GEAK_OUTSIDE_SPACE_H
#define GEAK_OUTSIDE_SPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "outside/grants.h"

struct space {
	bool user, pid, net, ipc, uts;
	bool mount; /* a root of its own, with what was granted */
	bool proc;  /* of /proc only what is of its processes can be written */
};

/* What this process and its forks have; all false before space_enter(). */
extern struct space space_here;

/* Takes what the machine gives; called in a process without threads. The caller goes
 * on in a fork of itself that is the first process of the namespace; the process that
 * called stays behind to die with it. */
void space_enter(void);

/* As fork(); the child is the first process of a new namespace, when there are any. */
pid_t space_fork(void);

/* In the zygote, when all is imported: leaves of the file system what is granted, and all
 * of that read-only. False, and nothing has changed, where that cannot be. */
bool space_narrow(const struct grants *g);

/*
 * In a child of space_fork(): mounts that are its own, with a /proc of its namespace,
 * and a working folder: after space_narrow() one that nobody else sees, of so many bytes
 * at most, with a /dev/shm of the same kind; else the one named, which is made. 0 or -1.
 */
int space_furnish(const char *folder, uint64_t bytes);

/* After space_narrow(), and in forks: the mounts that children start from; else -1. */
int space_mounts(void);

/* Back to them from what space_furnish() mounted, which goes with the last process in it. 0 or -1. */
int space_leave(int mounts);

/* In the same, after that: makes all of /proc read-only but the processes' own. NULL, and
 * space_here.proc is true; or what could not be, with errno set: it is valid until the next call. */
const char *space_guard_proc(void);

/* Where a child works after space_narrow(): /tmp, unless something was granted in there. */
const char *space_folder(void);

/* For space*.c. */
int space_mount_proc(const char *path);

#endif
