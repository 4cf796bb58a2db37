/*
 * What makes a task/1 record one that can be worked on. Owns nothing.
 */
#ifndef GEAK_DOMAIN_TASK_H
#define GEAK_DOMAIN_TASK_H

#include <stdbool.h>

#include "ground/err.h"
#include "records/hash.h"
#include "records/json.h"

/* How a candidate is judged. */
enum task_harness {
	TASK_FUNCTION, /* call the entry, compare what it returns with the reference */
	TASK_SCRIPT,   /* run the appended tests, compare a named result */
	TASK_PYTEST,   /* the same through pytest */
	TASK_MODULE,   /* a ModelNew against a Model */
	TASK_NO_HARNESS,
};

/*
 * Checks every key that geak-record(5) describes for a task: that it is there,
 * its type, its range. Keys that it does not describe are nobody's business.
 * Returns 0, or ERR_RECORD with a sentence that names the key.
 */
int task_check(const struct json *task, struct err *e);

/* TASK_NO_HARNESS when the task names none that is known. */
enum task_harness task_harness(const struct json *task);

/* The case of that name; NULL when there is none, or no name. */
const struct json *task_case(const struct json *task, const char *name);

/* Whether a case, as a task has it or an oracle made it, is one for timing. */
bool task_case_is_timed(const struct json *task_case);

/* The same for tasks whose JSON is the same. */
void task_digest(const struct json *task, char digest[HASH_HEX]);

#endif
