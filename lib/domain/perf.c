#include "domain/perf.h"

#include <math.h>

static void set_rate(struct json *to, const char *key, const struct json *task_case,
		     const char *count, double ms, double scale)
{
	double n = json_get_number(task_case, count, 0);

	if (n > 0)
		json_set_number(to, key, n / (ms * 1e-3) / scale);
}

/* By method these times are a median of events and no more: no interval, and so no verdict
 * on them. */
struct json *perf_record(const struct trial *t)
{
	struct json *perf, *cases = json_new_array();
	const struct json *c;
	double log_sum = 0;
	size_t n = 0;

	for (c = json_first(json_get(t->task, "cases")); c; c = json_next(c)) {
		const char *name = json_get_string(c, "name");
		double ms = json_get_number(t->times, name, 0);
		double base = t->oracle ? json_get_number(t->oracle->base_times, name, 0) : 0;
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
