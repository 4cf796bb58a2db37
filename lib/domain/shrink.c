/*
 * Which sizes may be made smaller, and how far, cannot be known without running
 * the reference; so all of this is prudence. Sizes are halved, which keeps most
 * of what divides them. What is small already is rather a window's width, a
 * stride or a number of heads than a size, and stays; a size that a number of
 * heads divides remains divisible by it. Sizes of parameters (what the
 * constructor is told) are all halved alike, so that they keep their
 * proportions. Others that are equal stay so, because they may have to be; two
 * that differ go on to differ, or a kernel that confuses them would pass. What
 * Model reads by itself, and is not told, stays: who writes a ModelNew may take
 * it for a constant.
 */
#include "domain/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "domain/py_sizes.h"
#include "ground/mem.h"

enum {
	SMALL = 16,            /* no size, but a width, a stride, a number of heads */
	BATCH = 4,             /* enough for statistics over the batch */
	PARAMETER = 256,       /* the constructor's largest */
	FEW = 1 << 16,         /* elements that are wanted, */
	MUCH = 1 << 18,        /* and that will do if they cannot be had with */
	FLOOR = 32,            /* sizes not below this */
};

struct sizes {
	struct py_sizes now, was;
};

static long largest(const struct py_size *s)
{
	long max = 0;

	for (size_t i = 0; i < s->count; i++)
		max = s->value[i] > max ? s->value[i] : max;
	return max;
}

static long smallest(const struct py_size *s)
{
	long min = s->value[0];

	for (size_t i = 1; i < s->count; i++)
		min = s->value[i] < min ? s->value[i] : min;
	return min;
}

static bool holds(const struct py_size *s, const char *word)
{
	return memmem(s->name.text, s->name.len, word, strlen(word)) != NULL;
}

/* Something that sizes are cut into: heads, groups, patches. A window slides and need not fit. */
static bool is_divisor(const struct py_size *s)
{
	return s->literal && !s->sequence && s->value[0] > 1 && s->value[0] <= SMALL && !holds(s, "batch")
	       && !holds(s, "kernel") && !holds(s, "stride") && !holds(s, "padding")
	       && !holds(s, "dilation");
}

/* What divides old must divide new. */
static bool keeps_divisors(const struct sizes *z, long old, long new)
{
	for (size_t i = 0; i < z->was.count; i++) {
		long d = z->was.all[i].value[0];

		if (is_divisor(&z->was.all[i]) && old % d == 0 && new % d != 0)
			return false;
	}
	return true;
}

static long half(long value)
{
	return value % 2 ? (value / 2) | 1 : value / 2; /* odd sizes leave odd tails */
}

/* May every number of size i be halved? */
static bool can_halve(const struct sizes *z, size_t i)
{
	const struct py_size *now = &z->now.all[i], *was = &z->was.all[i];

	for (size_t k = 0; k < now->count; k++)
		if (half(now->value[k]) < 2
		    || !keeps_divisors(z, was->value[k], half(now->value[k])))
			return false;
	return true;
}

static void halve(struct py_size *s)
{
	for (size_t k = 0; k < s->count; k++)
		s->value[k] = half(s->value[k]);
}

/* -- which is which */

static bool same_value(const struct py_size *a, const struct py_size *b)
{
	return a->literal && b->literal && a->count && b->count && largest(a) == largest(b);
}

/* Is it all that some input is made of? */
static bool makes_a_vector(const struct sizes *z, size_t i)
{
	for (size_t t = 0; t < PY_TENSORS_MAX; t++) {
		bool alone = z->was.all[i].in_tensor[t] > 0;

		for (size_t k = 0; alone && k < z->was.count; k++)
			alone = k == i || !z->was.all[k].in_tensor[t];
		if (alone)
			return true;
	}
	return false;
}

/* The number of samples. But a vector of that length may be meant for another
 * side of the same length: then it is a size. */
static bool is_batch(const struct sizes *z, size_t i)
{
	const struct py_size *s = &z->was.all[i];

	if (!s->literal || s->sequence || s->global || !holds(s, "batch"))
		return false;
	for (size_t k = 0; makes_a_vector(z, i) && k < z->was.count; k++)
		if (k != i && py_size_in_inputs(&z->was.all[k]) && same_value(s, &z->was.all[k]))
			return false;
	return true;
}

static bool is_size(const struct sizes *z, size_t i)
{
	const struct py_size *s = &z->was.all[i];

	return s->literal && s->count && !s->global && smallest(s) > SMALL && !is_batch(z, i);
}

static bool is_parameter(const struct sizes *z, size_t i)
{
	return is_size(z, i) && z->was.all[i].in_init;
}

static bool is_input(const struct sizes *z, size_t i)
{
	return is_size(z, i) && py_size_in_inputs(&z->was.all[i]) && !z->was.all[i].in_init;
}

