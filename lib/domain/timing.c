#include "domain/timing_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/fault.h"
#include "domain/task.h"
#include "domain/turn.h"
#include "ground/mem.h"

/* Of a side, one after the other, for a short kernel, before it is asked whether they are enough:
 * whoever asks after each errs more often. */
enum { PROCESSES_STEP = 4 };

/* The standard deviation between processes that run the same kernel: on three H200, with kernels
 * of 6 and 12 us, 40, 90 and 220 ns were seen. Where a ratio is far from 1, the verdict does not
 * hang on that. */
static const double apart_ms = 120e-6, far = 0.15;
static const uint64_t bootstrap_seed = 1; /* the same record again from the same times */

static void name_subject(struct session *s, const char *name, const char *source)
{
	size_t i = s->timing->n_subjects++;

	s->timing->names[i] = name;
	s->timing->stays[i] = !source;
	s->sources[i] = source;
}

static void name_subjects(struct session *s, const struct baselines *baselines)
{
	struct trial *t = s->trial;

	name_subject(s, "candidate", json_get_string(t->candidate, "source"));
	for (size_t i = 0; i < baselines->n; i++) {
		const struct baseline *b = &baselines->all[i];
		const char *name = baseline_name(b), *source = baseline_source(b, t->task);

		if (source || b->kind == BASELINE_EAGER || b->kind == BASELINE_COMPILE)
			name_subject(s, name, source);
		else
			json_set_string(s->timing->notes, name, b->kind == BASELINE_SEED
					? "the task has no seed_source"
					: "it has none of this task");
	}
}

static void start_subjects(struct session *s)
{
	for (size_t i = 0; i < s->timing->n_subjects; i++)
		if (s->sources[i])
			subject_init_source(&s->subjects[i], s->trial, s->timing->names[i],
					    s->sources[i]);
		else
			subject_init_reference(&s->subjects[i], s->trial, s->timing->names[i]);
}

static void end_subjects(struct session *s)
{
	for (size_t i = 0; i < s->timing->n_subjects; i++)
		subject_release(&s->subjects[i]);
}

static void set_error(struct session *s, const char *status, struct json *error)
{
	s->timing->error_status = status;
	s->timing->error = error;
}

/* Our own, or that of what was to tell right from wrong. */
static bool was_ours(struct session *s)
{
	struct trial *t = s->trial;

	for (size_t i = 0; i < s->timing->n_subjects; i++)
		if (s->subjects[i].failure.code && !t->sandbox.code)
			t->sandbox = s->subjects[i].failure;
	if (!t->sandbox.code && !t->oracle->part.running && !t->oracle->part.error)
		err_set(&t->sandbox, ERR_SOFTWARE, "the reference's process ended while a baseline of "
			"it was timed; leave out the baseline that does it (--baseline=eager, say)");
	return t->sandbox.code;
}

static void blame_candidate(struct session *s)
{
	const struct part *p = s->subjects[0].part;
	struct json *ours = part_fault_of_ours(p);

	s->timing->lost = part_says_nothing(p);
	if (ours)
		set_error(s, "sandbox_error", ours);
	else if (fault_is_memory(p->error))
		/* It was right with one set of inputs; that there are several is our doing. */
		s->timing->note = mem_strdup("memory does not hold its inputs several times");
	else if (p->error)
		set_error(s, "call_error", json_dup(p->error));
	else if (p->end == PART_DEADLINE)
		set_error(s, "timeout", fault_new("Timeout", "no answer while it was timed"));
	else if (p->how.cause == BOX_HOARDED)
		set_error(s, "out_of_memory", fault_new("Memory", "its processes together had more "
			  "memory than a candidate may add, while it was timed"));
	else if (p->end == PART_GARBLED)
		set_error(s, "crash", fault_new("Protocol", "the process wrote something that is no "
			  "message, or too much, into the judge's channel while it was timed"));
	else if (!p->running)
		set_error(s, "crash", fault_new("Ended", "its process ended while it was timed"));
	else
		set_error(s, "crash", fault_new("Protocol", "it was timed, and told of no times"));
}

