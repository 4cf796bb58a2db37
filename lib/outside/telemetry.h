/*
 * What one GPU says of its state while it works, through its vendor's management library: NVIDIA's
 * NVML or AMD's SMI, opened when first asked for, as the libraries of gpu.h are; or, of an AMD GPU
 * without the library, through the kernel's own driver. They need no GPU context and disturb none.
 *
 * A struct telemetry is the caller's, who frees it; one thread uses it at a time.
 */
#ifndef GEAK_OUTSIDE_TELEMETRY_H
#define GEAK_OUTSIDE_TELEMETRY_H

#include <stdbool.h>

#include "ground/err.h"

/* Why the clock is not what it could be. */
enum {
	TELEMETRY_POWER = 1, /* the power limit: where a heavy kernel ordinarily is */
	TELEMETRY_HEAT = 2,  /* it is too hot, or a part of it */
	TELEMETRY_BRAKE = 4, /* the board or the machine slows it: current, supply */
	TELEMETRY_SET = 8,   /* somebody set it so, or it is held with another GPU's */
	TELEMETRY_IDLE = 16, /* there is nothing to do */
};

struct telemetry_sample {
	int clock_mhz;      /* of the compute units; of several dies the slowest; -1: not told */
	int power_w;        /* of the whole socket; NVML's is the mean of the last second; -1 */
	int temperature_c;  /* where it is measured: NVIDIA's die, AMD's hottest spot; -1 */
	int reasons;        /* or-ed from above; -1: not told */
};

struct telemetry;

/*
 * The GPU at a PCI address as struct gpu_device has it, "0000:c1:00.0". The libraries are looked
 * up by name, or where GEAK_NVML_LIBRARY and GEAK_AMDSMI_LIBRARY say, the kernel's files in /sys,
 * or where GEAK_SYSFS says. NULL, with ERR_SOFTWARE and one sentence, when none of them knows it;
 * times can still be measured then, unwatched.
 */
struct telemetry *telemetry_open(const char *pci, struct err *e);
void telemetry_free(struct telemetry *t);

/*
 * What is so now; and among the reasons what was so at any time since the last reading, where the
 * library keeps count (MI300's does). A figure that the device does not tell is -1; an
 * error only when it tells nothing at all.
 */
int telemetry_read(struct telemetry *t, struct telemetry_sample *out, struct err *e);

/*
 * Whether what was timed then is to be set aside: the GPU was slowed by heat or by its board,
 * which comes and goes. The power limit is no reason: a kernel that stands at it does so
 * whenever it runs, its baseline has the same limit, and without those samples there are none.
 */
bool telemetry_throttled(const struct telemetry_sample *s);

#endif
