/*
 * The rules, in the order in which they are asked; the first that applies gives
 * the status. Our own failures come first and the task's next, so that a
 * candidate never pays for either.
 */
#include "domain/verdict.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "domain/building.h"
#include "domain/effort.h"
#include "domain/excuse.h"
#include "domain/fault.h"
#include "ground/proc.h"

static struct verdict give(const char *status, const char *stage, struct json *error)
{
	return (struct verdict){ .status = status, .stage = stage, .error = error };
}

static bool is_syntax_error(const struct json *error)
{
	const char *class = json_get_string(error, "class");

	return class && (strcmp(class, "SyntaxError") == 0 || strcmp(class, "IndentationError") == 0
			 || strcmp(class, "TabError") == 0);
}

/* -- our failures, and the task's */

static bool is_lost(const struct part *p)
{
	return p->lost;
}

static bool was_not_boxed(const struct part *p)
{
	return p->end == PART_NOT_BOXED;
}

static bool sandbox_failed(const struct trial *t, struct verdict *v)
{
	if (t->sandbox.code)
		*v = give("sandbox_error", "compile", fault_new("Sandbox", t->sandbox.text));
	else if (trial_part(t, is_lost))
		*v = give("sandbox_error", "call", part_fault_of_ours(trial_part(t, is_lost)));
	else if (trial_part(t, was_not_boxed))
		*v = give("sandbox_error", "call", part_fault_of_ours(trial_part(t, was_not_boxed)));
	else
		return false;
	return true;
}

static bool reference_failed(const struct trial *t, struct verdict *v)
{
	const char *stage = "check";
	struct json *error = excuse_task(t, &stage);

	if (error)
		*v = give("reference_error", stage, error);
	return error;
}

/* -- the candidate's */

/* A kernel of the first target of which nothing was compiled: nobody knows what it is. */
static const struct json *skipped_primary(const struct trial *t)
{
	const char *primary = t->judge->config.targets[0], *skipped = NULL;
	const struct json *m, *other;

	for (m = json_first(t->compiled); m; m = json_next(m)) {
		skipped = json_get_string(m, "skipped");
		if (!skipped || strcmp(json_get_string(m, "target"), primary) != 0)
			continue;
		for (other = json_first(t->compiled); other; other = json_next(other))
			if (json_get_bool(other, "ok", false)
			    && strcmp(json_get_string(other, "target"), primary) == 0
			    && strcmp(json_get_string(other, "kernel"), json_get_string(m, "kernel")) == 0)
				break;
		if (!other)
			return m;
	}
	return NULL;
}

/* Not what it may have gained by it, but the act was seen. */
static bool was_caught(const struct trial *t, struct verdict *v)
{
	char message[160];

	if (!t->forged)
		return false;
	snprintf(message, sizeof(message), "%s was forged: something other than the judge's harness "
		 "told the judge of it", t->forged);
	*v = give("cheat", "call", fault_new("Cheat", message));
	json_set_string(v->error, "rule", "forgery");
	return true;
}

static bool syntax_failed(const struct trial *t, struct verdict *v)
{
	if (!is_syntax_error(t->run.error))
		return false;
	*v = give("compile_error", "compile", json_dup(t->run.error));
	return true;
}

/* Of the run: in which case it was. */
static void set_case(const struct trial *t, struct json *error)
{
	if (t->run.error_case && !json_get(error, "case"))
		json_set_string(error, "case", t->run.error_case);
}

static bool failed_on_import(const struct trial *t)
{
	return t->run.error && strcmp(t->run.error_stage, "import") == 0;
}

/* Past Triton's front end, and so seen only where the kernel was to run. */
static bool failed_in_compiler(const struct trial *t)
{
	const char *class = json_get_string(t->run.error, "class");
	const char *text = json_get_string(t->run.error, "message");

	return t->judge->config.no_objects
	       && ((class && (strcmp(class, "PTXASError") == 0 || strcmp(class, "OutOfResources") == 0))
		   || (text && strstr(text, "PassManager::run failed")));
}

static bool compile_failed(const struct trial *t, struct verdict *v)
{
	const struct json *entry = building_fault(t);

	if (entry)
		*v = give("compile_error", "compile", json_dup(json_get(entry, "error")));
	else if (t->frontend.error && !failed_on_import(t))
		/* The candidate's module loads; a name that its kernels use is not there. */
		*v = give("compile_error", "compile", json_dup(t->frontend.error));
	else if ((entry = skipped_primary(t)))
		*v = give("compile_error", "compile",
			  fault_new("Skipped", json_get_string(entry, "skipped")));
	else
		return false;
	return true;
}

