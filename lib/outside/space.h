/*
 * Namespaces. A zygote moves into its own before Python starts: no network, no
 * process but its forks, mounts that are its own affair. Each child then gets a
 * process namespace of its own below that. Root is not needed where users may make
 * user namespaces. What was got is the process's state, here; nothing is owned.
 */
#ifndef GEAK_OUTSIDE_SPACE_H
#define GEAK_OUTSIDE_SPACE_H

#include <stdbool.h>
#include <sys/types.h>

struct space {
	bool user, pid, mount, net, ipc, uts;
};

/* What this process and its forks have; all false before space_enter(). */
extern struct space space_here;

/* Takes what the machine gives; called in a process without threads. The caller goes
 * on in a fork of itself that is the first process of the namespace; the process that
 * called stays behind to die with it. */
void space_enter(void);

/* As fork(); the child is the first process of a new namespace, when there are any. */
pid_t space_fork(void);

/* In that child: mounts that are its own, with a /proc of its namespace. 0 or -1. */
int space_furnish(void);

#endif
