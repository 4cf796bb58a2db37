#include "domain/contrast.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "domain/task.h"

enum {
	CASES = 64, KEYS = 16,
	SENTENCES = 2,          /* with few cases many things part them */
	SHOWN = 6, VALUE_BYTES = 60,
	BLOCK_MIN = 8, BLOCK_MAX = 4096,
};

/* What the judge may be asked to do to the inputs of a case; most cases say nothing of it. */
static const char *const asked[] = { "layout", "values" };

struct contrast {
	const struct json *cases[CASES];
	bool wrong[CASES];
	size_t n;
	const char *keys[KEYS];
	size_t n_keys;
};

/* -- gathering */

/* A result without elements is right whatever the kernel does. */
static bool is_empty(const struct json *c)
{
	for (const struct json *p = json_first(json_get(c, "params")); p; p = json_next(p))
		if (json_is(p, JSON_NUMBER) && json_number(p, 1) == 0
		    && json_key(p) && json_key(p)[0] >= 'A' && json_key(p)[0] <= 'Z')
			return true;
	return false;
}

static void add_key(struct contrast *c, const char *key)
{
	for (size_t i = 0; i < c->n_keys; i++)
		if (strcmp(c->keys[i], key) == 0)
			return;
	if (c->n_keys < KEYS)
		c->keys[c->n_keys++] = key;
}

/* What makes a case what it is: its params, and what else the judge does to its inputs. */
static const struct json *value_of(const struct json *c, const char *key)
{
	const struct json *value = json_get(json_get(c, "params"), key);

	return value ? value : json_get(c, key);
}

static void gather(struct contrast *c, const struct json *candidate)
{
	const struct json *k = json_first(json_get(json_get(candidate, "eval"), "checks"));

	/* First, since whoever wrote the task asked for them with a fault in mind. */
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		add_key(c, asked[i]);
	for (; k && c->n < CASES; k = json_next(k)) {
		const struct json *ok = json_get(k, "ok");
		const struct json *its = task_case(json_get(candidate, "task"),
						   json_get_string(k, "case"));

		if (!json_is(ok, JSON_BOOL) || !json_is(json_get(its, "params"), JSON_OBJECT)
		    || is_empty(its))
			continue;
		c->wrong[c->n] = !json_bool(ok, true);
		c->cases[c->n++] = its;
		for (const struct json *p = json_first(json_get(its, "params")); p; p = json_next(p))
			add_key(c, json_key(p));
	}
}

/* -- what parts them */

static bool not_a_power(double x, double unused)
{
	int exponent;

	(void)unused;
	return !(x > 0 && frexp(x, &exponent) == 0.5);
}

static bool not_a_multiple(double x, double block)
{
	return fmod(x, block) != 0;
}

static bool is_above(double x, double bound)
{
	return x > bound;
}

static bool is_below(double x, double bound)
{
	return x < bound;
}

/* The test holds for each wrong case's number, and for no right one's. */
static bool parts(const struct contrast *c, const char *key,
		  bool (*test)(double, double), double arg)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct json *value = value_of(c->cases[i], key);

		if (!json_is(value, JSON_NUMBER) || test(json_number(value, 0), arg) != c->wrong[i])
			return false;
	}
	return true;
}

static bool is_set(const struct json *value)
{
	return value && !json_is(value, JSON_NULL) && json_bool(value, true);
}

/* Only wrong cases have the member at all, or have it true. */
static bool given(const struct contrast *c, const char *key)
{
	for (size_t i = 0; i < c->n; i++)
		if (is_set(value_of(c->cases[i], key)) != c->wrong[i])
			return false;
	return true;
}

static bool may_be_absent(const char *key)
{
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		if (strcmp(key, asked[i]) == 0)
			return true;
	return false;
}

/* No wrong case has the value of a right one, and the values are words. */
static bool differs(const struct contrast *c, const char *key)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct json *a = value_of(c->cases[i], key);

		if (a ? json_is(a, JSON_NUMBER) : !may_be_absent(key))
			return false;
		for (size_t k = 0; k < i; k++)
			if (c->wrong[i] != c->wrong[k]
			    && json_equal(a, value_of(c->cases[k], key)))
				return false;
	}
	return true;
}

