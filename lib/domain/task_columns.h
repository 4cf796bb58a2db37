/*
 * Tasks as lines of a list for a person, within 80 columns: id, difficulty, tags, title.
 * Owns nothing.
 */
#ifndef GEAK_DOMAIN_TASK_COLUMNS_H
#define GEAK_DOMAIN_TASK_COLUMNS_H

#include "ground/buf.h"
#include "records/json.h"

/* Widths of the columns that have one, for all the tasks that were fitted in. */
struct task_columns {
	int id, tags;
};

void task_columns_fit(struct task_columns *columns, const struct json *task);

/* Fills line, which is empty, with the task's, without a newline. */
void task_columns_add(const struct task_columns *columns, const struct json *task, struct buf *line);

#endif
