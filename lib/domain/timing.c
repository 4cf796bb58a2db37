#include "domain/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/fault.h"
#include "domain/stats.h"
#include "domain/subject.h"
#include "domain/turn.h"
#include "ground/mem.h"

enum {
	ROUNDS_LEAST = 10,
	ROUNDS_MOST = 40,
	GIVES = 2,               /* results of a case that the oracle is shown */
};

static const double case_seconds = 2;       /* for the rounds of a case, when they are not over */
static const double warm_ms = 100, warm_most_ms = 1000;
static const double block_ms = 40;          /* a block is about as long, where its calls let it */
static const double narrow = 0.004;         /* half of the interval: known well enough */
static const double tick_ms = 32e-6;        /* of NVIDIA's events; AMD's is finer */
static const int64_t places_bytes = 2LL << 30;

struct session {
	struct trial *trial;
	struct timing *timing;
	struct subject subjects[SUBJECTS_MAX];
	bool out[SUBJECTS_MAX];  /* a baseline that failed: the others go on */
	struct stats_random random;
	struct json *gives;      /* results of timed calls, for the oracle */
};

static double ms_since(int64_t start)
{
	return (double)(child_clock_ns() - start) / 1e6;
}

/* -- one case */

struct at_case {
	struct session *s;
	struct timed_case *c;
	int64_t number, calls;   /* in a block */
	double ms[SUBJECTS_MAX]; /* of the last block of each */
	size_t give_in[GIVES];   /* rounds after which a result is asked for */
};

/* A side gave no answer. Whether the others can go on without it. */
static bool leave_out(struct session *s, size_t subject)
{
	const struct part *p = s->subjects[subject].part;
	const char *why = json_get_string(p->error, "message");

	if (subject == 0 || s->subjects[subject].failure.code)
		return false;
	if (s->subjects[subject].why)
		why = s->subjects[subject].why;
	json_set_string(s->timing->notes, s->timing->names[subject],
			why ? why : "its process ended while it was timed");
	s->out[subject] = true;
	return true;
}

/* The block's median without the cost of the window itself; NAN without an answer. */
static double block_median(struct at_case *a, size_t subject, bool real, double *wall_ms)
{
	struct session *s = a->s;
	struct block b;
	double ms;

	if (s->out[subject]
	    || !subject_block(&s->subjects[subject], a->calls, stats_random(&s->random), real, &b))
		return NAN;
	if (wall_ms)
		*wall_ms = b.wall_ms;
	ms = stats_grouped_median(b.ms, b.n, tick_ms) - a->c->empty_ms[subject];
	return ms > tick_ms ? ms : tick_ms; /* the window cannot tell it from nothing */
}

static bool get_ready(struct at_case *a)
{
	struct session *s = a->s;
	const struct json *span = json_get(json_at(s->trial->oracle->cases, (size_t)a->number), "span");
	int64_t bytes = json_int(json_at(span, 1), 0) - json_int(json_at(span, 0), 0);

	a->calls = bytes > 0 ? places_bytes / bytes : SUBJECT_CALLS_MAX;
	a->calls = a->calls < 2 ? 2 : a->calls > SUBJECT_CALLS_MAX ? SUBJECT_CALLS_MAX : a->calls;
	for (size_t i = 0; i < s->timing->n_subjects; i++) {
		a->c->empty_ms[i] = s->out[i] ? 0 : subject_get_ready(&s->subjects[i], a->number,
								      a->calls);
		if (a->c->empty_ms[i] < 0 && !leave_out(s, i))
			return false;
	}
	return true;
}

/* Until the device has been busy for a while and the candidate takes as long as before. */
static bool warm_up(struct at_case *a)
{
	int64_t start = child_clock_ns();
	double before, longest = 0;

	a->ms[0] = NAN;
	do {
		before = a->ms[0];
		for (size_t i = 0; i < a->s->timing->n_subjects; i++) {
			a->ms[i] = block_median(a, i, true, NULL);
			if (!isfinite(a->ms[i]) && !a->s->out[i] && !leave_out(a->s, i))
				return false;
			longest = fmax(longest, a->ms[i]);
		}
		if (longest * (double)a->calls > block_ms)
			a->calls = (int64_t)fmax(1, block_ms / longest);
	} while (ms_since(start) < warm_ms
		 || (!(fabs(a->ms[0] / before - 1) < 0.02) && ms_since(start) < warm_most_ms));
	return true;
}

