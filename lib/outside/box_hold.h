/* The holder of a child (outside/box.h), for box*.c. Owns nothing. */
#ifndef GEAK_OUTSIDE_BOX_HOLD_H
#define GEAK_OUTSIDE_BOX_HOLD_H

#include "outside/box.h"

typedef void box_child_fn(const struct box_limits *limits, const int fds[BOX_FDS],
			  int not_closed, int (*body)(void));

/* In a child of space_fork(): forks once more, calls run() there, which does not return,
 * watches over it and over all that it starts, and reports. Then it says over its line, unless
 * that is -1, that it is idle, and does the same for the next request that comes there. It
 * ends when there is none. */
_Noreturn void box_hold(const struct box_limits *limits, const int fds[BOX_FDS], int line,
			box_child_fn *run, int (*body)(void));

struct box_memory {
	uint64_t address_space;
	uint64_t own; /* what is there and no file backs, shared memory too */
}; /* in bytes */

/* Of a process: its number, or "self". Zeros when it is gone. */
struct box_memory box_memory(const char *process);


#endif
