#include "domain/plan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ground/buf.h"
#include "ground/mem.h"

struct launch {
	const char *kernel;
	char *types;       /* of its tensor arguments, in order */
	double size;       /* how much it works on; only compared */
	bool largest, largest_of_types;
};

static double elements(const struct json *shape)
{
	double n = 1;

	for (const struct json *m = json_first(shape); m; m = json_next(m))
		n *= json_number(m, 0);
	return n;
}

/* Block sizes are constants among the arguments: what a program holds in registers and
 * shared memory grows with them. So they come first, and what the launch covers next. */
static void weigh(struct launch *l, const struct json *said)
{
	double blocks = 1, covered = 0;
	struct buf types;

	buf_init(&types, 4096);
	for (const struct json *m = json_first(json_get(said, "args")); m; m = json_next(m)) {
		const struct json *arg = json_at(m, 1);
		const char *kind = json_get_string(arg, "t"), *v = json_get_string(arg, "v");

		if (kind && strcmp(kind, "tensor") == 0) {
			const char *dtype = json_get_string(arg, "dtype");

			buf_addf(&types, "%.16s,", dtype ? dtype : "?");
			covered += elements(json_get(arg, "shape"));
		} else if (kind && v && strcmp(kind, "int") == 0) {
			long n = strtol(v, NULL, 10);

			if (n > 1 && json_bool(json_at(m, 2), false))
				blocks *= (double)n;
		}
	}
	l->types = mem_strdup(types.data ? types.data : "");
	l->size = blocks * 1e12 + covered;
	buf_release(&types);
}

static bool same_kernel(const struct launch *a, const struct launch *b)
{
	return strcmp(a->kernel, b->kernel) == 0;
}

static void rank(struct launch *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		all[i].largest = all[i].largest_of_types = true;
		for (size_t k = 0; k < n; k++) {
			bool larger = all[k].size > all[i].size || (all[k].size == all[i].size && k < i);

			if (k == i || !larger || !same_kernel(&all[i], &all[k]))
				continue;
			all[i].largest = false;
			if (strcmp(all[i].types, all[k].types) == 0)
				all[i].largest_of_types = false;
		}
	}
}

static void add(struct json *plan, size_t launch, const char *target, const char *depth)
{
	struct json *one = json_new_object();

	json_set_int(one, "launch", (int64_t)launch);
	json_set_string(one, "target", target);
	json_set_string(one, "depth", depth);
	json_push(plan, one);
}

/* For the first target. */
static const char *depth_of(const struct launch *l, enum plan_objects objects)
{
	if (objects == PLAN_OF_NONE)
		return "ir";
	return objects == PLAN_OF_ALL || l->largest ? "object" : l->largest_of_types ? "llvm" : "ir";
}

struct json *plan_compile(const struct json *launches, const char *const *targets, size_t n_targets,
			  enum plan_objects objects)
{
	struct json *plan = json_new_array();
	size_t n = json_len(launches), i = 0;
	struct launch *all = mem_zalloc(n + 1, sizeof(*all));

	for (const struct json *m = json_first(launches); m; m = json_next(m), i++) {
		const char *name = json_get_string(m, "qualname");

		all[i].kernel = name ? name : json_get_string(m, "kernel");
		weigh(&all[i], m);
	}
	rank(all, n);
	for (i = 0; i < n; i++)
		add(plan, i, targets[0], depth_of(&all[i], objects));
	for (size_t t = 1; t < n_targets && objects != PLAN_OF_NONE; t++)
		for (i = 0; i < n; i++)
			if (all[i].largest)
				add(plan, i, targets[t], "object");
	for (i = 0; i < n; i++)
		free(all[i].types);
	free(all);
	return plan;
}
