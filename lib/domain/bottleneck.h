/*
 * What holds a kernel back. Measured figures say it where there are any, hardware counters
 * before times; where there are none, the bytes and operations of the task do, against the
 * peaks of the GPU.
 * Owns nothing.
 */
#ifndef GEAK_DOMAIN_BOTTLENECK_H
#define GEAK_DOMAIN_BOTTLENECK_H

#include <stddef.h>

#include "records/json.h"

enum bottleneck_kind {
	BOTTLENECK_MEMORY,     /* the bandwidth of memory */
	BOTTLENECK_COMPUTE,    /* arithmetic, or what keeps the units from it */
	BOTTLENECK_DIVERGENCE, /* control flow that depends on data */
	BOTTLENECK_LAUNCH,     /* so little work that starting it is what takes time */
	BOTTLENECK_UNKNOWN,
};

struct bottleneck {
	enum bottleneck_kind kind;
	char why[600]; /* some sentences, with the figures */
};

/*
 * Model (Williams, Waterman, Patterson: Roofline, 2009): a kernel needs at least
 * bytes / bandwidth and flops / peak; the greater is its bound. arch is what
 * arch_load() gave, or NULL. Any JSON will do as candidate.
 */
void bottleneck_find(const struct json *candidate, const struct json *arch,
		     struct bottleneck *out);

const char *bottleneck_name(enum bottleneck_kind kind); /* "memory", ... */

/* -1 when there is no kind of that name. */
int bottleneck_of_name(const char *name, size_t len);

#endif
