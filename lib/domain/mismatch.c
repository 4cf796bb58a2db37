#include "domain/mismatch.h"

#include <stdbool.h>
#include <string.h>

#include "domain/contrast.h"
#include "domain/task.h"

enum { SHOWN = 4, TEXT_SHOWN = 400, PARAMS_SHOWN = 200, WORDS_SHOWN = 500 };

static void add_json(struct buf *out, const struct json *value, size_t max)
{
	struct buf text;

	buf_init(&text, max);
	if (json_string(value))
		buf_addf(out, "%.*s", (int)max, json_string(value));
	else if (json_print(value, &text) == 0)
		buf_adds(out, text.data);
	else
		buf_adds(out, "...");
	buf_release(&text);
}

/* "-1 of 10" would be nonsense: only what is there is said. */
static void add_mismatch(struct buf *out, const struct json *m)
{
	static const struct { const char *key, *words; } parts[] = {
		{ "total", " of " }, { "first_index", ", the first at " },
		{ "got", ": got " }, { "expected", ", expected " },
	};
	double nan = json_get_number(m, "nan", 0), zero = json_get_number(m, "zero", 0);

	add_json(out, json_get(m, "count"), 40);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!json_get(m, parts[i].key))
			continue;
		buf_adds(out, parts[i].words);
		add_json(out, json_get(m, parts[i].key), PARAMS_SHOWN);
		if (i == 0)
			buf_adds(out, " values wrong");
	}
	if (nan > 0)
		buf_addf(out, "; %.0f of the wrong values are NaN", nan);
	if (zero > 0)
		buf_addf(out, "; %.0f of the wrong values are exactly 0", zero);
}

/* Whether a check before this one has a pattern in the very same words. */
static bool said_before(const struct json *checks, const struct json *check, const char *words)
{
	for (const struct json *k = json_first(checks); k && k != check; k = json_next(k)) {
		const struct json *p = json_first(json_get(json_get(k, "mismatch"), "patterns"));

		for (; p; p = json_next(p)) {
			const char *its = json_get_string(p, "words");

			if (its && strcmp(its, words) == 0)
				return true;
		}
	}
	return false;
}

/* What geak-eval made out in the mismatch, a line each under the check's own. */
static void add_patterns(struct buf *out, const struct json *checks, const struct json *check)
{
	const struct json *p = json_first(json_get(json_get(check, "mismatch"), "patterns"));

	for (; p; p = json_next(p)) {
		const char *words = json_get_string(p, "words");

		if (words && !said_before(checks, check, words))
			buf_addf(out, "  - %.*s\n", WORDS_SHOWN, words);
	}
}

/* From what the inputs of a case were made, and what was then made of them. */
static void add_inputs(struct buf *out, const struct json *c)
{
	static const char *const asked[] = { "layout", "values" };

	if (!json_get(c, "params"))
		return;
	buf_adds(out, " (inputs made from ");
	add_json(out, json_get(c, "params"), PARAMS_SHOWN);
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		if (!json_get(c, asked[i]))
			continue;
		buf_addf(out, ", %s ", asked[i]);
		add_json(out, json_get(c, asked[i]), PARAMS_SHOWN);
	}
	buf_addc(out, ')');
}

/* It is 0 where all wrong values, or all that should be there, are NaN. */
static bool measurable(const struct json *max_abs)
{
	return max_abs && json_number(max_abs, 1) != 0;
}

static void add_check(struct buf *out, const struct json *candidate, const struct json *check)
{
	const char *name = json_get_string(check, "case");
	const char *error = json_get_string(check, "error");
	const struct json *mismatch = json_get(check, "mismatch");

	buf_addf(out, "- case %.*s", TEXT_SHOWN, name ? name : "without a name");
	add_inputs(out, task_case(json_get(candidate, "task"), name));
	buf_adds(out, ": ");
	if (json_get(mismatch, "count"))
		add_mismatch(out, mismatch);
	else
		buf_addf(out, "%.*s", TEXT_SHOWN, error ? error : "the result is wrong");
	if (measurable(json_get(check, "max_abs"))) {
		buf_adds(out, "; the largest absolute error is ");
		add_json(out, json_get(check, "max_abs"), 40);
	}
	buf_addc(out, '\n');
	add_patterns(out, json_get(json_get(candidate, "eval"), "checks"), check);
}

/* A verdict other than wrong_answer came before all was compared: what has no figures there
 * says nothing but that it was not reached. */
static bool is_wrong(const struct json *check, bool complete)
{
	return !json_get_bool(check, "ok", true) && (complete || json_get(check, "mismatch"));
}

void mismatch_describe(const struct json *candidate, struct buf *out)
{
	const struct json *eval = json_get(candidate, "eval"), *k;
	const struct json *checks = json_get(eval, "checks");
	const char *status = json_get_string(eval, "status");
	bool complete = status && strcmp(status, "wrong_answer") == 0;
	size_t wrong = 0, right = 0;

	for (k = json_first(checks); k; k = json_next(k))
		if (is_wrong(k, complete) && wrong++ < SHOWN)
			add_check(out, candidate, k);
	if (wrong > SHOWN)
		buf_addf(out, "- and %zu more\n", wrong - SHOWN);
	for (k = json_first(checks); k && wrong > 0; k = json_next(k)) {
		const char *name = json_get_string(k, "case");

		if (!name || !json_get_bool(k, "ok", false))
			continue;
		buf_addf(out, "%s%.*s", right++ ? ", " : "\nRight: ", TEXT_SHOWN, name);
		if (right == 2 * SHOWN)
			break;
	}
	buf_adds(out, right ? "\n" : "");
	if (wrong > 0 && complete)
		contrast_describe(candidate, out);
}
