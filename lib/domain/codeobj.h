/*
 * What a GPU code object says about its kernel: registers, spills, shared
 * memory, scratch, matrix instructions, and the occupancy that follows. Reads
 * AMD's HSACO (ELF with an NT_AMDGPU_METADATA note) and NVIDIA's cubin.
 * Owns nothing and allocates nothing; the bytes are not trusted.
 */
#ifndef GEAK_DOMAIN_CODEOBJ_H
#define GEAK_DOMAIN_CODEOBJ_H

#include <stddef.h>

#include "ground/err.h"

enum {
	CODEOBJ_UNKNOWN = -1, /* a figure that the object does not tell */
	CODEOBJ_OPS = 8,      /* kinds of matrix instruction; a kernel has one or two */
};

/* A matrix instruction as the assembly spells it, which names its shape and types. */
struct codeobj_op {
	char name[72];        /* "v_mfma_f32_32x32x8_f16" */
	int count;
};

struct codeobj_input {
	const void *data;     /* the object, HSACO or cubin */
	size_t len;
	const char *asm_text; /* its AMDGPU assembly or PTX; NULL: mfma and wmma stay unknown */
	size_t asm_len;
	const char *target;   /* "gfx942", "sm_90" */
	const char *kernel;   /* NULL: the object's first */
	int shared;           /* bytes of dynamic LDS a workgroup is launched with; 0: none */
	int threads;          /* work items in a workgroup; 0: the most that the object allows */
};

/*
 * Every number is CODEOBJ_UNKNOWN where the object does not tell it. One
 * compiler's "dynamic" shared memory (Triton puts all of it there, and leaves
 * the object's own figure at 0) is the caller's to pass in.
 */
struct codeobj {
	char kernel[256];  /* its name, shortened if need be */
	int vgpr;          /* vector registers a thread; on gfx90a and later the AGPRs are in it, as
			    * both come from one file; on NVIDIA registers a thread */
	int agpr;          /* those of vgpr that are accumulators; unknown on NVIDIA and RDNA */
	int sgpr;          /* scalar registers a wave; unknown on NVIDIA */
	int spill;         /* vector registers spilled to scratch, in 4-byte slots a thread */
	int sgpr_spill;    /* scalar registers spilled; unknown on NVIDIA */
	int lds;           /* bytes of LDS (shared memory) a workgroup: static + input.shared, without
			    * the 1 KiB that the system takes on NVIDIA */
	int scratch;       /* bytes of private memory (local frame) a thread */
	int max_threads;   /* most work items that a workgroup may have */
	int wavefront;     /* threads a wave or warp */
	int mfma;          /* v_mfma_*, v_smfmac_* in the text; 0 on NVIDIA */
	int wmma;          /* v_wmma_*, v_swmmac_*; on NVIDIA wgmma, mma.sync, wmma.mma, tcgen05.mma */
	struct codeobj_op ops[CODEOBJ_OPS]; /* the first kinds of them, in the text's order */
	int n_ops;
	int occupancy;     /* see below */
	int occupancy_regs; /* the same from registers alone, without whole workgroups */
	const char *limit; /* what bounds occupancy: "vgpr", "sgpr", "lds", "workgroup" or "waves"
			    * (nothing does: the hardware is full); NULL when unknown */
};

/*
 * occupancy is the number of waves (warps) that the busiest SIMD (scheduler)
 * holds when the kernel has the GPU for itself: the workgroups that fit on a
 * compute unit, times the waves of one, spread over its SIMDs, rounded up; 0
 * when not even one fits. occupancy_regs is what the registers alone would
 * allow, which is the figure that LLVM prints as "; Occupancy:" for a kernel
 * without static LDS. The formulas and the sizes are those of LLVM's
 * AMDGPUBaseInfo.cpp (getVGPRAllocGranule and its neighbours); for NVIDIA, of
 * the table of compute capabilities in the CUDA Programming Guide. Both are
 * unknown for an architecture that is not in the tables of occupancy.c.
 *
 * Returns 0; ERR_RECORD when the bytes are no such object, are cut short or
 * damaged, are for another target, or hold no such kernel.
 */
int codeobj_read(const struct codeobj_input *in, struct codeobj *out, struct err *e);

#endif
