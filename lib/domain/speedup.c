#include "domain/speedup.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "domain/stats.h"
#include "ground/mem.h"

/* Half way to the 3 % that are to be found: where two processes differ by 0.5 %, one standard
 * deviation, both errors are still far below one in a hundred. At 1 % five in a hundred kernels
 * would not be the same as themselves, at 2 % two or three of those 3 % slower not be found. */
const double speedup_least_floor = 0.015;

const double speedup_outermost = 2.6;

enum { KNOWN_BEFORE = 2 }; /* degrees of freedom that apart_ms counts for */

/* What the rounds of one case say, in logarithms. */
struct logs {
	double *ratio;  /* baseline / candidate */
	double *self;   /* the baseline's first block / its second */
	size_t n;
	size_t *ends;   /* as in struct rounds, of those that count */
	size_t n_processes;
	double apart;   /* by apart_ms */
};

static bool timed(const double *blocks)
{
	return isfinite(blocks[0]) && blocks[0] > 0 && isfinite(blocks[1]) && blocks[1] > 0;
}

static struct logs take_logs(const struct rounds *r, size_t baseline)
{
	struct logs l = {
		.ratio = mem_zalloc(r->n + 1, sizeof(*l.ratio)),
		.self = mem_zalloc(r->n + 1, sizeof(*l.self)),
		.ends = mem_zalloc(r->n_processes + 1, sizeof(*l.ends)),
	};
	double sum = 0;

	for (size_t i = 0, process = 0; i < r->n; i++) {
		const double *candidate = r->ms + i * r->n_subjects * 2;
		const double *base = candidate + baseline * 2;

		if (timed(candidate) && timed(base)) {
			l.ratio[l.n] = (log(base[0]) + log(base[1])
					- log(candidate[0]) - log(candidate[1])) / 2;
			l.self[l.n++] = log(base[0]) - log(base[1]);
			sum += log(base[0]) + log(base[1]);
		}
		if (process < r->n_processes && i + 1 == r->ends[process]) {
			process++;
			if (l.n > (l.n_processes ? l.ends[l.n_processes - 1] : 0))
				l.ends[l.n_processes++] = l.n;
		}
	}
	l.apart = l.n ? r->apart_ms / exp(sum / (double)(2 * l.n)) : 0;
	return l;
}

static void free_logs(struct logs *l)
{
	free(l->ratio);
	free(l->self);
	free(l->ends);
}

static struct stats_interval median(const double *values, size_t n, uint64_t seed)
{
	return stats_mean_of_medians(&(struct stats_sample){ values, n }, 1, seed);
}

static struct stats_interval ratio_of(struct logs *l, uint64_t seed)
{
	struct stats_interval t;
	double *medians;

	if (l->n_processes < 2 || l->n < STATS_LEAST)
		return median(l->ratio, l->n, seed);
	medians = mem_zalloc(l->n_processes, sizeof(*medians));
	for (size_t p = 0, from = 0; p < l->n_processes; from = l->ends[p++])
		medians[p] = stats_grouped_median(l->ratio + from, l->ends[p] - from, 0);
	t = stats_mean_of_few(medians, l->n_processes, l->apart, KNOWN_BEFORE);
	free(medians);
	return t;
}

/* What is independent adds up so: the mean of n, each lo and hi away from its middle. */
static void add(struct stats_interval *sum, struct stats_interval one, double n)
{
	double lo = hypot(sum->mid - sum->lo, (one.mid - one.lo) / n);
	double hi = hypot(sum->hi - sum->mid, (one.hi - one.mid) / n);

	sum->mid += one.mid / n;
	sum->lo = sum->mid - lo;
	sum->hi = sum->mid + hi;
}

static enum speedup_verdict judge(const struct speedup *s)
{
	/* A floor that is unknown holds everything. */
	if (s->ratio > 1 + s->floor && s->lo > 1)
		return SPEEDUP_FASTER;
	if (s->ratio < 1 / (1 + s->floor) && s->hi < 1)
		return SPEEDUP_SLOWER;
	return SPEEDUP_SAME;
}

struct speedup speedup_of(const struct rounds *cases, size_t n_cases, size_t baseline,
			  uint64_t seed)
{
	double none = n_cases ? 0 : NAN;
	struct stats_interval ratio = { none, none, none }, self = ratio;
	struct speedup s = { .rounds = n_cases ? SIZE_MAX : 0 };
	double elsewhere = 0; /* what other processes would show */

	for (size_t i = 0; i < n_cases; i++) {
		struct logs l = take_logs(&cases[i], baseline);

		if (l.n < s.rounds)
			s.rounds = l.n;
		add(&self, median(l.self, l.n, seed), (double)n_cases);
		add(&ratio, ratio_of(&l, seed), (double)n_cases);
		if (l.n_processes < 2)
			elsewhere = hypot(elsewhere, speedup_outermost * l.apart / (double)n_cases);
		free_logs(&l);
	}
	s.ratio = exp(ratio.mid);
	s.lo = exp(ratio.lo);
	s.hi = exp(ratio.hi);
	s.floor = expm1(fmax(fabs(self.lo), fabs(self.hi)));
	if (isfinite(s.floor))
		s.floor = fmax(s.floor, fmax(speedup_least_floor, elsewhere));
	s.verdict = judge(&s);
	return s;
}

bool speedup_is_open(const struct speedup *s)
{
	double edge = 1 + s->floor;

	return (s->lo < edge && s->hi > edge) || (s->lo < 1 / edge && s->hi > 1 / edge);
}

const char *speedup_verdict_name(enum speedup_verdict v)
{
	return v == SPEEDUP_FASTER ? "faster" : v == SPEEDUP_SLOWER ? "slower" : "same";
}
