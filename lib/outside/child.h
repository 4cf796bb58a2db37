/*
 * The keeper's end of one child of a zygote: the conversation (JSON lines), the
 * captured log, the leash. A child owns its descriptors; child_end() kills what
 * still runs and frees everything.
 */
#ifndef GEAK_OUTSIDE_CHILD_H
#define GEAK_OUTSIDE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ground/buf.h"
#include "outside/zygote.h"

enum {
	CHILD_LOG_HALF = 2048,            /* of a long log this much of either end is kept */
	CHILD_MESSAGE_MAX = 1024 * 1024,  /* bytes; read in, one takes up to sixty times as many */
	CHILD_SAYS_MAX = 8 * 1024 * 1024, /* of all messages; who says more is not believed */
};

struct child {
	int leash, conn, log;      /* -1 once closed */
	bool ended;                /* the holder has reported, or is gone */
	bool reported;             /* end is valid */
	struct box_end end;
	struct buf pending;        /* of the conversation */
	size_t taken;              /* bytes of it that were handed out already */
	uint64_t said;             /* bytes of messages so far */
	struct buf unsent;         /* request bytes that did not fit yet */
	struct buf log_head, log_tail;
	uint64_t log_bytes;        /* everything it printed */
};

enum child_event {
	CHILD_MESSAGE,  /* *message is the caller's to free */
	CHILD_GARBLED,  /* it wrote what is no message, or too much; it is not believed any more */
	CHILD_ENDED,    /* no further messages; its end is known as far as it can be */
	CHILD_DEADLINE,
};

/* Hatches a child and sends it its request. The shared memory files stay the
 * caller's; -1 is none. */
int child_start(struct child *c, struct zygote *z, const struct box_limits *limits,
		const int shared[BOX_SHARED], const struct json *request, struct err *e);

/* Hands it shared memory in place of what it was started with; it has to be waiting for that, with
 * nothing left to read. 0 or -1. */
int child_hand(struct child *c, const int shared[BOX_SHARED]);

/* Whether it has said something that nobody has heard yet. */
bool child_speaks(const struct child *c);

/* Queues one more message for it. */
void child_send(struct child *c, const struct json *message);

/*
 * Waits until one of n children has something to tell, at most until deadline_ns
 * on the monotonic clock, and says which in *which. Meanwhile the logs of all of
 * them are drained. Children that are NULL or whose end was told are passed over.
 */
enum child_event child_wait(struct child *const *children, size_t n, int64_t deadline_ns,
			    size_t *which, struct json **message);

/* Whether it still runs, as far as can be told without waiting. */
bool child_lives(const struct child *c);

/* Lets go of the leash: everything below the holder is killed. The end still comes. */
void child_kill(struct child *c);

/* Kills, waits for the end and frees. */
void child_end(struct child *c);

/* What it printed, shortened in the middle; control characters masked. */
void child_log(const struct child *c, struct buf *out);

/* What it has said and printed so far is of no account any more: for one that goes on
 * to serve somebody else. */
void child_forget(struct child *c);

int64_t child_clock_ns(void);

#endif
