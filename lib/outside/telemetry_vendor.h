/* The sides of telemetry.h: NVML, AMD's SMI, and the kernel's amdgpu. */
#ifndef GEAK_OUTSIDE_TELEMETRY_VENDOR_H
#define GEAK_OUTSIDE_TELEMETRY_VENDOR_H

#include <stdint.h>

#include "outside/telemetry.h"

enum {
	TELEMETRY_RESIDENCIES = 5,
	TELEMETRY_V1_3_BYTES = 120, /* of the kernel's gpu_metrics_v1_3 */
};

struct telemetry {
	const struct telemetry_vendor *vendor;
	char pci[16];
	void *device;      /* the library's handle */
	char folder[256];  /* or where the kernel has its figures */
	/* AMD's counts of how long it was held back, as they were last read, if they were. */
	bool counted;
	uint64_t residencies[TELEMETRY_RESIDENCIES];
};

struct telemetry_vendor {
	int (*find)(struct telemetry *t, struct err *e); /* sets the device of its address */
	int (*read)(struct telemetry *t, struct telemetry_sample *out, struct err *e);
};

/* Each opens its library once. NULL with a clause for the reason. */
const struct telemetry_vendor *telemetry_nvml(struct err *e);
const struct telemetry_vendor *telemetry_amdsmi(struct err *e);

/* This needs no library. */
const struct telemetry_vendor *telemetry_sysfs(void);

/* What AMD's metrics say of now, in the layout that SMI and gpu_metrics_v1_3 have in common. */
int telemetry_amd_reasons(const unsigned char *metrics);

#endif
