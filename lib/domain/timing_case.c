#include "domain/timing_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/mem.h"

enum {
	ROUNDS_LEAST = 10,
	ROUNDS_MOST = 40,
	ROUNDS_AGAIN = 4,        /* in each further process */
	GIVES_EVERY = 3,         /* rounds, of which one's results are shown to the oracle */
};

static const double case_seconds = 2;       /* for the rounds of a case, when they are not over */
static const double warm_ms = 100, warm_most_ms = 1000;
static const double warm_again_ms = 20; /* in a further process: the device is warm */
static const double block_ms = 40;          /* a block is about as long, where its calls let it */
static const double host_ms_allowed = 1;
static const double narrow = 0.004;         /* half of the interval: known well enough */
static const double tick_ms = 32e-6;        /* of NVIDIA's events; AMD's is finer */
static const int64_t places_bytes = 2LL << 30; /* of inputs that are there at once, at most, */
static const int64_t memory_share = 48;        /* and of the GPU's memory */

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
	size_t give_in, give_after; /* a result is asked for: round, and which of its two blocks */
};

/* Of a side that gave no answer. */
static const char *why_silent(const struct subject *s)
{
	const char *message = json_get_string(s->part->error, "message");

	if (s->why)
		return s->why;
	if (s->forged)
		return "something other than the judge's harness told the judge of its times";
	if (message)
		return message;
	return s->part->end == PART_DEADLINE ? "no answer while it was timed"
					     : "its process ended while it was timed";
}

/* A side gave no answer. Whether the others can go on without it. */
static bool leave_out(struct session *s, size_t subject)
{
	const char *why = why_silent(&s->subjects[subject]);
	char *line;

	if (subject == 0 || s->subjects[subject].failure.code)
		return false;
	/* torch.compile's errors go on for pages. */
	line = mem_strndup(why, strcspn(why, "\n"));
	json_set_string(s->timing->notes, s->timing->names[subject], line);
	free(line);
	s->out[subject] = true;
	s->timing->baseline_failed = true;
	return true;
}

/* The block's median without the cost of the window itself; NAN without an answer. */
static double block_median(struct at_case *a, size_t subject, bool real, double *wall_ms)
{
	struct session *s = a->s;
	struct block b;
	double ms;

	if (s->out[subject]
	    || !subject_block(&s->subjects[subject], a->calls, real, &b))
		return NAN;
	if (wall_ms)
		*wall_ms = b.wall_ms;
	ms = stats_grouped_median(b.ms, b.n, tick_ms) - a->c->empty_ms[subject];
	return ms > tick_ms ? ms : tick_ms; /* the window cannot tell it from nothing */
}

/* An empty window is the device's: who says that one costs more would have the more taken off. */
static void share_least_empty(struct at_case *a)
{
	double least = INFINITY;

	for (size_t i = 0; i < a->s->timing->n_subjects; i++)
		if (!a->s->out[i])
			least = fmin(least, a->c->empty_ms[i]);
	for (size_t i = 0; i < a->s->timing->n_subjects; i++)
		a->c->empty_ms[i] = least;
}

static bool get_ready(struct at_case *a)
{
	struct session *s = a->s;
	const struct json *its = json_at(s->trial->oracle->cases, (size_t)a->number);
	const struct json *span = json_get(its, "span");
	int64_t bytes = json_int(json_at(span, 1), 0) - json_int(json_at(span, 0), 0);
	int64_t room = places_bytes, memory = (int64_t)s->trial->device->gpu.memory_bytes;

	/* Every side has such places, and keeps as many results. */
	if (memory > 0 && memory / memory_share < room)
		room = memory / memory_share;
	a->calls = bytes > 0 ? room / bytes : SUBJECT_CALLS_MAX;
	a->calls = a->calls < 2 ? 2 : a->calls > SUBJECT_CALLS_MAX ? SUBJECT_CALLS_MAX : a->calls;
	for (size_t i = 0; i < s->timing->n_subjects; i++) {
		a->c->empty_ms[i] = s->out[i] ? 0 : subject_get_ready(&s->subjects[i], a->number,
								      a->calls);
		if (!(a->c->empty_ms[i] >= 0) && !leave_out(s, i))
			return false;
	}
	share_least_empty(a);
	return true;
}

