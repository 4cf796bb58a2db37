#include "domain/bottleneck.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "domain/task.h"

/* A launch costs some 5 us on today's GPUs; work that takes less than a few of those is
 * lost in it. */
static const double launch_ms = 0.005;

static const char *const names[] = {
	[BOTTLENECK_MEMORY] = "memory",
	[BOTTLENECK_COMPUTE] = "compute",
	[BOTTLENECK_DIVERGENCE] = "divergence",
	[BOTTLENECK_LAUNCH] = "launch",
	[BOTTLENECK_UNKNOWN] = "unknown",
};

const char *bottleneck_name(enum bottleneck_kind kind)
{
	return names[kind];
}

int bottleneck_of_name(const char *name, size_t len)
{
	for (int k = 0; k <= BOTTLENECK_UNKNOWN; k++)
		if (strlen(names[k]) == len && strncmp(names[k], name, len) == 0)
			return k;
	return -1;
}

/* What is known of the largest case. NAN where nothing is. */
struct work {
	const char *name;       /* "" when it has none */
	double flops, bytes;
	double ms;              /* as measured */
	double gbs, tflops;     /* reached */
	double peak_gbs, peak_tflops;
	double memory_ms, compute_ms; /* that the peaks allow at best */
	double share;           /* of the floor in ms, by the judge, who knows the GPU it ran on */
	const char *wall;       /* and what the case stands at; NULL */
	bool timing;            /* the case is of the size that is timed */
	const struct json *counters; /* of the kernel that runs longest; NULL */
};

static bool mentions(const char *text, const char *const *words)
{
	for (; text && *words; words++)
		if (strstr(text, *words))
			return true;
	return false;
}

/* To tell a large case from a small one; what is not known counts nothing. */
static double size_of(double flops, double bytes)
{
	return fmax(flops, 0) + fmax(bytes, 0);
}

/* The largest case to be timed; where there is none, the largest at all. */
static void largest_case(const struct json *task, struct work *w)
{
	for (const struct json *c = json_first(json_get(task, "cases")); c; c = json_next(c)) {
		bool timing = task_case_is_timed(c);
		double flops = json_get_number(c, "flops", NAN);
		double bytes = json_get_number(c, "bytes", NAN);
		bool larger = size_of(flops, bytes) > size_of(w->flops, w->bytes);

		if (isnan(flops) && isnan(bytes))
			continue;
		if (w->timing > timing || (w->timing == timing && !larger))
			continue;
		w->name = json_get_string(c, "name") ? json_get_string(c, "name") : "";
		w->flops = flops;
		w->bytes = bytes;
		w->timing = timing;
	}
}

static void measured(const struct json *perf, struct work *w)
{
	for (const struct json *c = json_first(json_get(perf, "cases")); c; c = json_next(c)) {
		const char *name = json_get_string(c, "case");

		if (*w->name && (!name || strcmp(name, w->name) != 0))
			continue;
		w->name = name ? name : "";
		w->ms = json_get_number(c, "ms", NAN);
		w->gbs = json_get_number(c, "gbps", w->bytes / w->ms * 1e-6);
		w->tflops = json_get_number(c, "tflops", w->flops / w->ms * 1e-9);
		w->share = json_get_number(c, "roofline", NAN);
		w->wall = json_get_string(c, "wall");
	}
}

/* Matrix units count only where tl.dot is; their peak depends on the type. */
static void peaks(const struct json *candidate, const struct json *arch, struct work *w)
{
	static const char *const dot[] = { "tl.dot", NULL };
	static const char *const fp8[] = { "fp8", "float8", "e4m3", "e5m2", NULL };
	static const char *const half[] = { "float16", "fp16", "half", "bf16", NULL };
	const char *about = json_get_string(json_get(candidate, "task"), "signature");
	const struct json *tflops = json_get(arch, "peak_tflops");
	const char *type = "fp32";

	if (mentions(json_get_string(candidate, "source"), dot))
		type = mentions(about, fp8) ? "fp8" : mentions(about, half) ? "fp16" : "tf32";
	w->peak_gbs = json_get_number(arch, "memory_gbs", NAN);
	w->peak_tflops = json_get_number(tflops, type, json_get_number(tflops, "fp32", NAN));
	w->memory_ms = w->bytes / w->peak_gbs * 1e-6;
	w->compute_ms = w->flops / w->peak_tflops * 1e-9;
}

