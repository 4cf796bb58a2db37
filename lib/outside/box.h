/*
 * What holds a candidate: namespaces that die with it, resource limits, descriptors
 * 0 to 6 and nothing else. Seen from the zygote, a child is
 *
 *     zygote -- holder -- the child
 *
 * The holder holds one end of the leash, a socket pair whose other end the keeper
 * holds. When the keeper lets go of it, or dies, the holder kills everything below;
 * when the child ends, whatever it left behind is killed as well, and then the
 * holder reports over the leash. Then it may be asked for another child, which gets
 * memory, mounts and IPC of its own as the last one did. Where there are process
 * namespaces it is the first process of one, so that nothing can escape it; the child
 * is not, since the first process of a namespace cannot be killed by its own signals:
 * it could not even abort.
 */
#ifndef GEAK_OUTSIDE_BOX_H
#define GEAK_OUTSIDE_BOX_H

#include <stdbool.h>
#include <stdint.h>

#include "ground/err.h"
#include "outside/grants.h"
#include "records/json.h"

enum box_mode {
	BOX_AUTO,    /* what the machine gives */
	BOX_REQUIRE, /* all of it, or nothing is run */
	BOX_OFF,     /* limits and the leash only */
};

extern const char *const box_mode_names[]; /* by enum box_mode; NULL ends */

/* Before a sentence of the box's own in a child's log. */
#define BOX_SAYS "the box: "

enum { BOX_PATH_MAX = 4096 };

/* What one child may use up; 0 means no limit. */
struct box_limits {
	uint64_t memory_bytes; /* memory beyond what the zygote already has, of all that it starts */
	bool address_space;    /* so much of that, too, in each process */
	uint64_t file_bytes;   /* size of any file it writes, shared memory too */
	uint64_t cpu_seconds;
	bool counters;         /* not a limit: it may read a GPU's counters, as far as we may */
	char folder[BOX_PATH_MAX]; /* where it works, unless the box has one of its own */
};

/* What holds a child. */
struct box_facts {
	bool user_namespace, pid_namespace, mount_namespace, net_namespace, ipc_namespace,
		uts_namespace, seccomp;
	int32_t landlock;      /* version of its interface, 0 for none */
};

enum box_cause {
	BOX_ENDED,     /* by itself, or by a signal that was not ours */
	BOX_LET_GO,    /* the leash was */
	BOX_CROWDED,   /* it had started more processes than it may */
	BOX_HOARDED,   /* its processes together had more memory than it may */
	BOX_OPEN,      /* it was not run: the box could not be made, or closed round it */
};

/* How a child ended, as the leash tells it. */
struct box_end {
	int32_t wait_status;   /* as from waitpid() */
	enum box_cause cause;
	int64_t max_rss_kib;
	int64_t cpu_us;
	struct box_facts facts;
};

/* The descriptors that a child's holder gets, in this order. */
enum {
	BOX_LEASH, BOX_CONN, BOX_LOG, BOX_MEMORY,
	BOX_SHARED = 3, /* shared memory files, from BOX_MEMORY on */
	BOX_FDS = BOX_MEMORY + BOX_SHARED
};

enum { BOX_PROCESSES = 256 }; /* that a child may have at once, itself among them */

/* In a zygote that has no threads yet: moves it into namespaces, where there are any. */
void box_enter(enum box_mode mode);

/* When it has imported all: takes away what was not granted, here and in its forks, as
 * far as that cannot wait until a fork. The grants stay the caller's and must live on.
 * ERR_SOFTWARE when something is missing that the mode requires. */
int box_close(const struct grants *grants, bool gpu, struct err *e);

/* What holds the children of this process, after box_close(). */
const struct box_facts *box_here(void);

/* {"pid_namespace":true,…} for a record; the caller frees it. */
struct json *box_facts_json(const struct box_facts *f);

/* The first part of the box that is missing, in words, or NULL when it is whole. */
const char *box_missing(const struct box_facts *f);

/* Forks the calling process into a box and runs body() there; the caller goes on at once.
 * When that fails the leash closes without a report. */
void box_hatch(const struct box_limits *limits, const int fds[BOX_FDS], int (*body)(void));

#endif
