#include "domain/pattern.h"

#include <stddef.h>
#include <string.h>

struct meaning {
	const char *pattern, *kind;
};

/* The surest first: right numbers in wrong places are no accident. */
static const struct meaning values[] = {
	{ "transposed", "indexing" }, { "tiles-transposed", "indexing" },
	{ "reversed", "indexing" }, { "repeated", "indexing" }, { "wrong-stride", "indexing" },
	{ "shifted", "indexing" }, { "permuted", "indexing" },
	{ "partial-sum", "accumulation" }, { "carry-lost", "accumulation" },
	{ "rounded", "numeric_drift" }, { "wrapped", "numeric_drift" },
	{ "overflow", "numeric_drift" },
	{ "zero-where-negative", "mask" }, { "reads-past-end", "mask" }, { "not-masked", "mask" },
	{ "undercounted", "race" }, { "argument-other-axis", "indexing" },
	{ "equals-input", "formula" }, { "argument-missing", "formula" },
	{ "argument-twice", "formula" }, { "wrong-sign", "formula" },
	{ "absolute-value", "formula" }, { "factor", "formula" }, { "offset", "formula" },
	{ "inverted", "formula" }, { "other-axis", "formula" },
	{ "diagonal", "mask" }, { "upper-triangle", "mask" }, { "lower-triangle", "mask" },
	{ NULL, NULL },
};

static const struct meaning places[] = {
	{ "factor-per-index", "formula" }, { "offset-per-index", "formula" },
	{ "every-kth", "indexing" }, { "all-but-every-kth", "indexing" },
	{ "last-tile", "mask" }, { "past-multiple", "mask" }, { "tail-of-each-block", "mask" },
	{ "second-half", "mask" }, { "before-multiple", "mask" }, { "first-half", "mask" },
	{ "unwritten", "race" },
	{ "low-precision", "numeric_drift" },
	{ NULL, NULL },
};

bool pattern_shown(const struct json *check, const char *name)
{
	const struct json *list = json_get(json_get(check, "mismatch"), "patterns");

	for (const struct json *p = json_first(list); p; p = json_next(p)) {
		const char *its = json_get_string(p, "name");

		if (its && strcmp(its, name) == 0)
			return true;
	}
	return false;
}

static const char *first_shown(const struct json *check, const struct meaning *list)
{
	for (; list->pattern; list++)
		if (pattern_shown(check, list->pattern))
			return list->kind;
	return NULL;
}

const char *pattern_of_values(const struct json *check)
{
	return first_shown(check, values);
}

const char *pattern_of_places(const struct json *check)
{
	return first_shown(check, places);
}
