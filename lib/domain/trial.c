#include "domain/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "domain/building.h"
#include "domain/hearing.h"
#include "domain/plan.h"
#include "domain/spare.h"
#include "domain/turn.h"
#include "ground/fd.h"
#include "ground/mem.h"

/* -- the candidate's two children */

static struct json *candidate_request(const struct trial *t)
{
	struct json *r = request_new(t->judge, t->device, "candidate", t->task);

	json_copy(r, t->candidate, "source");
	json_set(r, "cases", t->oracle ? json_dup(t->oracle->cases) : json_new_array());
	if (t->oracle && request_is_suite(t->task)) /* the tests draw their own inputs */
		json_set_string(r, "seed", t->oracle->seed);
	return r;
}

/* What it says is signed with a mark that its own code does not get to see. */
static struct json *runner_request(const struct trial *t)
{
	struct json *r = candidate_request(t);

	json_set_string(r, "mark", t->mark);
	json_set(r, "changes", t->oracle && t->oracle->changes ? json_dup(t->oracle->changes)
							       : json_new_object());
	return r;
}

static struct json *frontend_request(const struct trial *t)
{
	struct json *r = candidate_request(t);

	json_set_string(r, "role", "frontend");
	json_set(r, "launches", json_dup(t->launches));
	json_set(r, "plan", json_dup(t->plan));
	return r;
}

static int begin_turn(struct trial *t)
{
	if (!t->has_turn && turn_take(&t->turn, t->device, false, &t->sandbox))
		return t->sandbox.code;
	t->has_turn = true;
	return 0;
}

static void end_turn(struct trial *t)
{
	if (t->has_turn)
		turn_end(&t->turn);
	t->has_turn = false;
}

/* While a spare does it the next one gets ready; else that would keep this one waiting for the GPU. */
static void run_candidate(struct trial *t)
{
	int shared[BOX_SHARED] = { -1, t->oracle ? t->oracle->outputs : -1, -1 };
	bool had_turn = t->has_turn;

	t->inputs = request_memory("inputs", false, &t->sandbox);
	if (t->inputs < 0)
		return;
	shared[0] = t->inputs;
	if (begin_turn(t))
		return;
	spare_start(&t->run, t->judge, t->device, false, !t->anew, shared, runner_request(t), &t->spared,
		    &t->sandbox);
	if (t->spared)
		spare_prepare(t->judge, t->device, false, &t->turn);
	part_serve(&t->run, t->oracle ? &t->oracle->part : NULL,
		   part_deadline(t->judge->config.timeout_s), NULL, NULL);
	if (!t->spared && t->run.end == PART_DONE)
		spare_prepare(t->judge, t->device, false, &t->turn);
	if (t->oracle && t->oracle->served == 1 && t->run.end == PART_DONE) /* it was new */
		spare_prepare(t->judge, t->device, true, &t->turn);
	if (!had_turn)
		end_turn(t);
}

static bool irs_emitted(const void *what)
{
	const struct trial *t = what;

	return t->emitted;
}

/* The entry without its kernels may run on and on; it has this long to show that it does not. */
static double ablation_seconds(const struct judge *j)
{
	return j->config.timeout_s < 5 ? j->config.timeout_s : 5;
}

static bool ran_well(const struct trial *t)
{
	return t->run.end == PART_DONE && !t->run.error;
}

static void run_frontend(struct trial *t)
{
	const int shared[BOX_SHARED] = { t->oracle ? t->oracle->inputs : -1,
					 t->oracle ? t->oracle->ablated : -1, t->builder->irs };
	struct part *oracle = t->oracle ? &t->oracle->part : NULL;
	struct box_limits limits = request_limits(t->judge, false);

	if (part_start(&t->frontend, &t->judge->compiler, &limits, shared, frontend_request(t),
		       &t->sandbox) == 0) {
		part_serve(&t->frontend, oracle, part_deadline(t->judge->config.timeout_s),
			   irs_emitted, t);
		if (ran_well(t)) /* else there is nothing that could be shown to be its kernels' work */
			part_serve(&t->frontend, oracle,
				   part_deadline(ablation_seconds(t->judge)), NULL, NULL);
		part_finish(&t->frontend);
	}
}

