#include "domain/occupancy.h"

#include <stdlib.h>
#include <string.h>

/* One compute unit (streaming multiprocessor), as the kernel's waves see it. */
struct unit {
	int simds;       /* SIMDs (schedulers) */
	int waves;       /* the most waves a SIMD holds */
	int registers;   /* vector registers of a lane of a SIMD */
	int granule;     /* they are handed to a wave in multiples of this */
	int lds;         /* bytes */
	int lds_granule;
	int lds_reserved; /* bytes that the system takes of each workgroup's */
	int workgroups;  /* the most at once */
	bool sgpr_bound; /* scalar registers come from one file too */
};

struct amd_arch {
	const char *name;
	enum { CDNA, RDNA } family;
	int granule;      /* of wave32 on RDNA */
	int registers;
	int waves;
	int lds, lds_granule;
};

static const struct amd_arch amd_archs[] = {
	{ "gfx906", CDNA, 4, 256, 10, 64 << 10, 512 },
	{ "gfx908", CDNA, 4, 256, 10, 64 << 10, 512 },
	{ "gfx90a", CDNA, 8, 512, 8, 64 << 10, 512 },
	{ "gfx940", CDNA, 8, 512, 8, 64 << 10, 512 },
	{ "gfx941", CDNA, 8, 512, 8, 64 << 10, 512 },
	{ "gfx942", CDNA, 8, 512, 8, 64 << 10, 512 },
	{ "gfx950", CDNA, 8, 512, 8, 160 << 10, 1280 },
	{ "gfx1030", RDNA, 16, 1024, 16, 64 << 10, 512 },
	{ "gfx1100", RDNA, 24, 1536, 16, 64 << 10, 512 },
	{ "gfx1101", RDNA, 24, 1536, 16, 64 << 10, 512 },
	{ "gfx1102", RDNA, 16, 1024, 16, 64 << 10, 512 },
	{ "gfx1103", RDNA, 16, 1024, 16, 64 << 10, 512 },
	{ "gfx1150", RDNA, 16, 1024, 16, 64 << 10, 512 },
	{ "gfx1151", RDNA, 24, 1536, 16, 64 << 10, 512 },
	{ "gfx1200", RDNA, 24, 1536, 16, 64 << 10, 512 },
	{ "gfx1201", RDNA, 24, 1536, 16, 64 << 10, 512 },
};

/* Shared memory is per multiprocessor; from 8.0 on the system keeps 1 KiB of it a block. */
static const struct {
	int capability;
	int warps, blocks, shared_kib, reserved;
} nvidia_archs[] = {
	{ 70, 64, 32, 96, 0 },
	{ 75, 32, 16, 64, 0 },
	{ 80, 64, 32, 164, 1024 },
	{ 86, 48, 16, 100, 1024 },
	{ 87, 48, 16, 164, 1024 },
	{ 89, 48, 24, 100, 1024 },
	{ 90, 64, 32, 228, 1024 },
	{ 100, 64, 32, 228, 1024 },
	{ 103, 64, 32, 228, 1024 },
	{ 120, 48, 24, 100, 1024 },
};

static int round_up(int n, int granule)
{
	return (n + granule - 1) / granule * granule;
}

static int div_up(int n, int by)
{
	return (n + by - 1) / by;
}

static bool amd_unit(const struct occupancy_need *n, int waves_per_group, struct unit *u)
{
	const struct amd_arch *a = NULL;
	size_t i;
	int barriers;

	for (i = 0; i < sizeof amd_archs / sizeof *amd_archs; i++)
		if (strcmp(amd_archs[i].name, n->target) == 0)
			a = &amd_archs[i];
	if (!a)
		return false;
	u->waves = a->waves;
	u->registers = a->registers;
	u->granule = a->granule;
	u->lds = a->lds;
	u->lds_granule = a->lds_granule;
	u->simds = 4;
	barriers = 16;
	if (a->family == RDNA) {
		/* A lane of wave64 stands for two of wave32. */
		u->registers /= n->wavefront / 32;
		u->granule /= n->wavefront / 32;
		u->simds = n->whole_wgp ? 4 : 2;
		u->lds *= n->whole_wgp ? 2 : 1;
		barriers = n->whole_wgp ? 32 : 16;
	}
	u->sgpr_bound = a->family == CDNA;
	/* A workgroup of one wave needs no barrier. */
	u->workgroups = waves_per_group > 1 ? barriers : u->waves * u->simds;
	return true;
}

