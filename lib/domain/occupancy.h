/*
 * How many waves (warps) a SIMD (scheduler) can hold of a kernel, from what one
 * workgroup of it takes. Owns nothing. Where the formulas come from is said in
 * domain/codeobj.h.
 */
#ifndef GEAK_DOMAIN_OCCUPANCY_H
#define GEAK_DOMAIN_OCCUPANCY_H

#include <stdbool.h>

struct occupancy_need {
	const char *target;  /* "gfx942", "sm_90" */
	int vgpr;            /* registers a thread, as struct codeobj counts them */
	int sgpr;            /* negative: no bound */
	int lds;             /* bytes a workgroup */
	int threads;         /* work items in a workgroup */
	int wavefront;       /* 32 or 64 */
	bool whole_wgp;      /* RDNA: a workgroup may use both compute units of a pair */
};

struct occupancy {
	int waves;           /* on the busiest SIMD, whole workgroups only */
	int waves_regs;      /* what the registers alone allow */
	const char *limit;   /* as in struct codeobj */
};

/* False when the target is not in the tables or a need makes no sense. */
bool occupancy_compute(const struct occupancy_need *need, struct occupancy *out);

#endif
