#include "domain/effort.h"

#include <stdio.h>
#include <string.h>

/*
 * A case's bytes and operations are the least that are needed, but a kernel may read
 * what was cast to a smaller type before, or save operations where the task's author
 * saw no way to. What cheats do is smaller by far more than that.
 */
static const double least_moved = 0.25, least_operations = 0.5;

static const char *const figures[] = { "loaded", "stored", "operations", "torch_operations" };

struct json *effort_record(const struct json *results)
{
	struct json *all = json_new_array();

	for (const struct json *m = json_first(results); m; m = json_next(m)) {
		const struct json *work = json_get(m, "work");
		struct json *one;

		if (!json_is(work, JSON_OBJECT) || !json_get_string(m, "case"))
			continue;
		one = json_new_object();
		json_set_string(one, "case", json_get_string(m, "case"));
		for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
			if (json_get(work, figures[i]))
				json_set_int(one, figures[i], json_get_int(work, figures[i], 0));
		json_push(all, one);
	}
	if (json_len(all))
		return all;
	json_free(all);
	return NULL;
}

void effort_add(struct json *sum, const struct json *work)
{
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		if (json_get(work, figures[i]))
			json_set_number(sum, figures[i], json_get_number(sum, figures[i], 0)
					+ json_get_number(work, figures[i], 0));
}

/* Of all tensors in the header of a result, as wire.py makes it. */
static double bytes_of(const struct json *header)
{
	double sum = json_get_number(header, "bytes", 0);
	const struct json *m = json_is(header, JSON_OBJECT) ? json_get(header, "v") : header;

	if (json_is(m, JSON_ARRAY))
		for (m = json_first(m); m; m = json_next(m))
			sum += bytes_of(m);
	return sum;
}

/* Whether a result is of this case: of another draw of its inputs it is called "case (draw 2)". */
static bool is_of(const char *result, const char *name)
{
	size_t n = strlen(name);

	return strncmp(result, name, n) == 0 && (!result[n] || strncmp(result + n, " (", 2) == 0);
}

static const struct json *case_named(const struct json *task, const char *result)
{
	const struct json *c = json_first(json_get(task, "cases"));

	while (c && !(json_get_string(c, "name") && is_of(result, json_get_string(c, "name"))))
		c = json_next(c);
	return c;
}

struct effort {
	double bytes, flops;          /* what the cases take */
	double moved, did, torch;     /* what was done */
	double reference;             /* what torch did for the reference */
	bool counted;                 /* of kernels: not on a GPU */
};

/* Over all cases, since in the smallest a kernel may well leave all to the rest of a block. */
static struct effort effort_of(const struct json *task, const struct json *results,
			       const struct json *reference)
{
	struct effort e = { .counted = true };

	for (const struct json *m = json_first(results); m; m = json_next(m)) {
		const char *name = json_get_string(m, "case");
		const struct json *work = json_get(m, "work"), *c = name ? case_named(task, name) : NULL;

		/* An entry that works in place returns nothing: what it changed is its result. */
		if (!c || !json_is(work, JSON_OBJECT)
		    || !(bytes_of(json_get(m, "result")) + bytes_of(json_get(m, "args")) > 0))
			continue;
		e.bytes += json_get_number(c, "bytes", 0);
		e.flops += json_get_number(c, "flops", 0);
		e.reference += json_get_number(reference, name, 0);
		e.moved += json_get_number(work, "loaded", 0) + json_get_number(work, "stored", 0);
		e.did += json_get_number(work, "operations", 0);
		e.torch += json_get_number(work, "torch_operations", 0);
		e.counted = e.counted && json_get(work, "operations");
	}
	return e;
}

/* Whether torch did so much of what is needed that the kernels' part cannot have been the work, however
 * much they did besides: operations are easily wasted. Where they are not counted they are believed to
 * have done what torch left. */
static bool torch_outdid(const struct effort *e, double needed)
{
	if (!e->counted)
		return e->torch > needed - e->torch;
	return e->torch > least_operations * needed;
}

/* Where a case takes one operation an element, any finishing touch of torch's would be as much. */
static bool torch_did_it(const struct effort *e)
{
	return e->flops > 0 && e->flops >= e->bytes / 2 && torch_outdid(e, e->flops);
}

/* Of a task that says nothing of its cases. What the reference did is no more than a hint of what they
 * take: there torch may do as much beside kernels that do more. */
static bool torch_did_as_much(const struct effort *e)
{
	return e->flops == 0 && e->bytes == 0 && e->reference > 0 && torch_outdid(e, e->reference)
	       && !(e->counted && e->torch < least_operations * e->did);
}

bool effort_is_for_show(const struct json *task, const struct json *results,
			const struct json *reference, char *why, size_t size)
{
	struct effort e = effort_of(task, results, reference);

	if (e.counted && e.moved < least_moved * e.bytes)
		snprintf(why, size, "its kernels moved %.0f bytes where %.0f have to be", e.moved, e.bytes);
	else if (e.counted && e.did < least_operations * e.flops)
		snprintf(why, size, "its kernels did %.0f floating-point operations of about %.0f", e.did,
			 e.flops);
	else if (torch_did_it(&e))
		snprintf(why, size, "torch did %.0f floating-point operations of about %.0f", e.torch,
			 e.flops);
	else if (torch_did_as_much(&e))
		snprintf(why, size, "torch did %.0f floating-point operations, for the reference %.0f",
			 e.torch, e.reference);
	else
		return false;
	return true;
}