static bool nvidia_unit(const struct occupancy_need *n, struct unit *u)
{
	char *end;
	long capability = strtol(n->target + 3, &end, 10);
	size_t i;

	for (i = 0; i < sizeof nvidia_archs / sizeof *nvidia_archs; i++) {
		if (nvidia_archs[i].capability != capability)
			continue;
		u->simds = 4;
		u->waves = nvidia_archs[i].warps / 4;
		u->registers = 65536 / 4 / 32; /* 64 Ki registers an SM, by lane and scheduler */
		u->granule = 8;                /* 256 a warp */
		u->lds = nvidia_archs[i].shared_kib << 10;
		u->lds_granule = 128;
		u->lds_reserved = nvidia_archs[i].reserved;
		u->workgroups = nvidia_archs[i].blocks;
		return *end == '\0' || strcmp(end, "a") == 0 || strcmp(end, "f") == 0;
	}
	return false;
}

/* Scalar registers on GCN and CDNA: 800 a SIMD, 102 of them and a few more a wave. */
static int waves_by_sgpr(int sgpr)
{
	return sgpr <= 80 ? 10 : sgpr <= 88 ? 9 : sgpr <= 100 ? 8 : 7;
}

static void take_less(int *least_so_far, const char **limit, int value, const char *name)
{
	if (value < *least_so_far) {
		*least_so_far = value;
		*limit = name;
	}
}

static void compute(const struct occupancy_need *n, const struct unit *u, int waves_per_group,
		    struct occupancy *out)
{
	int waves = u->waves, groups, lds;

	out->limit = "waves";
	if (n->vgpr > 0)
		take_less(&waves, &out->limit, u->registers / round_up(n->vgpr, u->granule), "vgpr");
	if (u->sgpr_bound && n->sgpr > 0)
		take_less(&waves, &out->limit, waves_by_sgpr(n->sgpr), "sgpr");
	out->waves_regs = waves;
	groups = waves * u->simds / waves_per_group;
	take_less(&groups, &out->limit, u->workgroups, "workgroup");
	lds = n->lds > 0 ? round_up(n->lds + u->lds_reserved, u->lds_granule) : u->lds_reserved;
	if (lds > 0)
		take_less(&groups, &out->limit, u->lds / lds, "lds");
	out->waves = div_up(groups * waves_per_group, u->simds);
	/* Whole workgroups leave a rest that a smaller one would fill. */
	if (out->waves < out->waves_regs && strcmp(out->limit, "lds") != 0)
		out->limit = "workgroup";
}

bool occupancy_compute(const struct occupancy_need *n, struct occupancy *out)
{
	struct unit u;
	int waves_per_group;
	bool nvidia = strncmp(n->target, "sm_", 3) == 0;

	memset(&u, 0, sizeof u);
	/* Bounds that keep every product below INT_MAX and that no hardware comes near. */
	if (n->threads < 1 || n->threads > 1 << 16 || n->vgpr < 0 || n->vgpr > 1 << 16 ||
	    n->lds < 0 || n->lds > 1 << 28 || (n->wavefront != 32 && n->wavefront != 64))
		return false;
	waves_per_group = div_up(n->threads, n->wavefront);
	if (nvidia ? !nvidia_unit(n, &u) : !amd_unit(n, waves_per_group, &u))
		return false;
	if (nvidia) /* registers are given out for four warps at a time */
		waves_per_group = round_up(waves_per_group, 4);
	compute(n, &u, waves_per_group, out);
	return true;
}
