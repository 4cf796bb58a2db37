/*
 * The rules, in the order in which they are asked; the first that applies gives
 * the status. Our own failures come first and the task's next, so that a
 * candidate never pays for either.
 */
#include "domain/verdict.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "ground/mem.h"
#include "ground/proc.h"

struct verdict {
	const char *status, *stage;
	struct json *error; /* owned until it is put into the record */
};

static struct json *new_error(const char *class, const char *message)
{
	struct json *e = json_new_object();

	json_set_string(e, "class", class);
	json_set_string(e, "message", message);
	return e;
}

static struct verdict give(const char *status, const char *stage, struct json *error)
{
	return (struct verdict){ status, stage, error };
}

static bool is_syntax_error(const struct json *error)
{
	const char *class = json_get_string(error, "class");

	return class && (strcmp(class, "SyntaxError") == 0 || strcmp(class, "IndentationError") == 0
			 || strcmp(class, "TabError") == 0);
}

static bool is_memory_error(const struct json *error)
{
	const char *class = json_get_string(error, "class");
	const char *message = json_get_string(error, "message");

	return class && (strcmp(class, "MemoryError") == 0 || strcmp(class, "OutOfMemoryError") == 0
			 || (message && strstr(message, "can't allocate memory")));
}

/* -- our failures, and the task's */

static bool sandbox_failed(const struct trial *t, struct verdict *v)
{
	if (t->sandbox.code)
		*v = give("sandbox_error", "compile", new_error("Sandbox", t->sandbox.text));
	else if (t->lost)
		*v = give("sandbox_error", "call", new_error("Lost", "a process of the judge's own "
			  "was killed, twice; is there memory enough?"));
	else if (t->oracle.end == TRIAL_STOPPED && !t->compared && !t->oracle.error
		 && t->run.end == TRIAL_NOT_RUN)
		*v = give("sandbox_error", "check", new_error("Oracle", "the oracle's process ended "
			  "before it had made the inputs; see the log"));
	else
		return false;
	return true;
}

static bool has_reference(const struct trial *t)
{
	return t->oracle.end != TRIAL_NOT_RUN;
}

static bool reference_failed(const struct trial *t, struct verdict *v)
{
	if (t->oracle.error)
		*v = give("reference_error", "check", json_dup(t->oracle.error));
	else if (t->oracle.end == TRIAL_DEADLINE
		 || (t->run.end == TRIAL_DEADLINE && has_reference(t) && !t->reference_ran))
		*v = give("reference_error", "check", new_error("Timeout", "the reference did not "
			  "finish in time; give it longer with --timeout, or smaller cases"));
	else if (has_reference(t) && !t->compared)
		*v = give("reference_error", "check", new_error("Crash", "the reference's process "
			  "ended, or was stopped, before it could compare; see the log"));
	else
		return false;
	return true;
}

/* -- the candidate's */

/* A specialisation that the first target does not compile. Of an autotuned
 * kernel one configuration was tried; on a GPU the tuner would pass over it. */
static const struct json *failed_primary(const struct trial *t)
{
	const char *primary = t->judge->config.targets[0];
	const struct json *m;

	for (m = json_first(t->compiled); m; m = json_next(m))
		if (strcmp(json_get_string(m, "target"), primary) == 0
		    && !json_get_bool(m, "tuned", false) && !json_bool(json_get(m, "ok"), true))
			return m;
	return NULL;
}

static bool syntax_failed(const struct trial *t, struct verdict *v)
{
	if (!is_syntax_error(t->run.error))
		return false;
	*v = give("compile_error", "compile", json_dup(t->run.error));
	return true;
}

static bool failed_on_import(const struct trial *t)
{
	return t->run.error && strcmp(t->run.error_stage, "import") == 0;
}

static bool compile_failed(const struct trial *t, struct verdict *v)
{
	const struct json *entry = failed_primary(t);

	if (entry)
		*v = give("compile_error", "compile", json_dup(json_get(entry, "error")));
	else if (t->compiler.error && !failed_on_import(t))
		/* The candidate's module loads; a name that its kernels use is not there. */
		*v = give("compile_error", "compile", json_dup(t->compiler.error));
	else
		return false;
	return true;
}

static struct verdict ended_early(const struct trial *t)
{
	char class[64] = "exit", message[160];
	int status = t->run.how.wait_status;

