#include "domain/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "domain/arch.h"
#include "domain/judge.h"
#include "domain/oracle.h"
#include "domain/spare.h"
#include "domain/turn.h"
#include "ground/mem.h"
#include "ground/text.h"

enum { FAILURES_MAX = 2 }; /* of the smallest task, in a row */

static const double measuring_patience_s = 30;
static const double works_patience_s = 30, pretended_patience_s = 3;
static const struct timespec pause = { .tv_sec = 2 }; /* in which a driver may have reset it */

void device_init(struct device *d, int number, long places)
{
	*d = (struct device){ .number = number, .copy_gbs = NAN, .places = places };
	pthread_mutex_init(&d->lock, NULL);
}

char *device_name(const struct device *d)
{
	return d->gpu.pci ? mem_printf("GPU %d (%s)", d->number, d->gpu.pci)
			  : mem_printf("GPU %d", d->number);
}

struct json *device_record(const struct device *d)
{
	struct json *gpu;

	if (d->number == DEVICE_NONE)
		return NULL;
	gpu = json_new_object();
	json_set_int(gpu, "index", d->number);
	if (d->gpu.pci)
		json_set_string(gpu, "pci", d->gpu.pci);
	return gpu;
}

bool device_pretended(void)
{
	return getenv("GEAK_PRETEND_GPUS");
}

char *device_pretence(const struct device *d)
{
	const char *folder = getenv("GEAK_PRETEND_GPUS");
	char *path, word[16];
	FILE *f;

	if (!folder || d->number == DEVICE_NONE)
		return NULL;
	path = mem_printf("%s/%d", folder, d->number);
	f = fopen(path, "re");
	free(path);
	if (!f || fscanf(f, "%15s", word) != 1)
		strcpy(word, "fails");
	if (f)
		fclose(f);
	return mem_strdup(word);
}

/* -- what is to be known of it before anything is timed there */

/* Alone on the GPU; where others do not let us, it is not measured. */
static double measure_copy(struct judge *j, const struct device *d)
{
	struct device_lock turn;
	struct err ignored = ERR_INIT;
	double gbs = NAN;

	if (turn_try(&turn, d, true, measuring_patience_s, &ignored) == 0)
		gbs = probe_copy(request_runner(j), j->scratch.path, d->number);
	turn_end(&turn);
	return gbs;
}

static void measure(struct judge *j, struct device *d)
{
	struct err ignored = ERR_INIT;

	pthread_mutex_lock(&d->lock);
	if (!d->measured && j->times && d->gpu.pci)
		d->telemetry = telemetry_open(d->gpu.pci, &ignored);
	if (!d->measured && j->times && j->config.use_gpu) {
		/* Where nobody has written about a GPU less is known, and it is timed all the same. */
		arch_of_device(d->gpu.target, d->gpu.compute_units, d->gpu.memory_bytes, &d->facts,
			       &ignored);
		d->flush_bytes = 2 * (uint64_t)json_get_int(d->facts, "last_level_cache_bytes", 0);
		d->copy_gbs = measure_copy(j, d);
	}
	d->measured = true;
	pthread_mutex_unlock(&d->lock);
}

/* -- places */

/* The one with the most free places, or NULL; *working: how many are not set aside. */
static struct device *choose(struct judge *j, size_t *working)
{
	struct device *best = NULL;

	*working = 0;
	for (size_t i = 0; i < j->n_devices; i++) {
		struct device *d = &j->devices[i];

		*working += !d->lost;
		if (!d->lost && d->places > 0 && (!best || d->places > best->places))
			best = d;
	}
	return best;
}

static struct device *wait_for_place(struct judge *j, struct err *e)
{
	struct device *d;
	size_t working;

	pthread_mutex_lock(&j->lock);
	while (!(d = choose(j, &working)) && working)
		pthread_cond_wait(&j->place, &j->lock);
	if (d)
		d->places--;
	else
		*e = j->why;
	pthread_mutex_unlock(&j->lock);
	return d;
}

struct device *device_take(struct judge *j, struct err *e)
{
	struct device *d;

	while ((d = wait_for_place(j, e))) {
		bool lost;

		measure(j, d); /* which waits while somebody tries it */
		pthread_mutex_lock(&j->lock);
		lost = d->lost;
		pthread_mutex_unlock(&j->lock);
		if (!lost)
			break;
		device_give(j, d);
	}
	return d;
}

void device_give(struct judge *j, struct device *d)
{
	pthread_mutex_lock(&j->lock);
	d->places++;
	pthread_cond_broadcast(&j->place);
	pthread_mutex_unlock(&j->lock);
}

/* -- whether it works */

/* It, and its oracles with it; when it was the last one, nothing can go on. */
static void set_aside(struct judge *j, struct device *d, const struct err *why)
{
	char *name = device_name(d);
	size_t left;

	pthread_mutex_lock(&j->lock);
	d->lost = true;
	choose(j, &left);
	if (!left && !j->why.code)
		err_set(&j->why, ERR_SOFTWARE, "no GPU is left to judge on, the last being %s; see to "
			"its driver, or choose others with --devices, and judge again what came "
			"out as an error", name);
	/* Told before anyone can learn that none is left: that is then the last sentence. */
	text_complain("geak-eval", "%s is set aside: %s; %s", name, why->text,
		      left ? "the others go on" : "it was the last");
	pthread_cond_broadcast(&j->place);
	pthread_mutex_unlock(&j->lock);
	devices_empty(j, d, 1);
	free(name);
}

/* Others that check may do so meanwhile; who times is not disturbed. */
static bool try(struct judge *j, const struct device *d, struct err *e)
{
	struct device_lock turn;
	struct err ignored = ERR_INIT;
	char *pretence = device_pretence(d);
	bool works;

	turn_take(&turn, d, false, &ignored); /* one that cannot be had is no fault of the GPU's */
	works = probe_works(request_runner(j), j->scratch.path, d->number, pretence,
			    pretence ? pretended_patience_s : works_patience_s, e) == 0;
	turn_end(&turn);
	free(pretence);
	return works;
}

bool device_works(struct judge *j, struct device *d)
{
	struct err why = ERR_INIT;
	bool works = d->number == DEVICE_NONE;

	spare_free_all(spare_dismiss_all(j, d)); /* their contexts may have been lost with another's */
	pthread_mutex_lock(&d->lock);
	for (int i = 0; !works && !d->lost && i < FAILURES_MAX; i++) {
		if (i)
			nanosleep(&pause, NULL);
		works = try(j, d, &why);
	}
	if (!works && !d->lost)
		set_aside(j, d, &why);
	pthread_mutex_unlock(&d->lock);
	return works;
}

void devices_empty(struct judge *j, struct device *d, size_t n)
{
	struct oracle *oracles[DEVICES_MAX];
	struct spare *spares[DEVICES_MAX];

	for (size_t i = 0; i < n; i++) {
		oracles[i] = oracle_dismiss_all(j, &d[i]);
		spares[i] = spare_dismiss_all(j, &d[i]);
	}
	for (size_t i = 0; i < n; i++) {
		oracle_free_all(oracles[i]);
		spare_free_all(spares[i]);
	}
}

void device_release(struct device *d)
{
	probe_release(&d->gpu);
	json_free(d->facts);
	telemetry_free(d->telemetry);
	pthread_mutex_destroy(&d->lock);
}
