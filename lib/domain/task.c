#include "domain/task.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *const harness_names[] = {
	[TASK_FUNCTION] = "function",
	[TASK_SCRIPT] = "script",
	[TASK_PYTEST] = "pytest",
	[TASK_MODULE] = "module",
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static int bad(struct err *e, const char *key, const char *must)
{
	return err_set(e, ERR_RECORD, "the task's \"%s\" must be %s", key, must);
}

/* A required key that is not there gets a sentence of its own. */
static int missing_or_bad(const struct json *task, const char *key, const char *must, struct err *e)
{
	if (!json_get(task, key))
		return err_set(e, ERR_RECORD, "the task has no \"%s\"; it must be %s", key, must);
	return bad(e, key, must);
}

static bool is_id(const char *s)
{
	size_t len = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");

	return len > 0 && len <= 128 && s[len] == '\0' && s[0] != '.' && s[0] != '-';
}

static bool is_identifier(const char *s)
{
	if (!isalpha((unsigned char)s[0]) && s[0] != '_')
		return false;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return *s == '\0';
}

/* A string that must be there and say something. */
static int check_text(const struct json *task, const char *key, const char *what, struct err *e)
{
	const char *text = json_get_string(task, key);

	return text && *text ? 0 : missing_or_bad(task, key, what, e);
}

static int check_optional_string(const struct json *task, const char *key, struct err *e)
{
	const struct json *value = json_get(task, key);

	return !value || json_is(value, JSON_STRING) ? 0 : bad(e, key, "a string");
}

