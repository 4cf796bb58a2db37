/*
 * What holds a candidate: a process namespace that dies with it, resource
 * limits, descriptors 0 to 6 and nothing else. Seen from the zygote, a child is
 *
 *     zygote -- guard -- init -- the child          (with a pid namespace)
 *     zygote -- guard -- the child                  (without one)
 *
 * The guard holds one end of the leash, a socket pair whose other end the keeper
 * holds. When the keeper closes it, or dies, the guard kills everything below;
 * when the child ends, the guard (or init) reports its end over the leash, and
 * whatever the child left behind is killed as well. Init is there because the
 * first process of a namespace cannot be killed by its own signals: a candidate
 * in its place could not even abort.
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

/* The descriptors that a child's guard gets, in this order. */
enum {
	BOX_LEASH, BOX_CONN, BOX_LOG, BOX_MEMORY,
	BOX_SHARED = 3, /* shared memory files, from BOX_MEMORY on */
	BOX_FDS = BOX_MEMORY + BOX_SHARED
};

/* Finds out, once in a zygote, whether this machine gives namespaces. */
void box_prepare(void);

/* Called in a fresh fork of the zygote; runs body() in the box and never returns. */
void box_run(const struct box_limits *limits, const int fds[BOX_FDS], int (*body)(void))
	__attribute__((noreturn));

#endif