/* Whose fault it was that times are missing. */
static void blame(struct session *s)
{
	if (was_ours(s))
		return;
	if (s->subjects[0].forged)
		s->trial->forged = s->subjects[0].forged;
	else
		blame_candidate(s);
}

/* Shows the oracle what some timed calls came to, once the candidate's process cannot change that
 * any more, and before another writes its own in the same place; its checks join the others. */
static void check_results(struct session *s)
{
	struct oracle *o = s->trial->oracle;
	struct json *m = json_new_object();

	json_set(m, "results", s->gives);
	s->gives = json_new_array();
	json_set_bool(m, "complete", false);
	json_set_bool(m, "timed", true);
	o->compared = false;
	oracle_ask(o, m);
	oracle_answer(o, part_deadline(oracle_patience(s->trial->judge)));
	json_free(m);
}

double timing_apart_ms(const struct timing *timing, size_t baseline)
{
	return apart_ms * (timing->stays[baseline] ? 1 : sqrt(2));
}

/* Whether the verdict on a case may hang on how its processes happened to be. */
static bool is_close(const struct session *s, const struct timed_case *c)
{
	for (size_t i = 1; i < s->timing->n_subjects; i++) {
		struct speedup one;

		if (s->out[i] || speedup_outermost * timing_apart_ms(s->timing, i)
				 <= speedup_least_floor * timed_case_ms(c, i).mid)
			continue;
		one = timing_speedup(s->timing, c, 1, i);
		if (c->processes % PROCESSES_STEP ? fabs(log(one.ratio)) < far
						  : speedup_is_open(&one))
			return true;
	}
	return false;
}

/* All cases, or in further processes those that need it. */
static bool time_cases(struct session *s)
{
	const struct json *m = json_first(s->trial->oracle->cases);
	size_t n = 0;

	for (int64_t number = 0; m; m = json_next(m), number++) {
		struct timed_case *c = &s->timing->cases[n];

		if (!task_case_is_timed(m))
			continue;
		n++;
		if (c->ms && !is_close(s, c))
			continue;
		if (!timing_one(s, c, number))
			return false;
	}
	return true;
}

static void name_cases(struct session *s)
{
	const struct json *calls = s->trial->oracle->cases;

	s->timing->cases = mem_zalloc(json_len(calls) + 1, sizeof(*s->timing->cases));
	for (const struct json *m = json_first(calls); m; m = json_next(m)) {
		const char *name = json_get_string(m, "name");

		if (task_case_is_timed(m))
			s->timing->cases[s->timing->n_cases++].name = mem_strdup(name ? name : "");
	}
}

static bool any_is_close(const struct session *s)
{
	for (size_t i = 0; i < s->timing->n_cases; i++)
		if (is_close(s, &s->timing->cases[i]))
			return true;
	return false;
}

/* With the device at hand. */
static void take_times(struct session *s)
{
	bool good = true;

	name_subjects(s, &s->trial->judge->config.baselines);
	name_cases(s);
	for (int p = 0; good && p < PROCESSES_MAX && (p == 0 || any_is_close(s)); p++) {
		start_subjects(s);
		good = time_cases(s);
		if (!good || was_ours(s))
			blame(s);
		end_subjects(s);
		if (good && json_len(s->gives) && !s->trial->sandbox.code)
			check_results(s);
		good = good && !s->trial->sandbox.code && s->trial->oracle->compared;
	}
}

static bool has_times(const struct json *task)
{
	for (const struct json *m = json_first(json_get(task, "cases")); m; m = json_next(m))
		if (task_case_is_timed(m))
			return true;
	return false;
}

void timed_case_set_aside(struct timed_case *c, size_t round)
{
	size_t width = 2 * c->rounds.n_subjects;

	for (size_t i = 0; i < width; i++)
		c->ms[round * width + i] = NAN;
	c->throttled++;
}

