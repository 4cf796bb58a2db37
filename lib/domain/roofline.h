/*
 * What the physics of a GPU leave to a kernel: Williams, Waterman, Patterson 2009, "Roofline: an
 * Insightful Visual Performance Model". A case needs at least bytes / bandwidth and operations /
 * peak; the greater is its floor, and floor / time the share of what can be had.
 *
 * Owns nothing. What is not known is NAN.
 */
#ifndef GEAK_DOMAIN_ROOFLINE_H
#define GEAK_DOMAIN_ROOFLINE_H

#include <stdbool.h>

#include "records/json.h"

struct roofline_gpu {
	const struct json *facts;  /* as arch_of_device() gave them, or NULL */
	double copy_gbs;           /* bytes read and written a second, as measured here */
	double clock_mhz;          /* the highest that it may run at */
};

struct roofline {
	double gbs, tflops;        /* the peaks */
	double memory_ms, compute_ms;
	double floor_ms;           /* the greater of the two */
	double least_ms;           /* under which the work was not done: roofline_is_beaten() */
	const char *least_of;      /* what needs that long: "bytes" or "operations" */
};

enum roofline_wall { ROOFLINE_UNKNOWN, ROOFLINE_MEMORY, ROOFLINE_COMPUTE, ROOFLINE_LAUNCH };

/*
 * The floor of one case of a task, by the members "bytes" and "flops" of the case, and the peak
 * of the type that its params or the task's signature name; of all, where they name none.
 *
 * cold_bytes are those of the inputs, where a flush of the caches made sure that each of them
 * comes out of memory; 0 when that is not so.
 */
void roofline_of(const struct roofline_gpu *gpu, const struct json *task,
		 const struct json *task_case, double cold_bytes, struct roofline *out);

/* floor / time. A little more than 1 is possible: caches, and a clock above the data sheet's. */
double roofline_share(const struct roofline *r, double ms);

/* What the case stands at. A time of a few launches, most of which is no work, is a launch's. */
enum roofline_wall roofline_wall(const struct roofline *r, double ms);
const char *roofline_wall_name(enum roofline_wall w); /* "memory", "compute", "launch", NULL */

/*
 * The time is shorter than the work can take, so not all of the work was done in it. Honest
 * kernels stay above, since least_ms leaves room for what can make them faster than the floor:
 *
 *   caches       what was written may still lie in the last level when the clock stops, and, but
 *                for cold_bytes, what was read may have lain there
 *   clock        peaks are told at a clock (NVIDIA's of matrix units at 1830 MHz), GPUs run up to
 *                their highest (1980)
 *   types        float32 and float64 may be had of narrower types (TF32, or splitting into several
 *                products): the fastest 16-bit peak counts
 *   algorithms   a quarter fewer operations than the task tells (one level of Strassen's
 *                product saves an eighth)
 *   data sheets  10 % more bandwidth; where there is none, 1.4 times what a copy reached, since
 *                copies reach three quarters of it and more
 *   the clock    2 us: two readings in steps of half of one, and the cost of an empty launch
 *                that was subtracted
 *
 * Not for compression (only memory that is asked for as compressible has it, and random
 * contents do not compress) nor for 2:4 sparsity (data that is not so cannot be made so
 * and still be right).
 */
bool roofline_is_beaten(const struct roofline *r, double ms);

/* Sets "floor_ms", "roofline" (the share) and "wall" of a case of perf, where they are known. */
void roofline_set(struct json *perf_case, const struct roofline *r, double ms);

/* {"gpu": name, "memory_gbs": peak, "copy_gbs": measured}, where they are known; the caller's. */
struct json *roofline_gpu_record(const struct roofline_gpu *gpu);

#endif
