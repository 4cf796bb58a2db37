/*
 * A summary/1 as text for a person, at most 80 columns wide. It shows what the
 * record says and computes nothing; what is unknown is "-".
 */
#ifndef GEAK_DOMAIN_TABLE_H
#define GEAK_DOMAIN_TABLE_H

#include <stdbool.h>

#include "ground/buf.h"
#include "records/json.h"

/* Appends the table; with per_task a line for each task as well. */
void table_add(struct buf *out, const struct json *summary, bool per_task);

#endif