static bool branches_on_data(const struct json *candidate)
{
	static const char *const in_source[] = { "\n    while ", "\n        while ", NULL };
	static const char *const in_tag[] = { "control-flow", "divergence", "early-exit", NULL };
	const struct json *t = json_first(json_get(json_get(candidate, "task"), "tags"));

	for (; t; t = json_next(t))
		if (mentions(json_string(t), in_tag))
			return true;
	return mentions(json_get_string(candidate, "source"), in_source);
}

static void say(struct bottleneck *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds to the reason; what does not fit is left out. */
static void say(struct bottleneck *out, const char *fmt, ...)
{
	size_t len = strlen(out->why);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out->why + len, sizeof(out->why) - len, fmt, ap);
	va_end(ap);
}

/* BOTTLENECK_UNKNOWN when the judge did not say. */
static enum bottleneck_kind kind_of_wall(const struct work *w)
{
	int kind = w->wall ? bottleneck_of_name(w->wall, strlen(w->wall)) : -1;

	return kind == BOTTLENECK_MEMORY || kind == BOTTLENECK_COMPUTE || kind == BOTTLENECK_LAUNCH
	       ? (enum bottleneck_kind)kind : BOTTLENECK_UNKNOWN;
}

static void judge_measured(const struct work *w, bool branches, struct bottleneck *out)
{
	double of_memory = w->gbs / w->peak_gbs, of_compute = w->tflops / w->peak_tflops;
	double need_ms = fmax(w->memory_ms, w->compute_ms); /* fmax leaves out a NAN */
	double best = isnan(w->share) ? fmax(of_memory, of_compute) : w->share;
	enum bottleneck_kind wall = kind_of_wall(w);

	say(out, "Measured on the case %.60s: %.4g ms", w->name, w->ms);
	if (!isnan(of_memory))
		say(out, ", %.4g GB/s (%.0f%% of the peak)", w->gbs, 100 * of_memory);
	if (!isnan(of_compute))
		say(out, ", %.4g TFLOP/s (%.0f%% of the peak)", w->tflops, 100 * of_compute);
	say(out, ".");
	if (!isnan(w->share))
		say(out, " At best that GPU needs %.0f%% of this time.", 100 * w->share);
	if (wall == BOTTLENECK_LAUNCH
	    || (wall == BOTTLENECK_UNKNOWN && w->ms < 3 * launch_ms && need_ms < w->ms / 2))
		out->kind = BOTTLENECK_LAUNCH;
	else if (isnan(best))
		out->kind = BOTTLENECK_UNKNOWN;
	else if (best < 0.25 && branches)
		out->kind = BOTTLENECK_DIVERGENCE;
	else if (wall != BOTTLENECK_UNKNOWN)
		out->kind = wall;
	else if (isnan(of_compute) || w->memory_ms >= w->compute_ms)
		out->kind = BOTTLENECK_MEMORY;
	else
		out->kind = BOTTLENECK_COMPUTE;
}

static void judge_estimated(const struct work *w, bool branches, struct bottleneck *out)
{
	double need_ms = fmax(w->memory_ms, w->compute_ms);

	say(out, w->counters ? "It was not timed." : "Nothing was measured.");
	if (isnan(need_ms)) {
		out->kind = branches ? BOTTLENECK_DIVERGENCE : BOTTLENECK_UNKNOWN;
		say(out, " The bytes and operations of the task, or the GPU, are not known.");
		return;
	}
	if (!isnan(w->memory_ms))
		say(out, " The case %.60s moves at least %.4g bytes, for which this GPU needs "
		    "%.3g ms.", w->name, w->bytes, w->memory_ms);
	if (!isnan(w->compute_ms))
		say(out, " Its %.4g operations need at least %.3g ms.", w->flops, w->compute_ms);
	if (w->timing && need_ms < launch_ms / 2)
		out->kind = BOTTLENECK_LAUNCH;
	else if (branches)
		out->kind = BOTTLENECK_DIVERGENCE;
	else
		out->kind = w->compute_ms > w->memory_ms ? BOTTLENECK_COMPUTE : BOTTLENECK_MEMORY;
}

