#include "domain/rank.h"

#include <math.h>
#include <string.h>

static int reached(const struct json *eval)
{
	static const struct {
		const char *status;
		int reached;
	} known[] = {
		{ "pass", RANK_PASSED },
		{ "unverified", 5 },
		{ "wrong_answer", 4 },
		{ "call_error", 3 },
		{ "timeout", 3 },
		{ "out_of_memory", 3 },
		{ "crash", 3 },
		{ "no_kernel", 3 },
		{ "compile_error", 2 },
		{ "cheat", 0 },
	};
	const char *status = json_get_string(eval, "status");

	for (size_t i = 0; status && i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(status, known[i].status) == 0)
			return known[i].reached;
	return 1; /* not judged, or not through a fault of its own */
}

static double share_of_cases_ok(const struct json *eval)
{
	const struct json *checks = json_get(eval, "checks");
	double ok = 0, all = 0;

	if (reached(eval) == RANK_PASSED)
		return 1;
	for (const struct json *c = json_first(checks); c; c = json_next(c)) {
		ok += json_get_bool(c, "ok", false);
		all++;
	}
	return all > 0 ? ok / all : 0;
}

/* A figure that comes in two, of which only some targets have the second. */
static double both(const struct json *kernel, const char *key, const char *second)
{
	return json_get_number(kernel, key, NAN) + json_get_number(kernel, second, 0);
}

static bool is_for(const struct json *kernel, const char *target)
{
	const char *its = json_get_string(kernel, "target");

	return its && strcmp(its, target) == 0 && json_get_bool(kernel, "ok", false);
}

static void code_object(const struct json *eval, struct rank *r)
{
	const struct json *kernels = json_get(eval, "compile");
	const char *target = json_get_string(eval, "target");

	if (!target)
		target = json_get_string(json_first(kernels), "target");
	r->spills = r->occupancy = r->mfma = r->vgprs = NAN;
	for (const struct json *k = json_first(kernels); target && k; k = json_next(k)) {
		if (!is_for(k, target))
			continue;
		/* fmin and fmax pass over a NAN. */
		r->spills = fmax(r->spills, both(k, "spill", "sgpr_spill"));
		r->mfma = fmax(r->mfma, both(k, "mfma", "wmma"));
		r->occupancy = fmin(r->occupancy, json_get_number(k, "occupancy", NAN));
		r->vgprs = fmax(r->vgprs, json_get_number(k, "vgpr", NAN));
	}
}

void rank_of(const struct json *candidate, struct rank *out)
{
	const struct json *eval = json_get(candidate, "eval");
	const char *id = json_get_string(candidate, "id");
	double speedup = json_get_number(json_get(eval, "perf"), "speedup", NAN);

	*out = (struct rank){
		.reached = reached(eval),
		.cases_ok = share_of_cases_ok(eval),
		.speedup = speedup > 0 ? speedup : NAN,
		.round = json_get_number(candidate, "round", 0),
		.id = id ? id : "",
	};
	code_object(eval, out);
}

/* Negative when a is the greater one; an unknown figure comes last. */
static int more(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a < b) - (a > b);
}

static int fewer(double a, double b)
{
	return more(-a, -b);
}

int rank_compare_keys(const struct rank *a, const struct rank *b)
{
	int order = b->reached - a->reached;

	if (!order)
		order = more(a->cases_ok, b->cases_ok);
	if (!order)
		order = more(a->speedup, b->speedup);
	if (!order)
		order = fewer(a->spills, b->spills);
	if (!order)
		order = more(a->occupancy, b->occupancy);
	if (!order)
		order = more(a->mfma, b->mfma);
	if (!order)
		order = fewer(a->vgprs, b->vgprs);
	if (!order)
		order = fewer(a->round, b->round);
	return order ? order : strcmp(a->id, b->id);
}

int rank_compare(const struct json *a, const struct json *b)
{
	struct rank x, y;

	rank_of(a, &x);
	rank_of(b, &y);
	return rank_compare_keys(&x, &y);
}

bool rank_passed(const struct json *candidate)
{
	const char *status = json_get_string(json_get(candidate, "eval"), "status");

	return status && strcmp(status, "pass") == 0;
}
