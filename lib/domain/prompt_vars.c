#include "domain/prompt.h"

#include <stdlib.h>
#include <string.h>

#include "domain/arch.h"
#include "ground/mem.h"
#include "ground/text.h"
#include "records/record.h"

enum { CASE_WORDS_MAX = 1000 }; /* bytes that describe one case */

/* -- the task */

/* A string of the task's without blank lines round it, or "". */
static void add_text(struct json *vars, const struct json *task, const char *key)
{
	const char *text = json_get_string(task, key);
	char *tidy = text_trimmed(text ? text : "", text ? strlen(text) : 0);

	json_set_string(vars, key, tidy);
	free(tidy);
}

/* "atol 1e-05 and rtol 0.016; NaN equals NaN" */
static void add_tolerance(struct buf *words, const struct json *tolerance)
{
	const char *atol = json_number_text(json_get(tolerance, "atol"));
	const char *rtol = json_number_text(json_get(tolerance, "rtol"));

	buf_addf(words, "atol %s and rtol %s", atol ? atol : "0", rtol ? rtol : "0");
	buf_adds(words, json_get_bool(tolerance, "equal_nan", false) ? "; NaN equals NaN" : "");
	buf_adds(words, json_get_bool(tolerance, "signed_zero", false) ? "; -0 is not 0" : "");
}

static struct json *tolerance_of(const struct json *task)
{
	const struct json *given = json_get(task, "tolerance");
	struct json *tolerance;
	struct buf words;

	if (!json_is(given, JSON_OBJECT))
		return NULL;
	tolerance = json_dup(given);
	buf_init(&words, CASE_WORDS_MAX);
	add_tolerance(&words, given);
	json_set_string(tolerance, "text", words.data);
	buf_release(&words);
	return tolerance;
}

/* "; layout: strided": what the harness makes of the inputs, one word or an array of them. */
static void add_words(struct buf *words, const struct json *of, const char *key)
{
	const struct json *value = json_get(of, key);
	const char *separator = " ";

	if (!value)
		return;
	buf_addf(words, "%s%s:", words->len ? "; " : "", key);
	if (json_string(value))
		buf_addf(words, " %s", json_string(value));
	for (const struct json *w = json_is(value, JSON_ARRAY) ? json_first(value) : NULL; w;
	     w = json_next(w), separator = ", ")
		buf_addf(words, "%s%s", separator, json_string(w) ? json_string(w) : "none");
}

/* "M=7, N=781, dtype=float32; layout: strided (atol 1e-08 and rtol 0.0001)" */
static char *case_in_words(const struct json *c)
{
	const struct json *params = json_get(c, "params"), *tolerance = json_get(c, "tolerance");
	struct buf words;

	buf_init(&words, CASE_WORDS_MAX);
	for (const struct json *m = json_first(params); m && json_key(m); m = json_next(m)) {
		buf_addf(&words, "%s%s=", words.len ? ", " : "", json_key(m));
		if (json_string(m))
			buf_adds(&words, json_string(m));
		else
			json_print(m, &words);
	}
	add_words(&words, c, "values");
	add_words(&words, c, "layout");
	if (json_is(tolerance, JSON_OBJECT)) {
		buf_adds(&words, words.len ? " (" : "(");
		add_tolerance(&words, tolerance);
		buf_addc(&words, ')');
	}
	return buf_detach(&words);
}

static struct json *cases_of(const struct json *task)
{
	struct json *cases = json_new_array(), *one;

	for (const struct json *c = json_first(json_get(task, "cases")); c; c = json_next(c)) {
		const char *name = json_get_string(c, "name"), *kind = json_get_string(c, "kind");
		char *words = case_in_words(c);

		one = json_new_object();
		json_set_string(one, "name", name ? name : "");
		json_set_string(one, "kind", kind ? kind : "check");
		json_set_string(one, "text", words);
		json_push(cases, one);
		free(words);
	}
	return cases;
}

/* A name for the task in any case: its title, its entry or its id. */
static void complete_title(struct json *vars, const struct json *task)
{
	const char *entry = json_get_string(vars, "entry");

	if (*json_get_string(vars, "title"))
		return;
	json_set_string(vars, "title", *entry ? entry : record_id(task));
}

static void add_task(struct json *vars, const struct json *task)
{
	static const char *const texts[] = {
		"title", "prompt", "signature", "entry", "reference", "language", "harness",
		"tests", "seed_source",
	};
	static const char *const harnesses[] = { "function", "script", "pytest", "module" };
	const char *harness, *strides;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		add_text(vars, task, texts[i]);
	complete_title(vars, task);
	harness = json_get_string(vars, "harness");
	for (size_t i = 0; i < sizeof(harnesses) / sizeof(*harnesses); i++)
		json_set_bool(vars, harnesses[i], strcmp(harness, harnesses[i]) == 0);
	json_set(vars, "tolerance", tolerance_of(task));
	json_set_bool(vars, "same_bits", json_get_bool(task, "deterministic", true));
	strides = json_get_string(task, "strides");
	json_set_bool(vars, "same_strides", strides && strcmp(strides, "same") == 0);
	json_set(vars, "cases", cases_of(task));
	json_set_bool(vars, "has_cases", json_len(json_get(vars, "cases")) > 0);
}

/* What a template cannot make out of the facts by itself. */
static void tell_arch(struct json *arch)
{
	struct buf peak;

	buf_init(&peak, CASE_WORDS_MAX);
	for (const struct json *m = json_first(json_get(arch, "peak_tflops")); m; m = json_next(m))
		buf_addf(&peak, "%s%s %s", peak.len ? ", " : "", json_key(m), json_number_text(m));
	json_set_string(arch, "peak_text", peak.data);
	json_set_bool(arch, "many_dies", json_get_int(arch, "dies", 1) > 1);
	buf_release(&peak);
}

static int add_arch(struct json *vars, const char *target, struct err *e)
{
	struct json *arch = NULL;
	const char *vendor = "";

	if (target && arch_load(target, &arch, e))
		return ERR_USAGE;
	if (arch) {
		tell_arch(arch);
		vendor = json_get_string(arch, "vendor");
	}
	json_set_bool(vars, "amd", vendor && strcmp(vendor, "AMD") == 0);
	json_set_bool(vars, "nvidia", vendor && strcmp(vendor, "NVIDIA") == 0);
	json_set(vars, "arch", arch);
	return 0;
}

struct json *prompt_task_vars(const struct json *task, const char *target, struct err *e)
{
	const char *prompt = json_get_string(task, "prompt");
	struct json *vars;

	if (!prompt || !*prompt) {
		err_set(e, ERR_RECORD, "the task has no \"prompt\": nothing to ask a model for");
		return NULL;
	}
	vars = json_new_object();
	add_task(vars, task);
	if (add_arch(vars, target, e)) {
		json_free(vars);
		return NULL;
	}
	return vars;
}