/* The candidate's calls by our own clock: what a block takes longer than one without them. */
static bool hold_against_clock(struct at_case *a)
{
	double least_with = INFINITY, least_without = INFINITY, wall;

	for (int i = 0; i < 3; i++) {
		if (!isfinite(block_median(a, 0, true, &wall)))
			return false;
		least_with = fmin(least_with, wall);
		if (!isfinite(block_median(a, 0, false, &wall)))
			return false;
		least_without = fmin(least_without, wall);
	}
	a->c->host_ms = fmax(0, (least_with - least_without) / (double)a->calls);
	/* Queueing a call costs the host something, too: a fraction of a millisecond. */
	a->c->by_host = a->c->host_ms > 2 * a->ms[0] + 0.3;
	return true;
}

static void give(struct at_case *a)
{
	struct json *given = subject_give(&a->s->subjects[0],
					  (int64_t)stats_random_below(&a->s->random, (size_t)a->calls));

	if (given)
		json_push(a->s->gives, given);
}

/* One round's blocks, into ms; every side has two, in an order that reads the same backwards. */
static bool run_round(struct at_case *a, double *ms)
{
	size_t n = a->s->timing->n_subjects, round = a->c->rounds.n;

	for (size_t k = 0; k < 2 * n; k++) {
		size_t i = k < n ? k : 2 * n - 1 - k;

		ms[2 * i + (k >= n)] = block_median(a, i, true, NULL);
		if (!isfinite(ms[2 * i + (k >= n)]) && !a->s->out[i] && !leave_out(a->s, i))
			return false;
	}
	for (size_t g = 0; g < GIVES; g++)
		if (a->give_in[g] == round)
			give(a); /* the last block was the candidate's */
	if (a->c->by_host)
		ms[0] = ms[1] = a->c->host_ms;
	return true;
}

static void watch_device(struct at_case *a, double *ms)
{
	struct telemetry *telemetry = a->s->trial->judge->telemetry;
	struct err ignored = ERR_INIT;

	if (!telemetry || telemetry_read(telemetry, &a->c->state, &ignored))
		return;
	if (telemetry_throttled(&a->c->state)) {
		ms[0] = NAN; /* the round does not count */
		a->c->throttled++;
	}
}

static bool is_known(const struct at_case *a)
{
	for (size_t i = 1; i < a->s->timing->n_subjects; i++) {
		struct speedup s = speedup_of(&a->c->rounds, 1, i, 1);

		if (!a->s->out[i] && !(s.hi / s.lo - 1 < 2 * narrow))
			return false;
	}
	return true;
}

static bool run_rounds(struct at_case *a)
{
	size_t width = 2 * a->s->timing->n_subjects;
	double *ms = mem_zalloc((size_t)ROUNDS_MOST * width, sizeof(*ms));
	int64_t start = child_clock_ns();
	struct rounds *r = &a->c->rounds;

	a->c->ms = ms;
	*r = (struct rounds){ .n_subjects = a->s->timing->n_subjects, .ms = ms };
	while (r->n < ROUNDS_MOST) {
		if (!run_round(a, ms + r->n * width))
			return false;
		watch_device(a, ms + r->n * width);
		r->n++;
		if (r->n >= ROUNDS_LEAST && (is_known(a) || ms_since(start) > 1e3 * case_seconds))
			break;
	}
	return true;
}

static bool time_case(struct session *s, struct timed_case *c, int64_t number, const char *name)
{
	struct at_case a = { .s = s, .c = c, .number = number };

	c->name = mem_strdup(name);
	c->state = (struct telemetry_sample){ -1, -1, -1, -1 };
	for (size_t g = 0; g < GIVES; g++)
		a.give_in[g] = stats_random_below(&s->random, ROUNDS_LEAST);
	return get_ready(&a) && warm_up(&a) && hold_against_clock(&a) && run_rounds(&a);
}

/* -- all of them */

static void add_subjects(struct session *s, const struct baselines *baselines)
{
	struct trial *t = s->trial;
	struct timing *timing = s->timing;

	subject_init_source(&s->subjects[0], t, "candidate", json_get_string(t->candidate, "source"));
	timing->names[timing->n_subjects++] = "candidate";
	for (size_t i = 0; i < baselines->n; i++) {
		const struct baseline *b = &baselines->all[i];
		const char *name = baseline_name(b), *source = baseline_source(b, t->task);
		struct subject *subject = &s->subjects[timing->n_subjects];

		if (b->kind == BASELINE_EAGER || b->kind == BASELINE_COMPILE)
			subject_init_reference(subject, t, name);
		else if (source)
			subject_init_source(subject, t, name, source);
		else {
			json_set_string(timing->notes, name, b->kind == BASELINE_SEED
					? "the task has no seed_source" : "it has none of this task");
			continue;
		}
		timing->names[timing->n_subjects++] = name;
	}
}

