#include "domain/roofline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What roofline_is_beaten() leaves room for; the header says why. */
static const double fewer_operations = 0.8, faster_memory = 1.1, faster_than_copies = 1.4;
static const double clock_error_ms = 0.002;

/* A launch costs some 5 us on today's GPUs; in less than three of them there is little else. */
static const double few_launches_ms = 0.015;

/* -- types: which peaks of the data sheet can serve one */

struct type {
	const char *words[8];  /* that name it in params and signatures */
	const char *peaks[5];  /* the members of peak_tflops that a kernel for it may reach */
};

/* Narrower ones first, since "float8" must not be taken for "float". */
static const struct type types[] = {
	{ { "float8", "fp8", "e4m3", "e5m2" }, { "fp8", "fp16" } },
	{ { "bfloat16", "float16", "bf16", "fp16", "half" }, { "bf16", "fp16" } },
	{ { "int8" }, { "int8" } },
	{ { "float64", "fp64", "double" }, { "fp64", "fp64_matrix" } },
	{ { "float32", "fp32", "float" }, { "fp32", "fp32_matrix", "tf32" } },
};

static const struct type *type_named(const char *text)
{
	for (size_t i = 0; text && i < sizeof(types) / sizeof(*types); i++)
		for (const char *const *word = types[i].words; *word; word++)
			if (strstr(text, *word))
				return &types[i];
	return NULL;
}

static const struct type *type_of(const struct json *task, const struct json *task_case)
{
	const struct json *params = json_get(task_case, "params");
	const struct type *type = type_named(json_get_string(params, "dtype"));

	return type ? type : type_named(json_get_string(task, "signature"));
}

/* Of six bits and fewer are the weights of language models, and no task's arithmetic. */
static bool is_narrow(const char *peak)
{
	return strcmp(peak, "fp4") == 0 || strcmp(peak, "fp6") == 0;
}

static bool is_wide(const struct type *type)
{
	return strcmp(type->peaks[0], "fp32") == 0 || strcmp(type->peaks[0], "fp64") == 0;
}

/* The best peak, and the member's name; NAN when no such member is there. */
static double best_of(const struct json *peaks, const struct type *type, const char **name)
{
	double best = 0;

	*name = NULL;
	for (const struct json *m = json_first(peaks); m; m = json_next(m)) {
		bool serves = !type && !is_narrow(json_key(m));

		for (const char *const *p = type ? type->peaks : NULL; p && *p; p++)
			serves |= strcmp(*p, json_key(m)) == 0;
		if (serves && json_number(m, 0) > best) {
			best = json_number(m, 0);
			*name = json_key(m);
		}
	}
	return *name ? best : NAN;
}

/* -- the floor */

/* How much faster than the peak says its units may run. */
static double overclock(const struct roofline_gpu *gpu, const char *peak)
{
	bool vector = !strcmp(peak, "fp32") || !strcmp(peak, "fp64");
	double sheet = json_get_number(gpu->facts, "clock_mhz", NAN), told = sheet;

	if (!vector)
		told = json_get_number(gpu->facts, "matrix_clock_mhz", sheet);
	return fmax(1, fmax(sheet, gpu->clock_mhz) / told); /* fmax leaves out a NAN */
}

static double least_compute(const struct roofline_gpu *gpu, const struct type *type, double flops)
{
	static const struct type narrower = { { NULL }, { "bf16", "fp16" } };
	const struct json *peaks = json_get(gpu->facts, "peak_tflops");
	const char *name, *narrow;
	double peak = best_of(peaks, type, &name), other = best_of(peaks, &narrower, &narrow);

	if (type && is_wide(type) && narrow && !(other <= peak)) {
		peak = other;
		name = narrow;
	}
	return name ? flops * fewer_operations / (peak * overclock(gpu, name)) * 1e-9 : NAN;
}

static double least_memory(const struct roofline_gpu *gpu, double bytes, double cold_bytes)
{
	double cache = json_get_number(gpu->facts, "last_level_cache_bytes", INFINITY);
	double sheet = json_get_number(gpu->facts, "memory_gbs", NAN);
	double gbs = fmax(sheet * faster_memory, isnan(sheet) ? gpu->copy_gbs * faster_than_copies
						  : gpu->copy_gbs);

	return fmax(fmax(bytes - cache, 0), cold_bytes) / gbs * 1e-6;
}

void roofline_of(const struct roofline_gpu *gpu, const struct json *task,
		 const struct json *task_case, double cold_bytes, struct roofline *out)
{
	const struct type *type = type_of(task, task_case);
	double bytes = json_get_number(task_case, "bytes", NAN);
	double flops = json_get_number(task_case, "flops", NAN);
	double memory, compute;
	const char *unused;

	out->gbs = fmax(json_get_number(gpu->facts, "memory_gbs", NAN), gpu->copy_gbs);
	out->tflops = best_of(json_get(gpu->facts, "peak_tflops"), type, &unused);
	out->memory_ms = bytes / out->gbs * 1e-6;
	out->compute_ms = flops / out->tflops * 1e-9;
	out->floor_ms = fmax(out->memory_ms, out->compute_ms);
	memory = least_memory(gpu, bytes, cold_bytes);
	compute = least_compute(gpu, type, flops);
	out->least_ms = fmax(memory, compute);
	out->least_of = compute == out->least_ms ? "operations" : "bytes";
}

double roofline_share(const struct roofline *r, double ms)
{
	return r->floor_ms / ms;
}

bool roofline_is_beaten(const struct roofline *r, double ms)
{
	return ms + clock_error_ms < r->least_ms; /* never where that is NAN */
}

enum roofline_wall roofline_wall(const struct roofline *r, double ms)
{
	if (!(r->floor_ms > 0) || isnan(ms))
		return ROOFLINE_UNKNOWN;
	if (ms < few_launches_ms && r->floor_ms < ms / 2)
		return ROOFLINE_LAUNCH;
	return r->floor_ms == r->compute_ms ? ROOFLINE_COMPUTE : ROOFLINE_MEMORY;
}

const char *roofline_wall_name(enum roofline_wall w)
{
	static const char *const names[] = {
		[ROOFLINE_UNKNOWN] = NULL, [ROOFLINE_MEMORY] = "memory",
		[ROOFLINE_COMPUTE] = "compute", [ROOFLINE_LAUNCH] = "launch",
	};

	return names[w];
}

/* -- records */

/* Four digits are more than a data sheet is good for. */
static void set_figure(struct json *to, const char *key, double x)
{
	char text[32];

	if (isfinite(x) && x > 0) {
		snprintf(text, sizeof(text), "%.4g", x);
		json_set_number(to, key, strtod(text, NULL));
	}
}

void roofline_set(struct json *perf_case, const struct roofline *r, double ms)
{
	enum roofline_wall wall = roofline_wall(r, ms);

	set_figure(perf_case, "floor_ms", r->floor_ms);
	set_figure(perf_case, "roofline", roofline_share(r, ms));
	if (wall != ROOFLINE_UNKNOWN)
		json_set_string(perf_case, "wall", roofline_wall_name(wall));
}

struct json *roofline_gpu_record(const struct roofline_gpu *gpu)
{
	struct json *record = json_new_object();

	if (gpu->facts)
		json_set_string(record, "gpu", json_get_string(gpu->facts, "name"));
	set_figure(record, "memory_gbs", json_get_number(gpu->facts, "memory_gbs", NAN));
	set_figure(record, "copy_gbs", gpu->copy_gbs);
	return record;
}