static bool compile_failed_in_run(const struct trial *t, struct verdict *v)
{
	if (!failed_in_compiler(t))
		return false;
	*v = give("compile_error", "compile", json_dup(t->run.error));
	set_case(t, v->error);
	return true;
}

static struct verdict ended_early(const struct trial *t)
{
	char class[64] = "exit", message[160], name[PROC_SIGNAL_MAX];
	int status = t->run.how.wait_status;

	if (t->run.how.cause == BOX_HOARDED)
		return give("out_of_memory", "call", fault_new("Memory", "its processes together "
			    "had more memory than a candidate may add"));
	if (t->run.how.cause == BOX_CROWDED) {
		snprintf(message, sizeof(message), "it had started more than %d processes",
			 BOX_PROCESSES);
		return give("crash", "call", fault_new("Processes", message));
	}
	if (WIFSIGNALED(status)) {
		int sig = WTERMSIG(status);
		const char *words = sigdescr_np(sig);

		proc_signal(sig, name);
		snprintf(class, sizeof(class), "signal %s", name);
		snprintf(message, sizeof(message), "the process was ended by %s (%s)%s", name,
			 words ? words : "a signal without a name",
			 sig == SIGKILL ? "; out of memory?" : "");
		if (sig == SIGXCPU)
			return give("timeout", "call", fault_new("Timeout", message));
	} else {
		snprintf(message, sizeof(message), "the process exited with status %d before the "
			 "entry had returned", WEXITSTATUS(status));
	}
	return give("crash", "call", fault_new(class, message));
}

static struct verdict timed_out(const struct trial *t)
{
	char message[160];
	int n = snprintf(message, sizeof(message), "no answer within %g s",
			 t->judge->config.timeout_s);

	if (t->oracle && json_len(t->oracle->cases))
		snprintf(message + n, sizeof(message) - (size_t)n, "; %zu of %zu cases were done",
			 json_len(t->results), json_len(t->oracle->cases));
	return give("timeout", "call", fault_new("Timeout", message));
}

static bool call_failed(const struct trial *t, struct verdict *v)
{
	if (t->run.end == PART_DEADLINE)
		*v = timed_out(t);
	else if (t->run.end == PART_GARBLED)
		*v = give("crash", "call", fault_new("Protocol", "the process wrote something that "
			  "is no message, or too much, into the judge's channel"));
	else if (t->run.error && fault_is_memory(t->run.error))
		*v = give("out_of_memory", "call", json_dup(t->run.error));
	else if (t->run.error)
		*v = give("call_error", "call", json_dup(t->run.error));
	else if (t->run.end != PART_DONE)
		*v = ended_early(t);
	else
		return false;
	set_case(t, v->error);
	return true;
}

static bool compiler_failed(const struct trial *t, struct verdict *v)
{
	char how[64], message[160];

	if (t->compiled_all || t->frontend.error)
		return false;
	part_describe_end(&t->frontend, how, sizeof(how));
	if (t->frontend.end == PART_DEADLINE)
		snprintf(message, sizeof(message), "the kernels were not compiled within %g s",
			 t->judge->config.timeout_s);
	else
		snprintf(message, sizeof(message), "the process that compiles %s before all "
			 "was compiled; see the log", how);
	*v = give("compile_error", "compile",
		  fault_new(t->frontend.end == PART_DEADLINE ? "Timeout" : "Crash", message));
	return true;
}

static bool check_failed(const struct trial *t, struct verdict *v)
{
	const struct json *m;

	for (m = json_first(t->oracle->checks); m; m = json_next(m)) {
		const char *text = json_get_string(m, "error"), *name = json_get_string(m, "case");

		if (!json_is(json_get(m, "ok"), JSON_BOOL) || json_get_bool(m, "ok", false))
			continue;
		v->error = fault_new("Mismatch", text ? text : "the result is wrong");
		json_set_string(v->error, "case", name);
		v->status = "wrong_answer";
		v->stage = "check";
		return true;
	}
	return false;
}

/* Below this share of the result a kernel is there for show. */
static const double least_share = 0.5;

static bool allows(const struct json *task, const char *what)
{
	for (const struct json *m = json_first(json_get(task, "allow")); m; m = json_next(m))
		if (json_string(m) && strcmp(json_string(m), what) == 0)
			return true;
	return false;
}