/* -- hardware counters, which see what times and sizes leave to be guessed */

static const double busy_percent = 60;      /* of a unit that has little more to give */
static const double few_lanes_percent = 60; /* that work, where the others only wait for them */
static const double most_lanes_percent = 90;

static const struct json *longest_kernel(const struct json *profile)
{
	const struct json *longest = NULL;
	double most = -1;

	for (const struct json *k = json_first(json_get(profile, "kernels")); k; k = json_next(k)) {
		double ms = json_get_number(k, "ms", 0);

		if (json_is(k, JSON_OBJECT) && ms > most) {
			longest = k;
			most = ms;
		}
	}
	return longest;
}

static bool all_lanes_work(const struct work *w)
{
	return json_get_number(w->counters, "active_lanes_percent", 0) >= most_lanes_percent;
}

/* Data that its kernels move beyond what the case needs. */
static void add_excess(const struct json *profile, const struct work *w, struct bottleneck *out)
{
	const char *name = json_get_string(profile, "case");
	double moved = 0;

	if (!name || strcmp(name, w->name) != 0)
		return;
	for (const struct json *k = json_first(json_get(profile, "kernels")); k; k = json_next(k))
		moved += json_get_number(k, "dram_read_bytes", 0)
			 + json_get_number(k, "dram_write_bytes", 0);
	if (moved > 1.5 * w->bytes)
		say(out, " Its kernels move %.3g times the bytes that the case needs.",
		    moved / w->bytes);
}

/* What a counter shows at its limit decides; else it stays as the times have it. */
static void judge_counted(const struct json *profile, const struct work *w, struct bottleneck *out)
{
	double of_memory = 100 * json_get_number(w->counters, "dram_gbps", NAN) / w->peak_gbs;
	double matrix = json_get_number(w->counters, "matrix_percent", NAN);
	double lanes = json_get_number(w->counters, "active_lanes_percent", NAN);

	if (!w->counters)
		return;
	add_excess(profile, w, out);
	if (of_memory >= busy_percent && !(matrix > of_memory)) {
		say(out, " Counters show memory at %.0f%% of its peak.", of_memory);
		out->kind = BOTTLENECK_MEMORY;
	} else if (matrix >= busy_percent) {
		say(out, " Counters show the matrix units at work %.0f%% of the time.", matrix);
		out->kind = BOTTLENECK_COMPUTE;
	} else if (lanes < few_lanes_percent) {
		say(out, " Counters show %.0f%% of the lanes at work: the others wait for them.",
		    lanes);
		out->kind = BOTTLENECK_DIVERGENCE;
	}
}

static void add_spills(const struct json *eval, struct bottleneck *out)
{
	const struct json *k = json_first(json_get(eval, "compile"));
	const char *target = json_get_string(eval, "target");
	double spills = 0;

	for (; k; k = json_next(k)) {
		const char *its = json_get_string(k, "target");

		if (!target || (its && strcmp(its, target) == 0))
			spills = fmax(spills, json_get_number(k, "spill", 0));
	}
	if (spills > 0)
		say(out, " The compiler spills %.0f registers a thread to memory.", spills);
}

void bottleneck_find(const struct json *candidate, const struct json *arch,
		     struct bottleneck *out)
{
	const struct json *eval = json_get(candidate, "eval"), *profile = json_get(eval, "profile");
	struct work w = {
		.name = "", .flops = NAN, .bytes = NAN, .ms = NAN, .gbs = NAN, .tflops = NAN,
		.share = NAN, .counters = longest_kernel(profile),
	};
	bool branches = branches_on_data(candidate) && !all_lanes_work(&w);

	out->why[0] = '\0';
	largest_case(json_get(candidate, "task"), &w);
	measured(json_get(eval, "perf"), &w);
	peaks(candidate, arch, &w);
	if (!isnan(w.ms))
		judge_measured(&w, branches, out);
	else
		judge_estimated(&w, branches, out);
	if (out->kind != BOTTLENECK_LAUNCH)
		judge_counted(profile, &w, out);
	add_spills(eval, out);
}