static bool is_one_of(const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; word && i < n; i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

/* of is "the task's" or "case 2's". */
static int check_tolerance(const struct json *tolerance, const char *of, struct err *e)
{
	static const char *const keys[] = { "atol", "rtol" };
	static const char *const flags[] = { "equal_nan", "signed_zero" };

	for (size_t i = 0; i < COUNT(keys); i++) {
		double value = json_get_number(tolerance, keys[i], -1);

		if (!(value >= 0) || !isfinite(value))
			return err_set(e, ERR_RECORD, "%s \"tolerance\" must be an object whose \"%s\" "
				"is a number, 0 or more", of, keys[i]);
	}
	for (size_t i = 0; i < COUNT(flags); i++)
		if (json_get(tolerance, flags[i]) && !json_is(json_get(tolerance, flags[i]), JSON_BOOL))
			return err_set(e, ERR_RECORD, "%s \"tolerance\" must have true or false as its "
				"\"%s\"", of, flags[i]);
	return 0;
}

static int check_amount(const struct json *one, const char *key, const char *name, struct err *e)
{
	if (json_get(one, key) && json_get_int(one, key, -1) < 0)
		return err_set(e, ERR_RECORD, "case \"%s\" has a \"%s\" that is no whole number, "
			"0 or more", name, key);
	return 0;
}

/* What the harness makes of the inputs; the words are those of its inputs.py. */
static int check_values(const struct json *one, const char *name, struct err *e)
{
	static const char *const kinds[] = { "large", "tiny", "negative_zero", "ties", "equal", "nan",
					     "inf", "negative_inf" };
	const struct json *values = json_get(one, "values");
	bool good = !values || json_is(values, JSON_ARRAY);

	for (const struct json *v = json_first(values); good && v; v = json_next(v))
		good = is_one_of(json_string(v), kinds, COUNT(kinds));
	return good ? 0 : err_set(e, ERR_RECORD, "case \"%s\" must have as \"values\" an array of "
		"\"large\", \"tiny\", \"negative_zero\", \"ties\", \"equal\", \"nan\", \"inf\" and "
		"\"negative_inf\"", name);
}

static int check_layout(const struct json *one, const char *name, struct err *e)
{
	static const char *const kinds[] = { "offset", "strided", "transposed" };
	const struct json *layout = json_get(one, "layout");
	bool good = !layout || json_is(layout, JSON_ARRAY)
		    || is_one_of(json_string(layout), kinds, COUNT(kinds));

	for (const struct json *l = json_is(layout, JSON_ARRAY) ? json_first(layout) : NULL; good && l;
	     l = json_next(l))
		good = json_is(l, JSON_NULL) || is_one_of(json_string(l), kinds, COUNT(kinds));
	return good ? 0 : err_set(e, ERR_RECORD, "case \"%s\" must have as \"layout\" one of "
		"\"offset\", \"strided\" and \"transposed\", or an array with one of them, or null, "
		"for each argument", name);
}

static int check_contents(const struct json *one, const char *name, struct err *e)
{
	static const char *const kinds[] = { "rows", "whole" };

	if (!json_get(one, "contents")
	    || is_one_of(json_get_string(one, "contents"), kinds, COUNT(kinds)))
		return 0;
	return err_set(e, ERR_RECORD, "case \"%s\" must have as \"contents\" one of \"rows\" and "
		"\"whole\"", name);
}

static int check_case(const struct json *one, size_t number, bool *is_check, struct err *e)
{
	const char *name = json_get_string(one, "name"), *kind = json_get_string(one, "kind");
	const struct json *tolerance = json_get(one, "tolerance");
	char of[64];

	if (!name || !*name)
		return err_set(e, ERR_RECORD, "case %zu must be an object with a \"name\"", number);
	if (!kind || (strcmp(kind, "check") != 0 && strcmp(kind, "time") != 0))
		return err_set(e, ERR_RECORD, "case \"%s\" must have the \"kind\" \"check\" or \"time\"",
			       name);
	if (!json_is(json_get(one, "params"), JSON_OBJECT))
		return err_set(e, ERR_RECORD, "case \"%s\" has no object \"params\"; it is what "
			"inputs() gets", name);
	*is_check = strcmp(kind, "check") == 0;
	snprintf(of, sizeof(of), "case %zu's", number);
	if (tolerance && check_tolerance(tolerance, of, e))
		return ERR_RECORD;
	if (check_values(one, name, e) || check_layout(one, name, e) || check_contents(one, name, e))
		return ERR_RECORD;
	if (check_amount(one, "flops", name, e))
		return ERR_RECORD;
	return check_amount(one, "bytes", name, e);
}

/* The number of an earlier case of the same name, or 0. */
static size_t same_name(const struct json *cases, const struct json *one)
{
	const char *name = json_get_string(one, "name");
	size_t number = 1;

	for (const struct json *c = json_first(cases); c != one; c = json_next(c), number++)
		if (strcmp(json_get_string(c, "name"), name) == 0)
			return number;
	return 0;
}

/* The harness calls the entry, case by case. */
static bool is_called(enum task_harness harness)
{
	return harness == TASK_FUNCTION || harness == TASK_MODULE;
}

static int check_cases(const struct json *task, struct err *e)
{
	const struct json *cases = json_get(task, "cases");
	enum task_harness harness = task_harness(task);
	bool is_check = false, any = false;
	size_t number = 0, earlier;

	if (!json_is(cases, JSON_ARRAY))
		return missing_or_bad(task, "cases", "an array of objects", e);
	for (const struct json *c = json_first(cases); c; c = json_next(c)) {
		if (check_case(c, ++number, &is_check, e))
			return ERR_RECORD;
		earlier = same_name(cases, c);
		if (earlier)
			return err_set(e, ERR_RECORD, "cases %zu and %zu have the same name \"%s\"",
				       earlier, number, json_get_string(c, "name"));
		any = any || is_check;
	}
	if (is_called(harness) && !any)
		return err_set(e, ERR_RECORD, "the task has no case of the kind \"check\"; with the "
			"harness \"%s\" it needs one at least", harness_names[harness]);
	return 0;
}

static int check_words(const struct json *task, const char *key, struct err *e)
{
	const struct json *words = json_get(task, key);

	if (words && !json_is(words, JSON_ARRAY))
		return bad(e, key, "an array of strings");
	for (const struct json *w = json_first(words); w; w = json_next(w))
		if (!json_is(w, JSON_STRING))
			return bad(e, key, "an array of strings");
	return 0;
}

static int check_harness(const struct json *task, struct err *e)
{
	const char *name = json_get_string(task, "harness");

	if (task_harness(task) != TASK_NO_HARNESS)
		return 0;
	if (!name)
		return missing_or_bad(task, "harness",
			"\"function\", \"script\", \"pytest\" or \"module\"", e);
	return err_set(e, ERR_RECORD, "the task's \"harness\" is \"%s\", which nobody knows; it must be "
		"\"function\", \"script\", \"pytest\" or \"module\"", name);
}

/* How strictly a candidate is asked. */
static int check_rigour(const struct json *task, struct err *e)
{
	static const char *const strides[] = { "any", "same" };
	const struct json *deterministic = json_get(task, "deterministic");
	int64_t seeds = json_get_int(task, "seeds", 0);

	if (json_get(task, "tolerance") && check_tolerance(json_get(task, "tolerance"), "the task's", e))
		return ERR_RECORD;
	if (json_get(task, "seeds") && (seeds < 1 || seeds > 16))
		return bad(e, "seeds", "a whole number from 1 to 16");
	if (deterministic && !json_is(deterministic, JSON_BOOL))
		return bad(e, "deterministic", "true or false");
	if (json_get(task, "strides")
	    && !is_one_of(json_get_string(task, "strides"), strides, COUNT(strides)))
		return bad(e, "strides", "\"any\" or \"same\"");
	return 0;
}

static int check_entry(const struct json *task, struct err *e)
{
	const char *entry = json_get_string(task, "entry");
	enum task_harness harness = task_harness(task);
	const char *must = harness == TASK_MODULE ? "the name of a Python class"
						  : "the name of a Python function";

	if (!json_get(task, "entry") && !is_called(harness))
		return 0;
	if (!entry)
		return missing_or_bad(task, "entry", must, e);
	if (!is_identifier(entry))
		return err_set(e, ERR_RECORD, "the task's \"entry\" must be %s, not \"%s\"", must,
			       entry);
	return 0;
}

/* What may be left out, but must be right when it is there. */
static int check_rest(const struct json *task, struct err *e)
{
	static const char *const strings[] = { "title", "signature", "tests", "result", "seed_source" };
	const struct json *suite = json_get(task, "source_suite");
	int64_t difficulty = json_get_int(task, "difficulty", 0);

	for (size_t i = 0; i < COUNT(strings); i++)
		if (check_optional_string(task, strings[i], e))
			return ERR_RECORD;
	if (json_get(task, "difficulty") && (difficulty < 1 || difficulty > 5))
		return bad(e, "difficulty", "a whole number from 1 to 5");
	if (suite && !json_get_string(suite, "name"))
		return bad(e, "source_suite", "an object with a \"name\"");
	return check_words(task, "tags", e) || check_words(task, "tolerates", e)
	       || check_words(task, "allow", e) ? ERR_RECORD : 0;
}

int task_check(const struct json *task, struct err *e)
{
	const char *id = json_get_string(task, "id"), *language = json_get_string(task, "language");

	if (!json_is(task, JSON_OBJECT))
		return err_set(e, ERR_RECORD, "a task must be a JSON object");
	if (!id || !is_id(id))
		return missing_or_bad(task, "id", "a name of at most 128 letters, digits, '_', '-' "
			"and '.', with a letter, digit or '_' first", e);
	if (check_text(task, "prompt", "a description of the operator", e))
		return ERR_RECORD;
	if (!language || strcmp(language, "triton") != 0)
		return missing_or_bad(task, "language", "\"triton\"", e);
	if (check_harness(task, e) || check_entry(task, e))
		return ERR_RECORD;
	if (check_text(task, "reference", "Python source", e) || check_cases(task, e))
		return ERR_RECORD;
	return check_rigour(task, e) || check_rest(task, e) ? ERR_RECORD : 0;
}

enum task_harness task_harness(const struct json *task)
{
	const char *name = json_get_string(task, "harness");

	for (int h = 0; name && h < TASK_NO_HARNESS; h++)
		if (strcmp(name, harness_names[h]) == 0)
			return (enum task_harness)h;
	return TASK_NO_HARNESS;
}

bool task_case_is_timed(const struct json *task_case)
{
	const char *kind = json_get_string(task_case, "kind");

	return kind && strcmp(kind, "time") == 0;
}

const struct json *task_case(const struct json *task, const char *name)
{
	const struct json *c = json_first(json_get(task, "cases"));

	for (; name && c; c = json_next(c)) {
		const char *its = json_get_string(c, "name");

		if (its && strcmp(its, name) == 0)
			return c;
	}
	return NULL;
}

void task_digest(const struct json *task, char digest[HASH_HEX])
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	if (task)
		json_print(task, &text);
	hash_bytes_hex(text.data, text.len, digest);
	buf_release(&text);
}