	if (WIFSIGNALED(status)) {
		const char *name = sigabbrev_np(WTERMSIG(status));

		snprintf(class, sizeof(class), "signal SIG%s", name ? name : "?");
		snprintf(message, sizeof(message), "the process was ended by SIG%s (%s)%s",
			 name ? name : "?", strsignal(WTERMSIG(status)),
			 WTERMSIG(status) == SIGKILL ? "; out of memory?" : "");
		if (WTERMSIG(status) == SIGXCPU)
			return give("timeout", "call", new_error("Timeout", message));
	} else {
		snprintf(message, sizeof(message), "the process exited with status %d before the "
			 "entry had returned", WEXITSTATUS(status));
	}
	return give("crash", "call", new_error(class, message));
}

static struct verdict timed_out(const struct trial *t)
{
	char message[160];
	int n = snprintf(message, sizeof(message), "no answer within %g s",
			 t->judge->config.timeout_s);

	if (json_len(t->cases))
		snprintf(message + n, sizeof(message) - (size_t)n, "; %zu of %zu cases were done",
			 json_len(t->results), json_len(t->cases));
	return give("timeout", "call", new_error("Timeout", message));
}

static bool call_failed(const struct trial *t, struct verdict *v)
{
	if (t->run.end == TRIAL_DEADLINE)
		*v = timed_out(t);
	else if (t->run.end == TRIAL_GARBLED)
		*v = give("crash", "call", new_error("Protocol", "the process wrote something that "
			  "is no message, or too much, into the judge's channel"));
	else if (t->run.error && is_memory_error(t->run.error))
		*v = give("out_of_memory", "call", json_dup(t->run.error));
	else if (t->run.error)
		*v = give("call_error", "call", json_dup(t->run.error));
	else if (t->run.end != TRIAL_DONE)
		*v = ended_early(t);
	else
		return false;
	if (t->run.error_case && !json_get(v->error, "case"))
		json_set_string(v->error, "case", t->run.error_case);
	return true;
}

static bool compiler_failed(const struct trial *t, struct verdict *v)
{
	char how[64], message[160];

	if (t->compiled_all || t->compiler.error)
		return false;
	proc_describe(t->compiler.how.wait_status, how, sizeof(how));
	if (t->compiler.end == TRIAL_DEADLINE)
		snprintf(message, sizeof(message), "the kernels were not compiled within %g s",
			 t->judge->config.timeout_s);
	else
		snprintf(message, sizeof(message), "the compiler's process %s before all was "
			 "compiled; see the log", how);
	*v = give("compile_error", "compile",
		  new_error(t->compiler.end == TRIAL_DEADLINE ? "Timeout" : "Crash", message));
	return true;
}

static bool check_failed(const struct trial *t, struct verdict *v)
{
	const struct json *m;

	for (m = json_first(t->checks); m; m = json_next(m)) {
		const char *text = json_get_string(m, "error"), *name = json_get_string(m, "case");

		if (!json_is(json_get(m, "ok"), JSON_BOOL) || json_get_bool(m, "ok", false))
			continue;
		v->error = new_error("Mismatch", text ? text : "the result is wrong");
		json_set_string(v->error, "case", name);
		v->status = "wrong_answer";
		v->stage = "check";
		return true;
	}
	return false;
}

static struct verdict decide(const struct trial *t)
{
	struct verdict v = { 0 };

	if (sandbox_failed(t, &v) || syntax_failed(t, &v) || reference_failed(t, &v)
	    || compile_failed(t, &v) || call_failed(t, &v)
	    || compiler_failed(t, &v))
		return v;
	if (!t->compared)
		return give("unverified", "call", new_error("NoTests", "the task has no tests at "
			    "hand: that the source loads and its kernels are sound is all that could "
			    "be told"));
	if (check_failed(t, &v))
		return v;
	if (t->launched == 0)
		return give("no_kernel", "call", new_error("NoKernel", "no Triton kernel was "
			    "launched: the work must be done by kernels of its own"));
	return give("pass", "done", NULL);
}

/* -- the record */

static struct json *grid_of(const struct json *launch)
{
	const struct json *grid = json_get(launch, "grid");
	struct json *sizes = json_new_array();

	for (size_t i = 0; i < 3 && json_at(grid, i); i++)
		json_push(sizes, json_new_int(json_int(json_at(grid, i), 0)));
	return sizes;
}

static struct json *launches_of(const struct trial *t)
{
	struct json *all = json_new_array();
	const struct json *m;

