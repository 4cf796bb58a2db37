/* A vendor's library, opened by one of several names, and its calls found by name. */
#ifndef GEAK_OUTSIDE_GPU_LIBRARY_H
#define GEAK_OUTSIDE_GPU_LIBRARY_H

#include "ground/err.h"
#include "outside/gpu.h"

/* The vendors. NULL, with ERR_SOFTWARE and a clause for the reason, where one has nothing to
 * offer. */
const struct gpu_driver *gpu_hip_open(struct err *e);
const struct gpu_driver *gpu_cuda_open(struct err *e);

/* What the environment names under variable, or else the first of names that can be opened.
 * NULL with a reason. It is never closed: a driver leaves threads behind. */
void *gpu_library_open(const char *variable, const char *const *names, struct err *e);

struct gpu_call {
	const char *name;
	size_t at;       /* of the pointer to it, in the table */
};

/* Fills a table of function pointers; fails with the name of the first that is not there. */
int gpu_library_bind(void *library, void *table, const struct gpu_call *calls, size_t n,
		     struct err *e);

#endif
