/*
 * Asks the GPU who it is, in a child of a zygote.
 *
 * A struct probe owns its texts; probe_release() frees them.
 */
#ifndef GEAK_DOMAIN_PROBE_H
#define GEAK_DOMAIN_PROBE_H

#include "ground/err.h"
#include "outside/zygote.h"

struct probe {
	char *device;            /* "NVIDIA H200" */
	char *target;            /* "sm_90" */
	char *pci;               /* "0000:c1:00.0", or NULL where the framework does not tell */
	int compute_units;       /* 0: not told, as is clock_mhz */
	int clock_mhz;           /* the highest */
	uint64_t memory_bytes;
};

/* ERR_SOFTWARE when the framework cannot use the GPU, with its own reason; then p is empty. */
int probe_gpu(struct zygote *z, const char *folder, struct probe *p, struct err *e);

/* How fast the GPU copies its memory, in 10^9 bytes read and written a second; NAN when it does
 * not tell. Others should leave it alone meanwhile. */
double probe_copy(struct zygote *z, const char *folder);

void probe_release(struct probe *p);

#endif
