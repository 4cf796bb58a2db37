/*
 * Another program as a filter: it reads a file, and we what it writes; its standard
 * error is ours. It stays in our process group, so that a terminal's interrupt ends both.
 * The caller owns a struct filter from filter_start() to filter_end().
 */
#ifndef GEAK_GROUND_FILTER_H
#define GEAK_GROUND_FILTER_H

#include <sys/types.h>

#include "ground/err.h"

struct filter {
	pid_t pid;
	int out; /* what it writes */
};

/* Runs argv[0], from PATH if it names no folder, on the file in. */
int filter_start(struct filter *f, char *const argv[], int in, struct err *e);

/* Closes out, waits, and returns the exit status; 128 and the signal's number if one ended it. */
int filter_end(struct filter *f);

#endif
