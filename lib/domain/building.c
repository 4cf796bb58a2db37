#include "domain/building.h"

#include <stdio.h>
#include <string.h>

#include "domain/fault.h"
#include "domain/figures.h"
#include "domain/hearing.h"

/* What the record says of an entry of the plan whatever becomes of it. */
static struct json *new_report(const struct trial *t, const struct json *planned,
			       const struct json *ir)
{
	const struct json *launch = json_at(t->launches, (size_t)json_get_int(planned, "launch", 0));
	struct json *r = json_new_object();

	json_set_string(r, "target", json_get_string(planned, "target"));
	json_set_string(r, "kernel", json_get_string(launch, "kernel"));
	json_copy(r, ir, "specialization");
	if (json_get_bool(launch, "tuned", false))
		json_set_bool(r, "tuned", true);
	json_copy(r, planned, "depth");
	return r;
}

static void tell_of_the_end(const struct trial *t, struct json *report)
{
	const struct part *p = &t->builder->part;
	char how[64], message[160];

	part_describe_end(p, how, sizeof(how));
	if (p->end == PART_DEADLINE)
		snprintf(message, sizeof(message), "this kernel was not compiled within %g s",
			 t->judge->config.timeout_s);
	else
		snprintf(message, sizeof(message), "the compiler itself %s on this kernel; see the log",
			 how);
	json_set(report, "error", fault_new(p->end == PART_DEADLINE ? "Timeout" : "Crash", message));
}

static void merge(struct json *report, const struct json *built)
{
	for (const struct json *m = json_first(built); m; m = json_next(m))
		json_set(report, json_key(m), json_dup(m));
}

static void build(struct trial *t, const struct json *ir, struct json *report)
{
	struct json *request = json_new_object(), *built;
	bool failed;

	json_copy(request, ir, "at");
	json_copy(request, ir, "size");
	json_copy(request, ir, "options");
	json_copy(request, report, "kernel");
	json_copy(request, report, "target");
	json_copy(request, report, "depth");
	if (t->judge->config.objects_dir)
		json_set_bool(request, "words", true); /* of machine code that has no assembly */
	built = builder_build(t->builder, request, t->oracle ? &t->oracle->part : NULL,
			      part_deadline(t->judge->config.timeout_s));
	if (built)
		merge(report, built);
	else
		tell_of_the_end(t, report);
	failed = json_get(report, "error");
	if (failed && t->builder->part.running) {
		child_log(&t->builder->part.child, &t->build_log);
		child_forget(&t->builder->part.child); /* the next kernel's log is not this one's as well */
	} else if (failed) {
		buf_add(&t->build_log, t->builder->part.log.data, t->builder->part.log.len);
	}
	json_free(built);
	json_free(request);
}

/* It would be lowered whatever its types are: the front end says so instead of giving the IR. */
static bool is_plain(const struct json *ir)
{
	const char *depth = json_get_string(ir, "depth");

	return depth && strcmp(depth, "ir") == 0;
}

/* False when the front end said nothing of it, or the builder has ended before. */
static bool handle(struct trial *t, const struct json *planned, const struct json *ir)
{
	const char *depth = json_get_string(planned, "depth");
	struct json *report;

	if (!ir || (!json_get(ir, "failed") && !json_get(ir, "skipped")
		    && !t->builder->part.running))
		return false;
	report = new_report(t, planned, ir);
	if (json_get(ir, "failed"))
		json_set(report, "error", hear_error(json_get(ir, "failed")));
	else if (json_get(ir, "skipped"))
		json_copy(report, ir, "skipped");
	else if (strcmp(depth, "llvm") == 0 && is_plain(ir))
		json_set_string(report, "depth", "ir");
	else if (strcmp(depth, "ir") != 0)
		build(t, ir, report);
	json_push(t->compiled, figures_entry(t, report));
	json_free(report);
	return true;
}

void building_run(struct trial *t)
{
	const struct json *planned;
	size_t i = 0, done = 0;

	for (planned = json_first(t->plan); planned; planned = json_next(planned), i++)
		done += handle(t, planned, t->irs[i]);
	t->compiled_all = t->emitted && done == i;
}

/* On a GPU, Triton's tuner passes over a configuration that fails so; any other failure
 * is raised there as it is here. */
static bool tuner_passes_over(const struct json *entry)
{
	static const char *const classes[] = { "OutOfResources", "CompileTimeAssertionFailure",
					       "PTXASError" };
	const char *class = json_get_string(json_get(entry, "error"), "class");

	for (size_t i = 0; class && i < sizeof(classes) / sizeof(*classes); i++)
		if (strcmp(class, classes[i]) == 0)
			return json_get_bool(entry, "tuned", false);
	return false;
}

const struct json *building_fault(const struct trial *t)
{
	const char *primary = t->judge->config.targets[0];
	const struct json *m;

	for (m = json_first(t->compiled); m; m = json_next(m))
		if (strcmp(json_get_string(m, "target"), primary) == 0
		    && !tuner_passes_over(m) && !json_bool(json_get(m, "ok"), true))
			return m;
	return NULL;
}