/* Whose fault it was that times are missing. */
static void blame(struct session *s)
{
	struct subject *c = &s->subjects[0];
	struct part *p = c->part;

	if (c->forged)
		s->trial->forged = c->forged;
	for (size_t i = 0; i < s->timing->n_subjects; i++)
		if (s->subjects[i].failure.code && !s->trial->sandbox.code)
			s->trial->sandbox = s->subjects[i].failure;
	if (p->error) {
		s->timing->error = json_dup(p->error);
		s->timing->error_status = "call_error";
	} else if (p->end == PART_DEADLINE) {
		s->timing->error = fault_new("Timeout", "no answer while it was timed");
		s->timing->error_status = "timeout";
	} else if (!p->running) {
		s->timing->error = fault_new("Ended", "its process ended while it was timed");
		s->timing->error_status = "crash";
	}
}

/* Shows the oracle what some timed calls came to; its checks join the others. */
static void check_results(struct session *s)
{
	struct oracle *o = s->trial->oracle;
	struct json *m = json_new_object();
	struct device_lock turn;

	json_set(m, "results", s->gives);
	s->gives = NULL;
	json_set_bool(m, "complete", false);
	json_set_bool(m, "timed", true);
	o->compared = false;
	if (turn_take(&turn, s->trial->judge, false, &s->trial->sandbox) == 0) {
		oracle_ask(o, m);
		oracle_answer(o, part_deadline(oracle_patience(s->trial->judge)));
		turn_end(&turn);
	}
	json_free(m);
	s->timing->checked = o->compared;
}

static void time_cases(struct session *s)
{
	const struct json *all = json_get(s->trial->task, "cases"), *calls = s->trial->oracle->cases;
	int64_t number = 0;

	s->timing->cases = mem_zalloc(json_len(all) + 1, sizeof(*s->timing->cases));
	for (const struct json *m = json_first(calls); m; m = json_next(m), number++) {
		const char *kind = json_get_string(m, "kind"), *name = json_get_string(m, "name");

		if (!kind || strcmp(kind, "time") != 0 || !name || s->timing->n_cases == json_len(all))
			continue;
		if (!time_case(s, &s->timing->cases[s->timing->n_cases++], number, name)) {
			blame(s);
			return;
		}
	}
}

static bool has_times(const struct json *task)
{
	for (const struct json *m = json_first(json_get(task, "cases")); m; m = json_next(m)) {
		const char *kind = json_get_string(m, "kind");

		if (kind && strcmp(kind, "time") == 0)
			return true;
	}
	return false;
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
	t = stats_mean_of_medians(&(struct stats_sample){ ms, n }, 1, 1);
	free(ms);
	return t;
}

const struct json *timing_case(const struct json *task, const char *name)
{
	const struct json *m = json_first(json_get(task, "cases"));

	while (m) {
		const char *its = json_get_string(m, "name");

		if (its && strcmp(its, name) == 0)
			break;
		m = json_next(m);
	}
	return m;
}

struct roofline_gpu timing_gpu(const struct judge *j)
{
	return (struct roofline_gpu){ .facts = j->facts, .copy_gbs = j->copy_gbs > 0 ? j->copy_gbs : NAN,
				      .clock_mhz = j->gpu.clock_mhz ? j->gpu.clock_mhz : NAN };
}

/* A time below what the bytes and operations of a case need: the work was not all done in it. */
static void hold_against_physics(struct session *s)
{
	const struct trial *t = s->trial;
	const struct roofline_gpu gpu = timing_gpu(t->judge);

	for (size_t i = 0; i < s->timing->n_cases && !s->timing->beaten; i++) {
		const struct timed_case *c = &s->timing->cases[i];
		struct stats_interval ms = timed_case_ms(c, 0);
		struct roofline r;

		roofline_of(&gpu, t->task, timing_case(t->task, c->name), 0, &r);
		if (roofline_is_beaten(&r, ms.mid))
			s->timing->beaten = mem_printf("case %s: %.4g ms, where the %s of the case need "
						       "%.4g ms on this GPU at least", c->name, ms.mid,
						       r.memory_ms > r.compute_ms ? "bytes" : "operations",
						       r.least_ms);
	}
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
	if (turn_take(&turn, j, true, &t->sandbox) == 0) {
		add_subjects(&s, &j->config.baselines);
		time_cases(&s);
		turn_end(&turn);
	}
	for (size_t i = 0; i < s.timing->n_subjects; i++)
		subject_release(&s.subjects[i]);
	if (json_len(s.gives) && !s.timing->error && !t->sandbox.code)
		check_results(&s);
	hold_against_physics(&s);
	json_free(s.gives);
	return s.timing;
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
	json_free(timing->notes);
	free(timing);
}