/* Of the numbers of the wrong (or the right) cases the smallest or the largest. */
static double extreme(const struct contrast *c, const char *key, bool wrong, bool largest)
{
	double found = largest ? -INFINITY : INFINITY;

	for (size_t i = 0; i < c->n; i++) {
		double x = json_number(value_of(c->cases[i], key), NAN);

		if (c->wrong[i] == wrong)
			found = largest ? fmax(found, x) : fmin(found, x);
	}
	return found;
}

/* -- in words */

static void add_value(struct buf *out, const struct json *value)
{
	struct buf text;

	buf_init(&text, VALUE_BYTES);
	if (json_string(value))
		buf_addf(out, "%.*s", VALUE_BYTES, json_string(value));
	else if (!value)
		buf_adds(out, "none");
	else
		buf_adds(out, json_print(value, &text) == 0 ? text.data : "...");
	buf_release(&text);
}

static bool seen_before(const struct contrast *c, const char *key, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (c->wrong[i] == c->wrong[index]
		    && json_equal(value_of(c->cases[i], key), value_of(c->cases[index], key)))
			return true;
	return false;
}

static void add_values(struct buf *out, const struct contrast *c, const char *key, bool wrong)
{
	size_t shown = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct json *value = value_of(c->cases[i], key);

		if (c->wrong[i] != wrong || (!value && !may_be_absent(key))
		    || seen_before(c, key, i))
			continue;
		if (shown == SHOWN) {
			buf_adds(out, ", ...");
			return;
		}
		buf_adds(out, shown++ ? ", " : "");
		add_value(out, value);
	}
}

static bool number_sentence(const struct contrast *c, const char *key, struct buf *out)
{
	double bound = extreme(c, key, false, true);

	if (parts(c, key, not_a_power, 0)) {
		buf_addf(out, "Wrong only where %s is not a power of two: ", key);
		return true;
	}
	for (int block = BLOCK_MAX; block >= BLOCK_MIN; block /= 2)
		if (parts(c, key, not_a_multiple, block)) {
			buf_addf(out, "Wrong only where %s is not a multiple of %d: ", key, block);
			return true;
		}
	if (parts(c, key, is_above, bound)) {
		buf_addf(out, "Wrong only where %s is larger than %g: ", key, bound);
		return true;
	}
	bound = extreme(c, key, false, false);
	if (parts(c, key, is_below, bound)) {
		buf_addf(out, "Wrong only where %s is smaller than %g: ", key, bound);
		return true;
	}
	return false;
}

static bool sentence(const struct contrast *c, const char *key, struct buf *out)
{
	bool flag = given(c, key);

	if (flag)
		buf_addf(out, "Wrong only where %s is set: ", key);
	else if (differs(c, key))
		buf_addf(out, "Wrong only where %s is ", key);
	else if (!number_sentence(c, key, out))
		return false;
	add_values(out, c, key, true);
	if (!flag) {
		buf_adds(out, "; right: ");
		add_values(out, c, key, false);
	}
	buf_adds(out, ".\n");
	return true;
}

/* Two sizes that are the same in each right case, and in no wrong one. */
static bool pair_sentence(const struct contrast *c, const char *a, const char *b, struct buf *out)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct json *x = value_of(c->cases[i], a), *y = value_of(c->cases[i], b);

		if (!json_is(x, JSON_NUMBER) || !json_is(y, JSON_NUMBER)
		    || (json_number(x, 0) != json_number(y, 0)) != c->wrong[i])
			return false;
	}
	buf_addf(out, "Wrong only where %s and %s differ.\n", a, b);
	return true;
}

void contrast_describe(const struct json *candidate, struct buf *out)
{
	struct contrast c = { .n = 0 };
	size_t wrong = 0, said = 0;

	gather(&c, candidate);
	for (size_t i = 0; i < c.n; i++)
		wrong += c.wrong[i];
	if (wrong == 0 || wrong == c.n)
		return;
	for (size_t a = 0; a < c.n_keys; a++)
		for (size_t b = 0; b < a && said < SENTENCES; b++)
			said += pair_sentence(&c, c.keys[b], c.keys[a], out);
	for (size_t i = 0; i < c.n_keys && said < SENTENCES; i++)
		said += sentence(&c, c.keys[i], out);
}
