/* The keys of a task/1 record. Owns nothing. */
#ifndef GEAK_DOMAIN_TASK_KEYS_H
#define GEAK_DOMAIN_TASK_KEYS_H

#include "ground/err.h"
#include "records/json.h"

/* A copy with the keys in the order of geak-record(5), unknown ones last; the caller's. */
struct json *task_in_order(const struct json *task);

/*
 * Looks for keys that are a slip of one that may be left out, and is: "tolerence", without which
 * the task would be judged by another tolerance. For a task that passed task_check(). Returns 0,
 * or ERR_RECORD with a sentence that names both.
 */
int task_keys_check(const struct json *task, struct err *e);

#endif
