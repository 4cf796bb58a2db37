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

/* What the rounds of one case say, in logarithms. */
struct logs {
	double *ratio;  /* baseline / candidate */
	double *self;   /* the baseline's first block / its second */
	size_t n;
	double floor;   /* by floor_ms */
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
	};
	double sum = 0;

	for (size_t i = 0; i < r->n; i++) {
		const double *candidate = r->ms + i * r->n_subjects * 2;
		const double *base = candidate + baseline * 2;

		if (!timed(candidate) || !timed(base))
			continue;
		l.ratio[l.n] = (log(base[0]) + log(base[1])
				- log(candidate[0]) - log(candidate[1])) / 2;
		l.self[l.n++] = log(base[0]) - log(base[1]);
		sum += log(base[0]) + log(base[1]);
	}
	l.floor = l.n ? r->floor_ms / exp(sum / (double)(2 * l.n)) : 0;
	return l;
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
	struct logs *logs = mem_zalloc(n_cases + 1, sizeof(*logs));
	struct stats_sample *ratios = mem_zalloc(n_cases + 1, sizeof(*ratios));
	struct stats_sample *selves = mem_zalloc(n_cases + 1, sizeof(*selves));
	struct stats_interval ratio, self;
	struct speedup s = { .rounds = n_cases ? SIZE_MAX : 0 };
	double processes = 0; /* of the cases' floors, which add up as what is independent does */

	for (size_t i = 0; i < n_cases; i++) {
		logs[i] = take_logs(&cases[i], baseline);
		ratios[i] = (struct stats_sample){ logs[i].ratio, logs[i].n };
		selves[i] = (struct stats_sample){ logs[i].self, logs[i].n };
		processes = hypot(processes, logs[i].floor / (double)n_cases);
		if (logs[i].n < s.rounds)
			s.rounds = logs[i].n;
	}
	ratio = stats_mean_of_medians(ratios, n_cases, seed);
	self = stats_mean_of_medians(selves, n_cases, seed);
	s.ratio = exp(ratio.mid);
	s.lo = exp(ratio.lo);
	s.hi = exp(ratio.hi);
	s.floor = expm1(fmax(fabs(self.lo), fabs(self.hi)));
	if (isfinite(s.floor))
		s.floor = fmax(s.floor, fmax(speedup_least_floor, processes));
	s.verdict = judge(&s);
	for (size_t i = 0; i < n_cases; i++) {
		free(logs[i].ratio);
		free(logs[i].self);
	}
	free(selves);
	free(ratios);
	free(logs);
	return s;
}

const char *speedup_verdict_name(enum speedup_verdict v)
{
	return v == SPEEDUP_FASTER ? "faster" : v == SPEEDUP_SLOWER ? "slower" : "same";
}