/* Until the device has been busy for a while and the candidate takes as long as before. */
static bool warm_up(struct at_case *a)
{
	int64_t start = child_clock_ns();
	double before, longest = 0, least = a->c->ms ? warm_again_ms : warm_ms;
	double most = a->c->ms ? warm_ms : warm_most_ms;

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
	} while (ms_since(start) < least
		 || (!(fabs(a->ms[0] / before - 1) < 0.02) && ms_since(start) < most));
	return true;
}

/* The candidate's calls by our own clock: what a block takes longer than one without them. */
static bool hold_against_clock(struct at_case *a)
{
	double least_with = INFINITY, least_without = INFINITY, wall = NAN;

	for (int i = 0; i < 3; i++) {
		if (!isfinite(block_median(a, 0, true, &wall)))
			return false;
		least_with = fmin(least_with, wall);
		if (!isfinite(block_median(a, 0, false, &wall)))
			return false;
		least_without = fmin(least_without, wall);
	}
	a->c->host_ms = fmax(0, (least_with - least_without) / (double)a->calls);
	/* To queue a call takes the host some time, too, with many launches most of a millisecond;
	 * and what it returned was copied. */
	a->c->by_host = a->c->host_ms > 2 * a->ms[0] + host_ms_allowed;
	return true;
}

static bool give(struct at_case *a)
{
	size_t call = stats_random_below(&a->s->random, (size_t)a->calls);
	struct json *given = subject_give(&a->s->subjects[0], (int64_t)call);

	if (given)
		json_push(a->s->gives, given);
	return given;
}

/* Never known before: neither the first rounds nor the last are without. */
static void draw_give(struct at_case *a, size_t round)
{
	struct stats_random *random = &a->s->random;

	a->give_in = round + stats_random_below(random, GIVES_EVERY);
	a->give_after = stats_random_below(random, 2);
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
		if (i == 0 && a->give_in == round && a->give_after == (k >= n) && !give(a))
			return false;
	}
	if (a->c->by_host)
		ms[0] = ms[1] = a->c->host_ms;
	return true;
}

/* Whether the device was slowed since it was last asked, or is now. */
static bool is_throttled(struct at_case *a)
{
	struct telemetry *telemetry = a->s->trial->device->telemetry;
	struct err ignored = ERR_INIT;

	return telemetry && !telemetry_read(telemetry, &a->c->state, &ignored)
	       && telemetry_throttled(&a->c->state);
}

/* No better than another process would tell, either. */
static bool is_known(const struct at_case *a)
{
	for (size_t i = 1; i < a->s->timing->n_subjects; i++) {
		struct speedup s = timing_speedup(a->s->timing, a->c, 1, i);
		double apart = timing_apart_ms(a->s->timing, i) / timed_case_ms(a->c, i).mid;

		if (!a->s->out[i] && !(s.hi / s.lo - 1 < 2 * fmax(narrow, apart)))
			return false;
	}
	return true;
}

/* Rounds until enough is known; in a further process, as many as have to be. */
static bool run_rounds(struct at_case *a)
{
	size_t width = 2 * a->s->timing->n_subjects;
	bool first = !a->c->ms;
	struct rounds *r = &a->c->rounds;
	int64_t start = child_clock_ns();
	size_t before = r->n, most = before + (first ? ROUNDS_MOST : ROUNDS_AGAIN);

	a->c->ms = mem_realloc(a->c->ms, most * width * sizeof(*a->c->ms));
	r->ms = a->c->ms;
	r->n_subjects = a->s->timing->n_subjects;
	a->c->processes++;
	is_throttled(a); /* what was before the first round is not its affair */
	for (size_t round = 0; r->n < most; round++) {
		if (round % GIVES_EVERY == 0)
			draw_give(a, r->n);
		if (!run_round(a, a->c->ms + r->n * width))
			return false;
		if (is_throttled(a))
			timed_case_set_aside(a->c, r->n);
		r->n++;
		if (first && r->n - a->c->throttled >= ROUNDS_LEAST
		    && (is_known(a) || ms_since(start) > 1e3 * case_seconds))
			break;
	}
	a->c->ends[a->c->processes - 1] = r->n;
	r->ends = a->c->ends;
	r->n_processes = a->c->processes;
	return true;
}

bool timing_one(struct session *s, struct timed_case *c, int64_t number)
{
	struct at_case a = { .s = s, .c = c, .number = number };

	c->state = (struct telemetry_sample){ -1, -1, -1, -1 };
	return get_ready(&a) && warm_up(&a) && (c->ms || hold_against_clock(&a)) && run_rounds(&a);
}
