/*
 * GPUs through their vendor's library: HIP's runtime or CUDA's driver, which is opened when it
 * is first asked for and stays open. Both come as one table of calls.
 *
 * What a call gives out is the caller's, who gives it back to the matching call.
 */
#ifndef GEAK_OUTSIDE_GPU_H
#define GEAK_OUTSIDE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ground/err.h"

/* Whether a driver's device node is in that folder, which is /dev, for us to open. Asks the file
 * system alone: no library is opened. */
bool gpu_present(const char *folder);

struct gpu_device {
	char name[256];         /* "AMD Instinct MI300X" */
	char arch[32];          /* "gfx942", "sm_90" */
	char pci[16];           /* "0000:c1:00.0" */
	int compute_units;      /* NVIDIA's multiprocessors */
	int wavefront;          /* threads; NVIDIA's warp */
	int clock_khz;          /* the highest */
	uint64_t lds_bytes;     /* the most that one workgroup can have; NVIDIA's shared memory */
	uint64_t cache_bytes;   /* L2: MI300X's last level, 256 MiB, is behind it and not told */
	uint64_t memory_bytes;
};

enum { GPU_SHARE_BYTES = 64 };

/* Memory that another process may map. */
struct gpu_share {
	char opaque[GPU_SHARE_BYTES];
};

struct gpu_stream;   /* NULL is the default stream */
struct gpu_event;
struct gpu_module;
struct gpu_function;

/*
 * Every call returns 0 or the vendor's error code, which gpu_failed() puts into words. Memory is
 * named by its address on the device. Copies, fills and launches are queued on a stream.
 */
struct gpu_driver {
	const char *vendor;                     /* "HIP", "CUDA" */
	int (*count)(int *n);
	int (*describe)(int device, struct gpu_device *d);
	int (*use)(int device);                 /* by the calling thread, from here on */

	int (*memory_new)(void **address, size_t bytes);
	int (*memory_free)(void *address);
	int (*upload)(void *to, const void *from_host, size_t bytes);
	int (*download)(void *to_host, const void *from, size_t bytes);
	int (*copy)(void *to, const void *from, size_t bytes, struct gpu_stream *s);
	int (*fill)(void *to, unsigned char byte, size_t bytes, struct gpu_stream *s);
	int (*share)(struct gpu_share *out, void *address);
	int (*map)(void **address, const struct gpu_share *shared);
	int (*unmap)(void *address);

	int (*stream_new)(struct gpu_stream **s);
	int (*stream_free)(struct gpu_stream *s);
	int (*synchronize)(void);               /* waits for all that the device has to do */

	int (*event_new)(struct gpu_event **ev);
	int (*event_free)(struct gpu_event *ev);
	int (*record)(struct gpu_event *ev, struct gpu_stream *s);
	int (*wait)(struct gpu_event *ev);
	int (*elapsed)(float *ms, struct gpu_event *from, struct gpu_event *to);

	int (*module_new)(struct gpu_module **m, const void *code_object);
	int (*module_free)(struct gpu_module *m);
	int (*function)(struct gpu_function **f, struct gpu_module *m, const char *kernel);
	int (*launch)(struct gpu_function *f, const unsigned grid[3], const unsigned block[3],
		      unsigned lds_bytes, struct gpu_stream *s, void **arguments);

	const char *(*error_name)(int code);
	const char *(*error_text)(int code);
};

/*
 * The first vendor with a device here, HIP before CUDA; the same again the next time. Their
 * libraries are looked up by name, or where GEAK_HIP_LIBRARY and GEAK_CUDA_LIBRARY say. NULL,
 * with ERR_SOFTWARE and what each said, when there is none.
 */
const struct gpu_driver *gpu_open(struct err *e);

/* When code is an error: fills e, "WHAT: name, text", and returns ERR_SOFTWARE; else 0. */
int gpu_failed(const struct gpu_driver *d, int code, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
