#include "domain/measures.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 8, NAME_SHOWN = 100 }; /* cases, kernels; bytes of a name */

struct figure {
	const char *key, *before, *after;
};

/* What the case stands at, in words, as the record names it. */
static const char *wall_of(const struct json *perf_case)
{
	const char *wall = json_get_string(perf_case, "wall");

	if (!wall)
		return "";
	return strcmp(wall, "memory") == 0 ? ", held by memory"
	       : strcmp(wall, "compute") == 0 ? ", held by its operations"
	       : strcmp(wall, "launch") == 0 ? ", most of the time its launch" : "";
}

/* Adds the figures that are there, with commas between. Returns how many. */
static int add_figures(struct buf *out, const struct json *from, const struct figure *figures,
		       size_t count)
{
	int n = 0;

	for (size_t i = 0; i < count; i++) {
		double value = json_get_number(from, figures[i].key, NAN);

		if (!isfinite(value))
			continue;
		buf_addf(out, "%s%s%.4g%s", n++ ? ", " : "", figures[i].before, value,
			 figures[i].after);
	}
	return n;
}

static void add_perf(const struct json *perf, struct buf *out)
{
	static const struct figure figures[] = {
		{ "ms", "", " ms" }, { "base_ms", "the reference ", " ms" },
		{ "speedup", "", " times as fast" }, { "gbps", "", " GB/s" },
		{ "tflops", "", " TFLOP/s" }, { "roofline", "", " of what the GPU can at best" },
	};
	double speedup = json_get_number(perf, "speedup", NAN);
	int shown = 0;

	if (isfinite(speedup))
		buf_addf(out, "- %.4g times as fast as the reference\n", speedup);
	for (const struct json *c = json_first(json_get(perf, "cases")); c && shown < SHOWN;
	     c = json_next(c)) {
		const char *name = json_get_string(c, "case");
		size_t len = out->len;

		buf_addf(out, "- case %.*s: ", NAME_SHOWN, name ? name : "without a name");
		if (!add_figures(out, c, figures, sizeof(figures) / sizeof(*figures))) {
			buf_truncate(out, len);
			continue;
		}
		buf_addf(out, "%s\n", wall_of(c));
		shown++;
	}
}

static void add_kernels(const struct json *eval, struct buf *out)
{
	static const struct figure figures[] = {
		{ "vgpr", "", " vector registers a thread" }, { "spill", "", " spilled" },
		{ "lds", "", " bytes of LDS" }, { "occupancy", "", " waves a SIMD" },
	};
	const char *target = json_get_string(eval, "target");
	int shown = 0;

	for (const struct json *k = json_first(json_get(eval, "compile")); k && shown < SHOWN;
	     k = json_next(k)) {
		const char *its = json_get_string(k, "target");
		const char *name = json_get_string(k, "kernel");
		const char *variant = json_get_string(k, "specialization");
		size_t len = out->len;

		if (!its || (target && strcmp(its, target) != 0) || !json_get_bool(k, "ok", false))
			continue;
		buf_addf(out, "- kernel %.*s(%.*s) for %.*s: ", NAME_SHOWN, name ? name : "?",
			 2 * NAME_SHOWN, variant ? variant : "", NAME_SHOWN, its);
		if (!add_figures(out, k, figures, sizeof(figures) / sizeof(*figures))) {
			buf_truncate(out, len);
			continue;
		}
		buf_addf(out, ", %.4g matrix instructions\n",
			 json_get_number(k, "mfma", 0) + json_get_number(k, "wmma", 0));
		shown++;
	}
}

static void add_counters(const struct json *profile, struct buf *out)
{
	static const struct figure figures[] = {
		{ "ms", "", " ms" }, { "dram_gbps", "", " GB/s from and to memory" },
		{ "dram_read_bytes", "", " bytes read" },
		{ "dram_write_bytes", "", " bytes written" },
		{ "l1_hit_percent", "L1 hits ", " %" }, { "l2_hit_percent", "L2 hits ", " %" },
		{ "occupancy_percent", "occupancy ", " %" },
		{ "active_lanes_percent", "active lanes ", " %" },
		{ "matrix_percent", "matrix units busy ", " %" },
		{ "shared_conflict_percent", "bank conflicts ", " % of shared-memory cycles" },
		{ "wait_percent", "waves waiting for data or a barrier ", " % of their time" },
		{ "issue_wait_percent", "for their turn ", " %" },
		{ "shared_wait_percent", "for shared memory ", " %" },
	};
	const char *on = json_get_string(profile, "case");
	int shown = 0;

	for (const struct json *k = json_first(json_get(profile, "kernels")); k && shown < SHOWN;
	     k = json_next(k)) {
		const char *name = json_get_string(k, "kernel");
		size_t len = out->len;

		buf_addf(out, "- counters of kernel %.*s in case %.*s: ", NAME_SHOWN,
			 name ? name : "?", NAME_SHOWN, on ? on : "?");
		if (!add_figures(out, k, figures, sizeof(figures) / sizeof(*figures))) {
			buf_truncate(out, len);
			continue;
		}
		buf_addc(out, '\n');
		shown++;
	}
}

void measures_describe(const struct json *candidate, struct buf *out)
{
	const struct json *eval = json_get(candidate, "eval");

	add_perf(json_get(eval, "perf"), out);
	add_kernels(eval, out);
	add_counters(json_get(eval, "profile"), out);
}
