#include "domain/devices.h"

#include "domain/metric.h"
#include "outside/device_lock.h"
#include "outside/gpu.h"

enum { WARM_UP = 3, SAMPLES = 11 };

static const uint64_t COPY_MAX = 1ULL << 30; /* four times the largest last-level cache */
static const double patience_s = 10;         /* for those who time something there */

struct copying {
	const struct gpu_driver *gpu;
	void *from, *to;
	struct gpu_event *before, *after;
	size_t bytes;
};

static int prepare(struct copying *c, struct err *e)
{
	const struct gpu_driver *g = c->gpu;

	return gpu_failed(g, g->memory_new(&c->from, c->bytes), e, "its memory cannot be had")
	       || gpu_failed(g, g->memory_new(&c->to, c->bytes), e, "its memory cannot be had")
	       || gpu_failed(g, g->fill(c->from, 1, c->bytes, NULL), e, "it cannot be written")
	       || gpu_failed(g, g->event_new(&c->before), e, "it gives no event")
	       || gpu_failed(g, g->event_new(&c->after), e, "it gives no event") ? e->code : 0;
}

static int copy_once(const struct copying *c, double *seconds, struct err *e)
{
	const struct gpu_driver *g = c->gpu;
	float ms = 0;

	if (gpu_failed(g, g->record(c->before, NULL), e, "it takes no event")
	    || gpu_failed(g, g->copy(c->to, c->from, c->bytes, NULL), e, "it does not copy")
	    || gpu_failed(g, g->record(c->after, NULL), e, "it takes no event")
	    || gpu_failed(g, g->wait(c->after), e, "it does not finish a copy")
	    || gpu_failed(g, g->elapsed(&ms, c->before, c->after), e, "it tells no time"))
		return e->code;
	*seconds = ms / 1e3;
	return 0;
}

static int sample(const struct copying *c, double *gbps, struct err *e)
{
	double seconds[SAMPLES], unused;

	for (int i = 0; i < WARM_UP; i++)
		if (copy_once(c, &unused, e))
			return e->code;
	for (int i = 0; i < SAMPLES; i++)
		if (copy_once(c, &seconds[i], e))
			return e->code;
	*gbps = 2 * (double)c->bytes / metric_median(seconds, SAMPLES) / 1e9;
	return 0;
}

static void finish(const struct copying *c)
{
	const struct gpu_driver *g = c->gpu;

	if (c->after)
		g->event_free(c->after);
	if (c->before)
		g->event_free(c->before);
	if (c->to)
		g->memory_free(c->to);
	if (c->from)
		g->memory_free(c->from);
}

static int copy_speed(const struct gpu_driver *g, int device, uint64_t memory, double *gbps,
		      struct err *e)
{
	struct copying c = { .gpu = g, .bytes = memory / 8 < COPY_MAX ? memory / 8 : COPY_MAX };
	int rc;

	if (gpu_failed(g, g->use(device), e, "it cannot be used"))
		return e->code;
	rc = prepare(&c, e);
	if (!rc)
		rc = sample(&c, gbps, e);
	finish(&c);
	return rc;
}

/* Alone on it: a copy beside kernels that are timed would tell a wrong figure, and make others
 * wrong. */
static int measure(const struct gpu_driver *g, int device, const struct gpu_device *d, double *gbps,
		   struct err *e)
{
	struct device_lock turn;
	int rc = device_lock_take(&turn, d->pci, true, patience_s, e);

	if (rc == 0)
		rc = copy_speed(g, device, d->memory_bytes, gbps, e);
	device_lock_drop(&turn);
	return rc;
}

/* A GPU that fails has its line, with the reason in place of the figures; one that others have
 * does not fail. */
static int add_line(struct buf *out, const struct gpu_driver *g, int device)
{
	struct err e = ERR_INIT;
	struct gpu_device d;
	double gbps = 0;

	if (gpu_failed(g, g->describe(device, &d), &e, "it does not say what it is")) {
		buf_addf(out, "%2d  %s\n", device, e.text);
		return e.code;
	}
	buf_addf(out, "%2d  %-26.26s %-7s %4d %4d %4llu KiB %6.1f GiB ", device, d.name, d.arch,
		 d.compute_units, d.wavefront, (unsigned long long)d.lds_bytes >> 10,
		 (double)d.memory_bytes / (1 << 30));
	if (measure(g, device, &d, &gbps, &e))
		buf_addf(out, "%10s\n    %s\n", "-", e.text);
	else
		buf_addf(out, "%5.0f GB/s\n", gbps);
	return e.code == ERR_TEMP ? 0 : e.code;
}

int devices_list(struct buf *out, struct err *e)
{
	const struct gpu_driver *g = gpu_open(e);
	int n = 0, working = 0;

	if (!g || gpu_failed(g, g->count(&n), e, "the GPUs cannot be counted"))
		return e->code;
	buf_addf(out, "%2s  %-26s %-7s %4s %4s %8s %10s %10s\n", "#", "GPU", "arch",
		 "CUs", "wave", "LDS", "memory", "copy");
	for (int i = 0; i < n; i++)
		working += add_line(out, g, i) == 0;
	return working ? 0 : err_set(e, ERR_SOFTWARE, "no GPU works, for the reasons above");
}
