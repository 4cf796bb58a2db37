/*
 * What holds a candidate: namespaces that die with it, resource limits, descriptors
 * 0 to 6 and nothing else. Seen from the zygote, a child is
 *
 *     zygote -- holder -- the child
 *
 * The holder holds one end of the leash, a socket pair whose other end the keeper
 * holds. When the keeper lets go of it, or dies, the holder kills everything below;
 * when the child ends, whatever it left behind is killed as well, and then the
 * holder reports over the leash. Where there are process namespaces it is the first
 * process of one, so that nothing can escape it; the child is not, since the first
 * process of a namespace cannot be killed by its own signals: it could not even abort.
 */
#ifndef GEAK_OUTSIDE_BOX_H
#define GEAK_OUTSIDE_BOX_H

#include <stdint.h>

/* Limits of one child; 0 means none. */
struct box_limits {
	uint64_t memory_bytes; /* address space beyond what the zygote already has */
	uint64_t file_bytes;   /* size of any file it writes, shared memory too */
	uint64_t cpu_seconds;
};

/* How a child ended, as the leash tells it. */
struct box_end {
	int32_t wait_status;   /* as from waitpid() */
	int32_t namespaced;    /* 1 when a pid namespace was there to hold it */
	int64_t max_rss_kib;
	int64_t cpu_us;
};

/* The descriptors that a child's holder gets, in this order. */
enum {
	BOX_LEASH, BOX_CONN, BOX_LOG, BOX_MEMORY,
	BOX_SHARED = 3, /* shared memory files, from BOX_MEMORY on */
	BOX_FDS = BOX_MEMORY + BOX_SHARED
};

/* In a zygote that has no threads yet: moves it into namespaces, where there are any. */
void box_enter(void);

/* Forks the calling process into a box and runs body() there; the caller goes on at once.
 * When that fails the leash closes without a report. */
void box_hatch(const struct box_limits *limits, const int fds[BOX_FDS], int (*body)(void));

#endif
