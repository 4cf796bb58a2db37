#include "domain/excuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain/fault.h"
#include "ground/mem.h"

static struct json *targets_fault(const struct trial *t)
{
	const char *class = json_get_string(t->reference_fault, "class");
	const char *message = fault_words(t->reference_fault);
	char *text = mem_printf("the answer is right, but the task's own kernels do not compile for "
				"%s either; where another target takes them, name it first "
				"(--targets=sm_90, say): %s",
				t->judge->config.targets[0], message ? message : "");
	struct json *e = fault_new(class ? class : "CompilationError", text);

	free(text);
	return e;
}

/* What to do about what the reference, or its tests, raised; of a test of pytest's only the message
 * names the class. */
static const char *advice_for(const char *class, const char *message)
{
	static const struct {
		const char *class, *advice;
	} known[] = {
		{ "OutOfBounds", "; mend the reference, or judge on a GPU, where such a store goes "
				 "unseen as a rule" },
		{ "ModuleNotFoundError", "; the Python that geak-eval uses must have it" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(class, known[i].class) == 0 || strstr(message, known[i].class))
			return known[i].advice;
	return "";
}

static struct json *raised_fault(const struct trial *t)
{
	struct json *e = json_dup(t->oracle->part.error);
	const char *class = json_get_string(e, "class"), *message = fault_words(e);
	/* Of this class the message is the key alone. */
	const char *of = strcmp(class, "KeyError") == 0 ? "KeyError: " : "";
	char *text = mem_printf("the task is at fault: %s%s%s", of, message,
				advice_for(class, message));

	json_set_string(e, "message", text);
	free(text);
	return e;
}

/* Says what took so long, and what can be done about it. */
static struct json *slow_fault(const struct trial *t)
{
	const struct judge_config *c = &t->judge->config;
	const struct oracle *o = t->oracle;
	bool suite = request_is_suite(t->task), interpreted = suite && !c->use_gpu;
	const char *who = suite ? "the task's own reference, run by its tests," : "the reference";
	const char *where = interpreted ? " in Triton's interpreter" : "";
	char message[320];
	int n;

	if (o->reference_ran && o->part.end != PART_DEADLINE)
		n = snprintf(message, sizeof(message), "%s needs %.3g s%s, so that %g s are too short "
			     "to tell a slow candidate from a slow task", who, o->reference_s, where,
			     c->timeout_s);
	else
		n = snprintf(message, sizeof(message), "%s had not ended after %g s%s", who,
			     o->part.end == PART_DEADLINE ? oracle_patience(t->judge) : c->timeout_s,
			     where);
	snprintf(message + n, sizeof(message) - (size_t)n, "; give it longer with --timeout, or %s",
		 interpreted ? "judge on a GPU" : "smaller cases");
	return fault_new("Timeout", message);
}

struct json *excuse_task(const struct trial *t, const char **stage)
{
	const struct oracle *o = t->oracle;

	if (!o)
		return NULL;
	if (o->part.error)
		return raised_fault(t);
	if (o->part.end == PART_DEADLINE
	    || (t->run.end == PART_DEADLINE && oracle_is_slow(o, t->judge)))
		return slow_fault(t);
	if (t->reference_fault) {
		*stage = "compile";
		return targets_fault(t);
	}
	if (!o->compared)
		return fault_new("Crash", "the reference's process ended, or was stopped, before it "
				 "could compare; see the log");
	return NULL;
}