struct stats_interval timed_case_ms(const struct timed_case *c, size_t subject)
{
	size_t width = 2 * c->rounds.n_subjects, n = 0;
	double *ms = mem_zalloc(2 * c->rounds.n + 1, sizeof(*ms));
	struct stats_interval t;

	for (size_t r = 0; r < c->rounds.n; r++)
		for (size_t k = 0; k < 2; k++) {
			double one = c->rounds.ms[r * width + 2 * subject + k];

			if (isfinite(one))
				ms[n++] = one;
		}
	t = stats_mean_of_medians(&(struct stats_sample){ ms, n }, 1, bootstrap_seed);
	free(ms);
	return t;
}

struct speedup timing_speedup(const struct timing *timing, const struct timed_case *cases, size_t n,
			      size_t baseline)
{
	struct rounds *rounds = mem_zalloc(n + 1, sizeof(*rounds));
	struct speedup s;

	for (size_t i = 0; i < n; i++) {
		rounds[i] = cases[i].rounds;
		rounds[i].apart_ms = timing_apart_ms(timing, baseline);
	}
	s = speedup_of(rounds, n, baseline, bootstrap_seed);
	free(rounds);
	return s;
}

struct roofline_gpu timing_gpu(const struct device *d)
{
	return (struct roofline_gpu){
		.facts = d->facts,
		.copy_gbs = d->copy_gbs > 0 ? d->copy_gbs : NAN,
		.clock_mhz = d->gpu.clock_mhz ? d->gpu.clock_mhz : NAN,
	};
}

/* A time below what the bytes and operations of a case need: the work was not all done in it. */
static void hold_against_physics(struct session *s)
{
	const struct trial *t = s->trial;
	const struct roofline_gpu gpu = timing_gpu(t->device);

	for (size_t i = 0; i < s->timing->n_cases && !s->timing->beaten; i++) {
		const struct timed_case *c = &s->timing->cases[i];
		struct stats_interval ms = timed_case_ms(c, 0);
		struct roofline r;

		roofline_of(&gpu, t->task, task_case(t->task, c->name), 0, &r);
		if (roofline_is_beaten(&r, ms.mid))
			s->timing->beaten = mem_printf("case %s: %.4g ms, where the %s of the case "
						       "need %.4g ms on this GPU at least",
						       c->name, ms.mid, r.least_of, r.least_ms);
	}
}

/* Where too few rounds are left of a case: in words, which the caller frees; else NULL. */
static char *tell_throttled(const struct timing *timing)
{
	for (size_t i = 0; i < timing->n_cases; i++) {
		const struct timed_case *c = &timing->cases[i];

		if (c->throttled && c->rounds.n - c->throttled < STATS_LEAST)
			return mem_printf("case %s: the GPU was slowed by heat or by its board in %zu "
					  "of %zu rounds", c->name, c->throttled, c->rounds.n);
	}
	return NULL;
}

struct timing *timing_run(struct trial *t)
{
	const struct judge *j = t->judge;
	struct device_lock turn;
	struct session s = { .trial = t, .random = { judge_seed(j) } };

	if (!j->times || !t->oracle || !has_times(t->task) || request_is_suite(t->task))
		return NULL;
	s.timing = mem_zalloc(1, sizeof(*s.timing));
	s.timing->notes = json_new_object();
	s.gives = json_new_array();
	if (turn_take(&turn, t->device, true, &t->sandbox) == 0) {
		take_times(&s);
		turn_end(&turn);
	}
	if (!s.timing->note)
		s.timing->note = tell_throttled(s.timing);
	hold_against_physics(&s);
	json_free(s.gives);
	return s.timing;
}

bool timing_doubts_device(const struct timing *timing)
{
	return timing && (timing->error || timing->baseline_failed);
}

void timing_free(struct timing *timing)
{
	if (!timing)
		return;
	for (size_t i = 0; i < timing->n_cases; i++) {
		free(timing->cases[i].name);
		free(timing->cases[i].ms);
	}
	free(timing->cases);
	json_free(timing->error);
	free(timing->beaten);
	free(timing->note);
	json_free(timing->notes);
	free(timing);
}