/* Right it may be, but so would be whoever launches something. */
static bool tests_are_blind(const struct trial *t, struct verdict *v)
{
	if (!t->oracle->blind || t->launched == 0 || allows(t->task, "library"))
		return false;
	*v = give("reference_error", "check", fault_new("BlindTests", "the task is at fault: its tests "
		  "give the same (shapes, say, or NaN throughout) when the reference's own kernels do "
		  "nothing, so they cannot tell a right kernel from a wrong one; have them return what "
		  "the kernels compute"));
	return true;
}

/* Of a suite's results the tests themselves may have made a part. */
static bool has_no_kernel(const struct trial *t, struct verdict *v)
{
	double share = t->oracle->own_share;
	char message[240], why[160];

	if (allows(t->task, "library"))
		return false;
	if (t->launched == 0)
		snprintf(message, sizeof(message), "no Triton kernel was launched: the work must be "
			 "done by kernels of its own");
	else if (share >= 0 && (share == 0 || (share < least_share && !request_is_suite(t->task))))
		snprintf(message, sizeof(message), "the result is right in %.4g %% of its values even "
			 "when the kernels do nothing: the work must be done by kernels of its own",
			 100 * (1 - share));
	else if (!allows(t->task, "part") && t->oracle->handed)
		snprintf(message, sizeof(message), "the right answer, but for a scale or a shift, was "
			 "there before a kernel made it: the work must be done by kernels of its own");
	else if (!allows(t->task, "part") && t->oracle->made_by_none)
		snprintf(message, sizeof(message), "no kernel has touched what is returned, nor what it "
			 "is made of, or the host has read the arguments and did the work: it must be done "
			 "by kernels of its own");
	else if (!allows(t->task, "part")
		 && effort_is_for_show(t->task, t->results, t->oracle->work, why, sizeof(why)))
		snprintf(message, sizeof(message), "%s: the work must be done by kernels of its own", why);
	else
		return false;
	*v = give("no_kernel", "call", fault_new("NoKernel", message));
	return true;
}

/* It was right, and then it failed: with other contents, or when it was called once more. */
static bool timing_failed(const struct timing *timing, struct verdict *v)
{
	if (timing && timing->error) {
		*v = give(timing->error_status, "perf", json_dup(timing->error));
	} else if (timing && timing->beaten) {
		*v = give("cheat", "perf", fault_new("Cheat", timing->beaten));
		json_set_string(v->error, "rule", "physics");
	} else {
		return false;
	}
	return true;
}

static struct verdict decide(const struct trial *t, const struct timing *timing)
{
	struct verdict v = { 0 };

	if (sandbox_failed(t, &v) || syntax_failed(t, &v) || reference_failed(t, &v)
	    || was_caught(t, &v) || compile_failed(t, &v) || compile_failed_in_run(t, &v)
	    || call_failed(t, &v) || compiler_failed(t, &v))
		return v;
	if (!t->oracle)
		return give("unverified", "call", fault_new("NoTests", "the task has no tests at "
			    "hand: that the source loads and its kernels are sound is all that could "
			    "be told"));
	if (check_failed(t, &v) || tests_are_blind(t, &v) || has_no_kernel(t, &v)
	    || timing_failed(timing, &v))
		return v;
	return give("pass", "done", NULL);
}

/* What was printed where it went wrong: the compiler's diagnostics, for one, go to standard error. */
static const struct buf *log_of(const struct trial *t, const char *status)
{
	const struct part *not_boxed = trial_part(t, was_not_boxed);
	bool compiling = strcmp(status, "compile_error") == 0;

	if (not_boxed)
		return &not_boxed->log;
	if (t->oracle && (strcmp(status, "reference_error") == 0 || t->run.end == PART_NOT_RUN))
		return &t->oracle->part.log;
	if (compiling && t->build_log.len)
		return &t->build_log;
	return compiling && !failed_in_compiler(t) && t->frontend.log.len ? &t->frontend.log : &t->run.log;
}

struct verdict verdict_of(const struct trial *t, const struct timing *timing)
{
	struct verdict v = decide(t, timing);

	v.log = log_of(t, v.status);
	return v;
}

bool verdict_is_pass(const struct trial *t)
{
	struct verdict v = decide(t, NULL);

	json_free(v.error);
	return strcmp(v.status, "pass") == 0;
}