/* -- the play */

/* What the oracle is asked. It starts on the answer while the kernels are built. */
static void ask_oracle(struct trial *t)
{
	struct json *m = json_new_object();

	json_set(m, "results", json_dup(t->results));
	json_set_bool(m, "complete", ran_well(t));
	if (t->frontend.end == PART_DONE)
		json_set(m, "ablated", json_dup(t->ablated));
	oracle_ask(t->oracle, m);
	json_free(m);
}

/* The candidate's own processes, up to IR of its kernels. */
static bool run_and_emit(struct trial *t)
{
	struct judge *j = t->judge;

	run_candidate(t);
	if (!t->sandbox.code && !t->builder)
		t->builder = builder_take(j, t->anew, &t->sandbox);
	if (t->sandbox.code)
		return false;
	t->plan = plan_compile(t->launches, j->config.targets, j->config.n_targets,
			       j->config.objects_dir ? PLAN_OF_ALL
			       : j->config.no_objects ? PLAN_OF_NONE : PLAN_OF_LARGEST);
	t->irs = mem_zalloc(json_len(t->plan) + 1, sizeof(struct json *));
	run_frontend(t);
	return true;
}

/* Neither came to an end in the time that a candidate has, the same tests being run by both: the
 * task asks for more, and to wait for the reference would not change that. */
static bool is_hopeless(const struct trial *t)
{
	return request_is_suite(t->task) && t->run.end == PART_DEADLINE && !t->oracle->reference_ran;
}

/* Between what it does on the GPU others may be timed there; but not in the middle of a suite's
 * task, whose reference goes on beside the candidate. */
static void play(struct trial *t)
{
	struct judge *j = t->judge;
	bool suite = request_is_suite(t->task);

	if (!suite || json_get_string(t->task, "tests")) {
		if (begin_turn(t))
			return;
		t->oracle = oracle_take(j, t->device, t->task, t->anew, &t->sandbox);
		if (!suite)
			end_turn(t);
		if (!t->oracle || !t->oracle->cases || t->oracle->part.error)
			return;
	}
	if (!run_and_emit(t))
		return;
	if (!t->oracle) {
		building_run(t);
		return;
	}
	if (begin_turn(t))
		return;
	ask_oracle(t);
	building_run(t);
	if (!is_hopeless(t))
		oracle_answer(t->oracle, part_deadline(oracle_patience(j)));
}

