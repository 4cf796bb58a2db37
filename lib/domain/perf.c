#include "domain/perf.h"

#include "domain/roofline.h"
#include "domain/stats.h"
#include "domain/task.h"

static void set_rate(struct json *to, const char *key, const struct json *task_case,
		     const char *count, double ms, double scale)
{
	double n = json_get_number(task_case, count, 0);

	if (n > 0)
		json_set_number(to, key, n / (ms * 1e-3) / scale);
}

static void set_speedup(struct json *to, const struct speedup *s)
{
	json_set_figure(to, "speedup", s->ratio);
	json_set_figure(to, "speedup_lo", s->lo);
	json_set_figure(to, "speedup_hi", s->hi);
	json_set_figure(to, "floor", s->floor);
	json_set_string(to, "verdict", speedup_verdict_name(s->verdict));
}

static struct json *base_record(const struct timing *timing, const struct timed_case *c,
				size_t baseline)
{
	struct json *one = json_new_object();
	struct speedup s = timing_speedup(timing, c, 1, baseline);

	json_set_string(one, "case", c->name);
	json_set_figure(one, "base_ms", timed_case_ms(c, baseline).mid);
	set_speedup(one, &s);
	return one;
}

static void set_state(struct json *to, const struct timed_case *c)
{
	if (c->state.clock_mhz >= 0)
		json_set_int(to, "clock_mhz", c->state.clock_mhz);
	if (c->state.power_w >= 0)
		json_set_int(to, "power_w", c->state.power_w);
	if (c->state.temperature_c >= 0)
		json_set_int(to, "temperature_c", c->state.temperature_c);
	if (c->throttled)
		json_set_int(to, "throttled", (int64_t)c->throttled);
}

static struct json *case_record(const struct timing *timing, const struct timed_case *c,
				size_t baseline, const struct trial *trial)
{
	const struct roofline_gpu gpu = timing_gpu(trial->device);
	const struct json *facts = task_case(trial->task, c->name);
	struct stats_interval t = timed_case_ms(c, 0);
	struct roofline r;
	struct speedup s = timing_speedup(timing, c, 1, baseline);
	struct json *one = json_new_object();

	json_set_string(one, "case", c->name);
	json_set_figure(one, "ms", t.mid);
	json_set_figure(one, "ms_lo", t.lo);
	json_set_figure(one, "ms_hi", t.hi);
	json_set_figure(one, "base_ms", timed_case_ms(c, baseline).mid);
	set_speedup(one, &s);
	set_rate(one, "gbps", facts, "bytes", t.mid, 1e9);
	set_rate(one, "tflops", facts, "flops", t.mid, 1e12);
	roofline_of(&gpu, trial->task, facts, 0, &r);
	roofline_set(one, &r, t.mid);
	json_set_int(one, "rounds", (int64_t)s.rounds);
	json_set_int(one, "processes", c->processes);
	json_set_figure(one, "empty_ms", c->empty_ms[0]);
	json_set_figure(one, "host_ms", c->host_ms);
	if (c->by_host)
		json_set_string(one, "clock", "host");
	set_state(one, c);
	return one;
}

/* Over all cases, which are equals. */
static struct speedup total(const struct timing *timing, size_t baseline)
{
	return timing_speedup(timing, timing->cases, timing->n_cases, baseline);
}

/* Whether a baseline was timed in every case. */
static bool is_whole(const struct timing *timing, size_t baseline)
{
	return total(timing, baseline).rounds >= STATS_LEAST;
}

static void set_total(struct json *to, const struct timing *timing, size_t baseline)
{
	struct speedup s = total(timing, baseline);

	set_speedup(to, &s);
}

static struct json *other_baseline(const struct timing *timing, size_t baseline)
{
	struct json *one = json_new_object(), *cases = json_new_array();

	json_set_string(one, "baseline", timing->names[baseline]);
	for (size_t i = 0; i < timing->n_cases; i++)
		json_push(cases, base_record(timing, &timing->cases[i], baseline));
	json_set(one, "cases", cases);
	set_total(one, timing, baseline);
	return one;
}

struct json *perf_record(const struct timing *timing, const struct trial *t)
{
	struct json *perf, *cases = json_new_array(), *others = json_new_array(), *peaks;
	const struct roofline_gpu gpu = timing_gpu(t->device);
	size_t first = 1;

	while (timing && first < timing->n_subjects && !is_whole(timing, first))
		first++;
	if (!timing || first >= timing->n_subjects) {
		json_free(cases);
		json_free(others);
		return NULL;
	}
	perf = json_new_object();
	json_set_string(perf, "device", t->judge->device);
	json_set_string(perf, "baseline", timing->names[first]);
	json_set_string(perf, "method", "interleaved");
	peaks = roofline_gpu_record(&gpu);
	if (json_first(peaks))
		json_set(perf, "peaks", peaks);
	else
		json_free(peaks);
	for (size_t i = 0; i < timing->n_cases; i++)
		json_push(cases, case_record(timing, &timing->cases[i], first, t));
	json_set(perf, "cases", cases);
	set_total(perf, timing, first);
	for (size_t b = first + 1; b < timing->n_subjects; b++)
		if (is_whole(timing, b))
			json_push(others, other_baseline(timing, b));
	if (json_len(others))
		json_set(perf, "others", others);
	else
		json_free(others);
	if (json_first(timing->notes))
		json_set(perf, "untimed", json_dup(timing->notes));
	return perf;
}

struct json *perf_untimed(const struct timing *timing)
{
	struct json *untimed;

	if (!timing || (!timing->note && !json_first(timing->notes)))
		return NULL;
	untimed = json_dup(timing->notes);
	if (timing->note)
		json_set_string(untimed, "candidate", timing->note);
	return untimed;
}
