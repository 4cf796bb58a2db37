/*
 * Tasks from one place, and what could not be made a task there: folders of
 * task.json, prompt.md and reference.py, or the file of somebody else's suite.
 * A task_set owns everything in it.
 */
#ifndef GEAK_DOMAIN_TASK_SET_H
#define GEAK_DOMAIN_TASK_SET_H

#include <stddef.h>

#include "ground/err.h"
#include "ground/line.h"
#include "ground/names.h"
#include "records/json.h"
#include "records/record.h"

struct task_entry {
	char *id;           /* of a broken one: what it would be called */
	struct json *task;  /* a checked task/1, or NULL */
	struct json *error; /* the error/1 that stands in for a broken one, or NULL */
};

struct task_set {
	struct task_entry *entries;
	size_t count, cap;
	struct names ids;
	size_t *first; /* of each id in ids: the entry */
};

void task_set_init(struct task_set *set);
void task_set_release(struct task_set *set);

/* The entry of that id, or NULL. */
const struct task_entry *task_set_find(const struct task_set *set, const char *id);

/*
 * Readers append to a set. Each returns 0 when it could look at everything,
 * also when some of it was broken: that becomes entries with an error. It
 * returns a negative code when path itself cannot be used.
 */

/* path is a task's folder, or a folder of such folders. */
int task_set_read(struct task_set *set, const char *path, struct err *e);

/* path is a file of task/1 records, "-" standard input. */
int task_set_read_records(struct task_set *set, const char *path, struct err *e);

/*
 * TritonBench: path is its JSON file or a folder with it. The files with the tests lie in
 * the folder tests, or (tests NULL) in TritonBench_G_v1 beside the JSON, or are not at hand.
 */
int task_set_import_tritonbench(struct task_set *set, const char *path, const char *tests,
				struct err *e);

/* AMD's ROCm suite: path is its JSON file or a folder with it. */
int task_set_import_rocm(struct task_set *set, const char *path, struct err *e);

/* KernelBench: path is a checkout, or the folder with level1, level2, ... */
int task_set_import_kernelbench(struct task_set *set, const char *path, struct err *e);

/* -- for readers */

/* Adds a copy of the task, if task_check() accepts it and no other has its id. */
int task_set_add(struct task_set *set, const struct json *task, struct err *e);

/* The whole of a UTF-8 file, at most max bytes, as a string of the caller's; or NULL. */
struct json *task_set_text(const char *path, size_t max, struct err *e);

/* Adds an error that carries record (copied; or none, with NULL), or one that carries a text. */
void task_set_add_broken(struct task_set *set, const struct record_origin *from, const char *id,
			 const struct err *why, const struct json *record);
void task_set_add_text(struct task_set *set, const struct record_origin *from, const char *id,
		       const struct err *why, const struct line *text);

#endif
