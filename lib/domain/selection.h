/*
 * The best candidates of each task out of any number. Records wait in a
 * temporary file that has no name; memory holds what ranks them. A selection
 * owns both, and copies what it is given.
 */
#ifndef GEAK_DOMAIN_SELECTION_H
#define GEAK_DOMAIN_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "ground/err.h"
#include "records/json.h"

struct selection;

/* The file lies in $TMPDIR or /tmp. NULL, with ERR_IO, when it cannot be made. */
struct selection *selection_new(struct err *e);
void selection_free(struct selection *s);

/* Adds a candidate/1. A second one with the same task and id takes the place of
 * the first, unless only the first was judged. Returns 0, ERR_RECORD when the
 * candidate has no id or no task, or ERR_IO. */
int selection_add(struct selection *s, const struct json *candidate, struct err *e);

/* Ranks what was added; nothing can be added afterwards. Returns the number of tasks. */
size_t selection_rank(struct selection *s);

struct selection_task {
	const char *id;
	size_t candidates, passed, judged;
	size_t first;                     /* for selection_read() */
};

/* Tasks come in the order in which their first candidates came. */
struct selection_task selection_task(const struct selection *s, size_t index);

/* The task's candidate in place rank, 0 being the best. The caller frees it. */
struct json *selection_read(const struct selection *s, const struct selection_task *task,
			    size_t rank, struct err *e);

#endif
