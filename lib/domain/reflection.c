#include "domain/reflection.h"

#include <stdlib.h>
#include <string.h>

#include "domain/excerpt.h"
#include "domain/failure.h"
#include "domain/history.h"
#include "domain/mismatch.h"
#include "domain/prompt.h"
#include "domain/trace.h"
#include "domain/unguarded.h"
#include "ground/buf.h"
#include "ground/mem.h"
#include "records/record.h"

enum {
	MESSAGE_BYTES = 3000, LOG_BYTES = 1000, REPLY_BYTES = 4000,
	EVIDENCE_BYTES = 64 * 1024,
};

static const char *text_of(const struct json *obj, const char *key)
{
	const char *text = json_get_string(obj, key);

	return text ? text : "";
}

/* A verdict's status as a sentence. */
static const char *happened(const char *status)
{
	static const struct { const char *status, *words; } sentences[] = {
		{ "compile_error", "It did not compile." },
		{ "call_error", "It failed when it was called." },
		{ "wrong_answer", "It ran, but its results are wrong." },
		{ "timeout", "It did not end in the time that it had." },
		{ "out_of_memory", "It ran out of memory." },
		{ "crash", "It made its process crash." },
		{ "no_kernel", "It launched no Triton kernel of its own." },
		{ "cheat", "It was caught getting its results in another way than by computing "
			   "them in its own kernel." },
	};

	for (size_t i = 0; i < sizeof(sentences) / sizeof(*sentences); i++)
		if (strcmp(status, sentences[i].status) == 0)
			return sentences[i].words;
	return "It failed.";
}

/* The error's message; that of the compiler where the verdict's own says nothing. */
static const char *message_of(const struct json *eval)
{
	const char *message = text_of(json_get(eval, "error"), "message");
	const struct json *k = json_first(json_get(eval, "compile"));

	for (; k && !*message; k = json_next(k))
		if (!json_get_bool(k, "ok", true))
			message = text_of(json_get(k, "error"), "message");
	return message;
}

static void set_evidence(struct json *vars, const struct json *candidate)
{
	const struct json *eval = json_get(candidate, "eval"), *error = json_get(eval, "error");
	const char *source = text_of(candidate, "source"), *message = message_of(eval);
	const char *class = text_of(error, "class");
	struct buf text;

	json_set_string(vars, "happened", happened(text_of(eval, "status")));
	json_set_string(vars, "class", *message ? class : "");
	excerpt_set(vars, "message", *message ? message : class, MESSAGE_BYTES);
	excerpt_set(vars, "log", text_of(eval, "log"), LOG_BYTES);
	buf_init(&text, EVIDENCE_BYTES);
	trace_trim(text_of(error, "trace"), source, &text);
	excerpt_set(vars, "trace", text.data, EVIDENCE_BYTES);
	buf_reset(&text);
	mismatch_describe(candidate, &text);
	excerpt_set(vars, "mismatch", text.data, EVIDENCE_BYTES);
	buf_release(&text);
}

static void set_unguarded(struct json *vars, const char *failure, const char *source)
{
	bool of_memory = strcmp(failure, "mask") == 0 || strcmp(failure, "out_of_bounds") == 0;

	json_set_int(vars, "unguarded", of_memory ? (int64_t)unguarded_line(source) : 0);
}

static int set_hint(struct json *vars, const char *failure, struct err *e)
{
	char *name = mem_printf("hints/%s.md", failure);
	struct buf hint;
	int rc;

	buf_init(&hint, EVIDENCE_BYTES);
	rc = prompt_render(name, vars, &hint, e);
	excerpt_set(vars, "hint", hint.data, EVIDENCE_BYTES);
	buf_release(&hint);
	free(name);
	return rc;
}

struct json *reflection_vars(const struct json *candidate, const char *target, struct err *e)
{
	struct json *vars = prompt_task_vars(record_task(candidate), target, e);
	const char *failure = failure_class(candidate), *source = text_of(candidate, "source");

	if (!vars)
		return NULL;
	excerpt_set(vars, "source", source, EXCERPT_WHOLE);
	excerpt_set(vars, "reply", *source ? "" : text_of(candidate, "reply"), REPLY_BYTES);
	json_set_string(vars, "failure", failure);
	set_evidence(vars, candidate);
	set_unguarded(vars, failure, source);
	json_set(vars, "history", history_vars(candidate));
	if (set_hint(vars, failure, e)) {
		json_free(vars);
		return NULL;
	}
	return vars;
}