static void draw_mark(char mark[33])
{
	unsigned char bytes[16] = { 0 };

	if (getrandom(bytes, sizeof(bytes), 0) < 0) {
		/* Never of this size on Linux; then the mark is no secret, and nothing else is lost. */
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(mark + 2 * i, 3, "%02x", bytes[i]);
}

static void init(struct trial *t, struct judge *j, struct device *d, const struct json *candidate)
{
	*t = (struct trial){ .judge = j, .device = d, .candidate = candidate,
			     .task = json_get(candidate, "task"), .inputs = -1 };
	draw_mark(t->mark);
	part_init(&t->run, hear_candidate, t);
	part_init(&t->frontend, hear_frontend, t);
	t->results = json_new_array();
	t->launches = json_new_array();
	t->ablated = json_new_array();
	t->compiled = json_new_array();
	buf_init(&t->build_log, 4 * CHILD_LOG_HALF);
}

static bool is_right(const struct trial *t)
{
	const struct json *m;

	if (!t->oracle || !t->oracle->compared || t->run.end != PART_DONE || t->run.error)
		return false;
	for (m = json_first(t->oracle->checks); m; m = json_next(m))
		if (!json_bool(json_get(m, "ok"), true))
			return false;
	return true;
}

static const char *text_of(const struct json *from, const char *key)
{
	const char *text = json_get_string(from, key);

	return text ? text : "";
}

/*
 * A right answer that the first target does not compile: a suite's own kernels, which
 * were written for some GPU, may fare no better there. Then the task is at fault.
 */
static void try_reference(struct trial *t)
{
	const struct json *fault = building_fault(t);
	struct json *candidate;
	struct trial r;

	if (!fault || !request_is_suite(t->task) || !is_right(t))
		return;
	if (strcmp(text_of(t->candidate, "source"), text_of(t->task, "reference")) == 0) {
		t->reference_fault = json_dup(json_get(fault, "error"));
		return;
	}
	candidate = json_dup(t->candidate);
	json_set_string(candidate, "source", text_of(t->task, "reference"));
	init(&r, t->judge, t->device, candidate);
	r.anew = t->anew;
	r.oracle = t->oracle; /* lent, as the builder is: for its seed and shared memory */
	r.builder = t->builder->part.running ? t->builder : NULL; /* else it died of this kernel */
	if (run_and_emit(&r)) {
		building_run(&r);
		fault = building_fault(&r);
		t->reference_fault = fault ? json_dup(json_get(fault, "error")) : NULL;
	}
	r.oracle = NULL;
	if (trial_is_lost(&r) && !t->sandbox.code) /* then nobody knows whose fault it is */
		err_set(&t->sandbox, ERR_SOFTWARE, "%s", r.sandbox.code ? r.sandbox.text
			: "a process that tried the task's own kernels was killed");
	if (r.builder == t->builder)
		r.builder = NULL;
	trial_release(&r);
	json_free(candidate);
}

void trial_run(struct trial *t, struct judge *j, struct device *d, const struct json *candidate,
	       bool anew)
{
	init(t, j, d, candidate);
	t->anew = anew;
	play(t);
	end_turn(t);
	try_reference(t);
}

const struct part *trial_part(const struct trial *t, bool (*holds)(const struct part *p))
{
	const struct part *const parts[] = {
		&t->run, &t->frontend, t->oracle ? &t->oracle->part : NULL,
		t->builder ? &t->builder->part : NULL,
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i] && holds(parts[i]))
			return parts[i];
	return NULL;
}

/* It may have been lost while it waited, and its context with it; one that is started anew tells. */
static bool may_be_the_spares(const struct part *p, bool has_begun)
{
	return part_blames_driver(p) || (p->end == PART_STOPPED && !p->running && !p->error && !has_begun);
}

/* A trusted process with an error of the driver's has lost its context, to what a kernel beside it
 * did, say. When the reference itself is to blame the next one will have the same. */
bool trial_is_lost(const struct trial *t)
{
	const struct oracle *o = t->oracle;

	return t->sandbox.code || trial_part(t, part_says_nothing)
	       || (t->spared && may_be_the_spares(&t->run, t->imported))
	       || (o && part_blames_driver(&o->part))
	       || (o && o->spared && may_be_the_spares(&o->part, o->reference_ran));
}

/* It was ended, or ended by itself without a word; or its error is one of the driver's. */
static bool doubts_device(const struct part *p)
{
	return p->error ? part_blames_driver(p)
			: !p->running && p->end != PART_NOT_RUN && p->end != PART_DONE;
}

/* Of those that work on it: the others may have been ended with nothing left to do. */
bool trial_doubts_device(const struct trial *t)
{
	return t->sandbox.code || doubts_device(&t->run)
	       || (t->oracle && doubts_device(&t->oracle->part));
}

void trial_release(struct trial *t)
{
	for (size_t i = 0; t->irs && i < json_len(t->plan); i++)
		json_free(t->irs[i]);
	free(t->irs);
	if (t->oracle)
		oracle_give(t->judge, t->device, t->oracle);
	if (t->builder)
		builder_give(t->judge, t->builder);
	fd_close(&t->inputs);
	part_release(&t->run);
	part_release(&t->frontend);
	json_free(t->results);
	json_free(t->launches);
	json_free(t->unclaimed);
	json_free(t->ablated);
	json_free(t->plan);
	json_free(t->compiled);
	json_free(t->reference_fault);
	buf_release(&t->build_log);
}
