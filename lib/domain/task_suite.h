/*
 * What the importers of other people's suites share: one JSON array of
 * entries, and Python files whose tests follow a line of 146 '#'.
 * What is returned is the caller's.
 */
#ifndef GEAK_DOMAIN_TASK_SUITE_H
#define GEAK_DOMAIN_TASK_SUITE_H

#include <stddef.h>

#include "domain/task_set.h"

/* Where a suite's JSON may lie in a folder: NULL-terminated, the best first. */
struct suite_places {
	const char *suite;        /* for messages: "TritonBench" */
	const char *const *files;
};

/* The path of the JSON: path itself, or the first of the places in that folder. */
int suite_find(const struct suite_places *places, const char *path, char **json, struct err *e);

/* The entries. NULL unless the file holds a JSON array. */
struct json *suite_load(const char *path, struct err *e);

/* Cuts a file at its line of exactly 146 '#' (blanks may follow). ERR_RECORD without one. */
int suite_split(const char *text, char **kernel, char **tests, struct err *e);

/* A task/1 with what is the same for all of a suite's; file is the entry's. */
struct json *suite_task(const char *suite, const char *file);

/* {"atol":x,"rtol":x,"equal_nan":true}: a result that holds NaN must at least agree with itself. */
struct json *suite_tolerance(double x);

/* Adds an error/1 for the entry numbered from->line; id NULL if it has none. */
void suite_add_broken(struct task_set *set, const struct record_origin *from, const char *id,
		      const struct err *why, const struct json *entry);

/* "softmax" for "softmax.py"; NULL, with an error, for what is no plain file name. */
char *suite_id(const char *file, struct err *e);

/* The function that a candidate must define: what the tests (NULL: not at hand)
 * call of the kernel's file, or the one that nothing else in it uses. NULL if it cannot be told. */
char *suite_entry(const char *kernel, const char *tests);

/* The name that the last line of the form NAME = test_...() gives its result. */
char *suite_result(const char *tests);

#endif
