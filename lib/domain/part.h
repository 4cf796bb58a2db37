/*
 * One child's part in a trial: the process, who listens to it, and how it ended.
 * A part owns everything in it; part_release() ends the child if it still runs.
 */
#ifndef GEAK_DOMAIN_PART_H
#define GEAK_DOMAIN_PART_H

#include "outside/child.h"

enum part_end {
	PART_NOT_RUN,
	PART_DONE,      /* it said all it had to say */
	PART_STOPPED,   /* it ended early, by itself or by a signal */
	PART_DEADLINE,
	PART_GARBLED,
	PART_NO_CHILD,  /* it could not even be started: our fault */
	PART_NOT_BOXED, /* nothing of it was run, since the box could not be closed: ours too */
};

struct part {
	struct child child;
	bool running;
	char *folder;             /* where it works, unless its box has a folder of its own */
	enum part_end end;
	struct box_end how;       /* valid when reported */
	bool reported;
	bool lost;                /* it is gone, and nobody was left to tell how it ended */
	struct buf log;           /* filled when it has ended */
	struct json *error;       /* {"class","message","trace"} as it reported, or NULL */
	char *error_stage;        /* "import" or "call" */
	char *error_case;
	void (*hear)(void *listener, const struct json *message);
	void *listener;
};

void part_init(struct part *p, void (*hear)(void *listener, const struct json *message),
	       void *listener);

/* Hatches the child; see child_start(). The request is freed whatever comes of it; on
 * failure end is PART_NO_CHILD. */
int part_start(struct part *p, struct zygote *z, const struct box_limits *limits,
	       const int shared[BOX_SHARED], struct json *request, struct err *e);

/* Takes over the child of another part, which waited with nothing to do, and which has none then; shared
 * as above, the request stays the caller's. False, and nothing has changed, when it cannot be handed what
 * it needs. */
bool part_take_over(struct part *p, struct part *from, const int shared[BOX_SHARED],
		    const struct json *request);

/*
 * Serves a and b (which may be NULL) until done(what) holds, or a has ended, or the
 * deadline has passed: then a is ended. A child that ends, or talks nonsense, is
 * finished on the way.
 */
void part_serve(struct part *a, struct part *b, int64_t deadline_ns,
		bool (*done)(const void *what), const void *what);

/* It was ended by somebody else, or was not run for want of a box, or nobody was left to
 * tell how it ended: that says nothing about the code that it was to run. */
bool part_says_nothing(const struct part *p);

/* How it ended, for what stands behind its name: "exited with status 1". */
void part_describe_end(const struct part *p, char *out, size_t size);

/* What failed of the judge's own, for good by now: the caller owns it. NULL when nothing did. */
struct json *part_fault_of_ours(const struct part *p);

/* Its error is the GPU driver's, such as of a device that was reset: then it may have been somebody
 * else's doing. */
bool part_blames_driver(const struct part *p);

/* Has the child end, if it still runs, and does not wait for that. */
void part_kill(struct part *p);

/* Ends the child if it still runs, and keeps its log and how it ended. */
void part_finish(struct part *p);

/* Finishes it and frees everything. Safe on a part that was only zeroed. */
void part_release(struct part *p);

/* The deadline that many seconds from now, for part_serve(). */
int64_t part_deadline(double seconds);

#endif
