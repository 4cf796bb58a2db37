/*
 * Asks a GPU who it is and whether it works, in a child of a zygote. A GPU is named by its
 * number, as geak-eval --list-devices has it.
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

/* How many GPUs the framework sees; 0 when it does not tell. */
int probe_count(struct zygote *z, const char *folder);

/*
 * Asks n GPUs at the same time. ERR_SOFTWARE in e[i] when the framework cannot use one, with its
 * own reason; then p[i] is empty.
 */
void probe_gpus(struct zygote *z, const char *folder, const int *numbers, size_t n, struct probe *p,
		struct err *e);

/* How fast the GPU copies its memory, in 10^9 bytes read and written a second; NAN when it does
 * not tell. Others should leave it alone meanwhile. */
double probe_copy(struct zygote *z, const char *folder, int number);

/* Has it add a few numbers. ERR_SOFTWARE when it does not within so many seconds; one whose memory
 * others have filled works. pretence: see device_pretence(). */
int probe_works(struct zygote *z, const char *folder, int number, const char *pretence,
		double seconds, struct err *e);

void probe_release(struct probe *p);

#endif
