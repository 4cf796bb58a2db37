/*
 * A zygote: a process that has imported torch and triton once and whose forks
 * start in milliseconds. The keeper starts it by running its own binary again,
 * with a clean environment, and asks it for children over a socket.
 *
 * A struct zygote is the keeper's handle; zygote_stop() ends the process.
 * zygote_hatch() and zygote_revive() are safe from several threads. Where
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
	enum box_mode box;
	bool gpu;               /* its children may use one */
	bool profiles;          /* and run a profiler, whose folder they then see */
	bool compiles;          /* and torch.compile, which is imported for them */
	const char *folder;     /* for its temporary files, or NULL; the caller's */
	const char *targets;    /* "gfx942,sm_90": what is to be compiled for, the first one's GPU
				 * to be pretended; NULL where there is a GPU; the caller's */
	pthread_mutex_t lock;   /* for zygote_hatch() */
	pid_t pid;
	int control;            /* -1 while it does not run */
	struct json *versions;  /* {"python":…,"torch":…,"triton":…,"numpy":…} */
	struct json *facts;     /* what holds its children, as box_facts_json() */
	bool boxed;             /* and that is all there is */
};

/* The argument that makes the binary a zygote instead of a tool. */
#define ZYGOTE_ARGUMENT "--zygote"

/* The zygote's own main(), for what follows ZYGOTE_ARGUMENT: kind, box mode, "gpu" where
 * children may use one, else "cpu", and perhaps targets; n of them. */
int zygote_main(int n, char *const *arguments);

/* Starts a zygote of z's kind, box, folder, targets and what else its children may do, which
 * the caller has set; the rest need not be. It imports while the caller goes on. */
int zygote_start(struct zygote *z, struct err *e);

/* Waits until it has imported everything; fills versions, facts and boxed. */
int zygote_ready(struct zygote *z, struct err *e);

/* Asks for a child with these limits and descriptors. The zygote gets copies;
 * the caller closes its own. If the zygote is gone, another is started first. */
int zygote_hatch(struct zygote *z, const struct box_limits *limits, const int fds[BOX_FDS],
		 struct err *e);

/* Asks it whether it is there, and starts another when it does not answer. For when a child was lost:
 * the zygote may have gone before it, and not look so yet. */
int zygote_revive(struct zygote *z, struct err *e);

void zygote_stop(struct zygote *z);

#endif
