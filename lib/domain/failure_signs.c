#include "domain/failure_signs.h"

#include <math.h>
#include <string.h>

#include "domain/pattern.h"
#include "domain/task.h"
#include "domain/unguarded.h"

bool failure_says(const struct evidence *ev, const char *phrase)
{
	return strstr(ev->message, phrase) || strstr(ev->compiled, phrase);
}

static const char *const bad_address_phrases[] = {
	"illegal memory access", "hipErrorIllegalAddress", "Memory access fault by GPU",
	"HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION", "CUDA_ERROR_ILLEGAL_ADDRESS",
	"free(): invalid", "double free or corruption", "malloc(): ", "malloc_consolidate(): ",
	"corrupted size vs. prev_size", "corrupted double-linked list", "munmap_chunk(): ",
	"SIGSEGV", "SIGBUS", " out of bounds of argument ",
};

bool failure_bad_address(const struct evidence *ev)
{
	for (size_t i = 0; i < sizeof(bad_address_phrases) / sizeof(*bad_address_phrases); i++) {
		const char *phrase = bad_address_phrases[i];

		if (failure_says(ev, phrase) || strstr(ev->class, phrase)
		    || (strcmp(ev->status, "crash") == 0 && strstr(ev->log, phrase)))
			return true;
	}
	return false;
}

static bool unguarded(const struct evidence *ev)
{
	return unguarded_line(ev->source) > 0;
}

bool failure_bad_address_unguarded(const struct evidence *ev)
{
	return failure_bad_address(ev) && unguarded(ev);
}

bool failure_reads_outside(const struct evidence *ev)
{
	return strstr(ev->log, "loads out of bounds of argument");
}

bool failure_reads_outside_unguarded(const struct evidence *ev)
{
	return failure_reads_outside(ev) && unguarded(ev);
}

static bool power_of_two(double x)
{
	int exponent;

	return x > 0 && isfinite(x) && frexp(x, &exponent) == 0.5;
}

/* Some size of the case is no power of two, so its last block is not full. */
static bool has_tail(const struct json *c)
{
	const struct json *p = json_first(json_get(c, "params"));

	for (; p; p = json_next(p))
		if (json_is(p, JSON_NUMBER) && !power_of_two(json_number(p, 1)))
			return true;
	return false;
}

bool failure_wrong_tail_unguarded(const struct evidence *ev)
{
	for (const struct json *k = json_first(ev->checks); k; k = json_next(k))
		if (!json_get_bool(k, "ok", true)
		    && !has_tail(task_case(ev->task, json_get_string(k, "case"))))
			return false;
	return unguarded(ev);
}

static bool mentions_layout(const struct json *c, const char *name)
{
	static const char *const words[] = { "transposed", "strided", "padded", "column",
					     "contiguous", "permuted" };
	const char *layout = json_get_string(c, "layout");
	const struct json *p;

	/* Only an offset does not change the strides. */
	if (json_get(c, "layout") && !(layout && strcmp(layout, "offset") == 0))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (name && strstr(name, words[i]))
			return true;
		for (p = json_first(json_get(c, "params")); p; p = json_next(p))
			if (json_string(p) && strstr(json_string(p), words[i]))
				return true;
	}
	return false;
}

bool failure_only_odd_layouts(const struct evidence *ev)
{
	bool some_right = false;

	for (const struct json *k = json_first(ev->checks); k; k = json_next(k)) {
		const char *name = json_get_string(k, "case");

		if (json_get_bool(k, "ok", false))
			some_right = true;
		else if (!mentions_layout(task_case(ev->task, name), name))
			return false;
	}
	return some_right;
}

bool failure_drifted(const struct evidence *ev)
{
	const struct json *m = json_get(ev->check, "mismatch");
	double got = json_get_number(m, "got", NAN), want = json_get_number(m, "expected", NAN);

	for (const struct json *k = json_first(ev->checks); k; k = json_next(k))
		if (json_get_number(k, "max_rel", 0) > 0.5)
			return false;
	return fabs(got - want) <= 0.05 * fabs(want)
	       && !pattern_shown(ev->check, "factor-per-index");
}

bool failure_reduces_zeros(const struct evidence *ev)
{
	return strstr(ev->source, "other=0")
	       && (strstr(ev->source, "tl.max(") || strstr(ev->source, "tl.exp("))
	       && !strstr(ev->source, "tl.where(");
}

bool failure_not_finite(const struct evidence *ev)
{
	const struct json *m = json_get(ev->check, "mismatch");

	if (pattern_of_places(ev->check))
		return false;
	return json_get_number(m, "nan", 0) > 0 || json_get_string(m, "got");
}

static bool many_programs(const struct evidence *ev)
{
	for (const struct json *k = json_first(ev->launches); k; k = json_next(k))
		for (const struct json *n = json_first(json_get(k, "grid")); n; n = json_next(n))
			if (json_number(n, 0) > 1)
				return true;
	return false;
}

bool failure_races(const struct evidence *ev)
{
	bool atomic = strstr(ev->source, "tl.atomic_") != NULL;

	if (atomic)
		return strstr(ev->source, "torch.empty") && !strstr(ev->source, "torch.zeros")
		       && !strstr(ev->source, ".zero_(") && !strstr(ev->source, "new_zeros");
	return many_programs(ev) && strstr(ev->source, "tl.store(")
	       && !strstr(ev->source, "program_id(");
}

bool failure_changes_shape(const struct evidence *ev)
{
	const char *from = strstr(ev->message, "has initial type ");
	const char *to = from ? strstr(from, "re-assigned to ") : NULL;
	const char *a, *b;
	size_t n, m;

	if (!to)
		return false;
	a = from + strlen("has initial type ");
	b = to + strlen("re-assigned to ");
	n = strncmp(a, "<[", 2) == 0 ? strcspn(a, "]") : 0;
	m = strncmp(b, "<[", 2) == 0 ? strcspn(b, "]") : 0;
	return n != m || strncmp(a, b, n) != 0;
}

bool failure_check_says_dtype(const struct evidence *ev)
{
	const char *error = json_get_string(ev->check, "error");

	return error && strstr(error, ": dtype ");
}

bool failure_check_says_structure(const struct evidence *ev)
{
	return json_get_string(ev->check, "error")
	       && !json_get(json_get(ev->check, "mismatch"), "count");
}
