/*
 * A zygote: a process that has imported torch and triton once and whose forks
 * start in milliseconds. The keeper starts it by running its own binary again,
 * with a clean environment, and asks it for children over a socket.
 *
 * A struct zygote is the keeper's handle; zygote_stop() ends the process.
 * zygote_hatch() is safe from several threads. Where
 * there are process namespaces, children die with their zygote.
 */
#ifndef GEAK_OUTSIDE_ZYGOTE_H
#define GEAK_OUTSIDE_ZYGOTE_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "ground/err.h"
#include "outside/box.h"
#include "records/json.h"

enum zygote_kind {
	ZYGOTE_INTERPRETER, /* with TRITON_INTERPRET=1 set before triton is imported */
	ZYGOTE_COMPILER,
	ZYGOTE_VERSIONS,    /* imports nothing heavy: tells the versions and ends */
};

struct zygote {
	enum zygote_kind kind;
	pthread_mutex_t lock;   /* for zygote_hatch() */
	pid_t pid;
	int control;            /* -1 while it does not run */
	struct json *versions;  /* {"python":…,"torch":…,"triton":…,"numpy":…} */
};

/* The argument that makes the binary a zygote instead of a tool. */
#define ZYGOTE_ARGUMENT "--zygote"

/* The zygote's own main(), for the kind that argv named. */
int zygote_main(const char *kind);

/* Starts a zygote; it imports while the caller goes on. */
int zygote_start(struct zygote *z, enum zygote_kind kind, struct err *e);

/* Waits until it has imported everything; fills versions. */
int zygote_ready(struct zygote *z, struct err *e);

/* Asks for a child with these limits and descriptors. The zygote gets copies;
 * the caller closes its own. If the zygote is gone, another is started first. */
int zygote_hatch(struct zygote *z, const struct box_limits *limits, const int fds[BOX_FDS],
		 struct err *e);

void zygote_stop(struct zygote *z);

#endif