/* Of the inputs' tensor t, as far as sizes that are known tell; 0 where there is none. */
static double elements_of(const struct sizes *z, size_t t)
{
	double product = 1;
	bool any = false;

	for (size_t i = 0; i < z->now.count; i++) {
		const struct py_size *s = &z->now.all[i];

		for (int n = 0; s->literal && n < s->in_tensor[t]; n++) {
			for (size_t k = 0; k < s->count; k++)
				product *= (double)s->value[k];
			any = true;
		}
	}
	return any ? product : 0;
}

static double elements(const struct sizes *z)
{
	double sum = 0;

	for (size_t t = 0; t < PY_TENSORS_MAX; t++)
		sum += elements_of(z, t);
	return sum;
}

/* -- the steps */

static void shrink_batch(struct sizes *z, long to)
{
	for (size_t i = 0; i < z->now.count; i++)
		if (is_batch(z, i) && py_size_in_inputs(&z->was.all[i]) && z->now.all[i].value[0] > to)
			z->now.all[i].value[0] = to;
}

/* Of all, or of those that inputs have, too. */
static long largest_parameter(const struct sizes *z, bool of_inputs)
{
	long max = 0;

	for (size_t i = 0; i < z->now.count; i++)
		if (is_parameter(z, i) && largest(&z->now.all[i]) > max
		    && (!of_inputs || py_size_in_inputs(&z->now.all[i])))
			max = largest(&z->now.all[i]);
	return max;
}

static bool halve_parameters(struct sizes *z)
{
	bool any = false;

	for (size_t i = 0; i < z->now.count; i++)
		if (is_parameter(z, i) && can_halve(z, i)) {
			halve(&z->now.all[i]);
			any = true;
		}
	return any;
}

/* Halves size i, and with it those that were equal to it, so that they still are. */
static bool halve_input(struct sizes *z, size_t i)
{
	for (size_t k = 0; k < z->now.count; k++)
		if (is_input(z, k) && same_value(&z->was.all[i], &z->was.all[k]) && !can_halve(z, k))
			return false;
	for (size_t k = 0; k < z->now.count; k++)
		if (is_input(z, k) && same_value(&z->was.all[i], &z->was.all[k]))
			halve(&z->now.all[k]);
	return true;
}

/* Halves the largest of the inputs' sizes above floor, again and again, until few are left. */
static void shrink_inputs(struct sizes *z, long floor, double few)
{
	bool stuck[PY_SIZES_MAX] = { false };

	while (elements(z) > few) {
		size_t best = z->now.count;

		for (size_t i = 0; i < z->now.count; i++)
			if (is_input(z, i) && !stuck[i] && smallest(&z->now.all[i]) > floor
			    && (best == z->now.count
				|| largest(&z->now.all[i]) > largest(&z->now.all[best])))
				best = i;
		if (best == z->now.count)
			return;
		stuck[best] = !halve_input(z, best);
	}
}

/* The smaller one of two that were different and have become the same; or none. */
static size_t find_confused(const struct sizes *z)
{
	for (size_t i = 0; i < z->now.count; i++)
		for (size_t k = 0; is_input(z, i) && k < z->now.count; k++)
			if (is_input(z, k) && same_value(&z->now.all[i], &z->now.all[k])
			    && largest(&z->was.all[i]) < largest(&z->was.all[k]))
				return i;
	return z->now.count;
}

static void shrink_all(struct sizes *z)
{
	size_t confused;

	shrink_batch(z, BATCH);
	while (largest_parameter(z, false) > PARAMETER && halve_parameters(z))
		;
	shrink_inputs(z, FLOOR, FEW);
	if (elements(z) > MUCH)
		shrink_batch(z, 2);
	shrink_inputs(z, SMALL, MUCH);
	while (elements(z) > MUCH && largest_parameter(z, true) > FLOOR && halve_parameters(z))
		;
	while ((confused = find_confused(z)) < z->now.count
	       && largest(&z->now.all[confused]) > SMALL && halve_input(z, confused))
		;
}

/* -- what came of it */

static bool changed(const struct sizes *z, size_t i)
{
	const struct py_size *now = &z->now.all[i], *was = &z->was.all[i];

	return now->literal && memcmp(now->value, was->value, now->count * sizeof(*now->value)) != 0;
}

static struct json *value_of(const struct py_size *s)
{
	struct json *array;

	if (!s->sequence)
		return json_new_int(s->value[0]);
	array = json_new_array();
	for (size_t k = 0; k < s->count; k++)
		json_push(array, json_new_int(s->value[k]));
	return array;
}

struct json *shrink_sizes(const char *reference)
{
	struct sizes *z = mem_alloc(sizeof(*z));
	struct json *params = json_new_object();

	py_sizes_read(&z->was, reference);
	z->now = z->was;
	shrink_all(z);
	for (size_t i = 0; i < z->now.count; i++) {
		const struct py_size *s = &z->now.all[i];
		char *name = mem_strndup(s->name.text, s->name.len);

		if (changed(z, i))
			json_set(params, name, value_of(s));
		free(name);
	}
	free(z);
	if (json_len(params))
		return params;
	json_free(params);
	return NULL;
}