	for (m = json_first(t->launches); m; m = json_next(m)) {
		struct json *one = json_new_object();

		json_set_string(one, "kernel", json_get_string(m, "kernel"));
		json_set(one, "grid", grid_of(m));
		json_set_int(one, "count", json_get_int(m, "count", 0));
		json_push(all, one);
	}
	return all;
}

static struct json *sandbox_of(const struct trial *t)
{
	struct json *s = json_new_object();

	json_set_bool(s, "pid_namespace", t->run.reported && t->run.how.namespaced);
	json_set_bool(s, "rlimits", true);
	return s;
}

static void set_rate(struct json *to, const char *key, const struct json *task_case,
		     const char *count, double ms, double scale)
{
	double n = json_get_number(task_case, count, 0);

	if (n > 0)
		json_set_number(to, key, n / (ms * 1e-3) / scale);
}

/* Times of cases that both sides ran. By method they are a median of events and
 * no more: no interval, and so no verdict on them. NULL where nothing was timed. */
static struct json *perf_of(const struct trial *t)
{
	struct json *perf, *cases = json_new_array();
	const struct json *c;
	double log_sum = 0;
	size_t n = 0;

	for (c = json_first(json_get(t->task, "cases")); c; c = json_next(c)) {
		const char *name = json_get_string(c, "name");
		double ms = json_get_number(t->times, name, 0);
		double base = json_get_number(t->base_times, name, 0);
		struct json *one;

		if (!(ms > 0) || !(base > 0))
			continue;
		one = json_new_object();
		json_set_string(one, "case", name);
		json_set_number(one, "ms", ms);
		json_set_number(one, "base_ms", base);
		json_set_number(one, "speedup", base / ms);
		set_rate(one, "gbps", c, "bytes", ms, 1e9);
		set_rate(one, "tflops", c, "flops", ms, 1e12);
		json_push(cases, one);
		log_sum += log(base / ms);
		n++;
	}
	if (!n) {
		json_free(cases);
		return NULL;
	}
	perf = json_new_object();
	json_set_string(perf, "device", t->judge->device);
	json_set_string(perf, "baseline", "reference");
	json_set_string(perf, "method", "event_median");
	json_set(perf, "cases", cases);
	json_set_number(perf, "speedup", exp(log_sum / (double)n));
	return perf;
}

/* What was printed where it went wrong: the compiler's diagnostics, for one, go to standard error. */
static void set_log(struct json *eval, const struct trial *t, const char *status)
{
	const struct trial_part *source = &t->run;

	if (strcmp(status, "reference_error") == 0 || t->run.end == TRIAL_NOT_RUN)
		source = &t->oracle;
	else if (strcmp(status, "compile_error") == 0 && t->compiler.log.len)
		source = &t->compiler;

	if (source->log.len)
		json_set(eval, "log", json_new_stringn(source->log.data, source->log.len));
}

static struct json *new_eval(const struct judge *j, const char *status, const char *stage,
			     const char *key)
{
	struct json *eval = json_new_object();

	json_set_string(eval, "status", status);
	json_set_string(eval, "stage", stage);
	json_set_string(eval, "key", key);
	json_set_string(eval, "target", j->config.targets[0]);
	json_set_string(eval, "device", j->device);
	return eval;
}

struct json *verdict_of(const struct trial *t, const char *key, double seconds)
{
	struct verdict v = decide(t);
	struct json *eval = new_eval(t->judge, v.status, v.stage, key), *perf;

	json_set_string(eval, "seed", t->seed);
	if (v.error)
		json_set(eval, "error", v.error);
	json_set(eval, "compile", json_dup(t->compiled));
	json_set(eval, "checks", json_dup(t->checks));
	json_set(eval, "launches", launches_of(t));
	if (strcmp(v.status, "pass") == 0 && (perf = perf_of(t)))
		json_set(eval, "perf", perf);
	set_log(eval, t, v.status);
	json_set(eval, "sandbox", sandbox_of(t));
	json_set(eval, "env", json_dup(t->judge->env));
	json_set_number(eval, "seconds", (double)(long)(seconds * 1e3 + 0.5) / 1e3);
	return eval;
}

struct json *verdict_no_code(const struct judge *j, const char *key)
{
	struct json *eval = new_eval(j, "compile_error", "compile", key);

	json_set(eval, "error", new_error("no_code", "the reply held no code"));
	json_set_number(eval, "seconds", 0);
	return eval;
}
