/*
 * One of the devices that a judge has: a GPU, or the interpreter in place of one. Candidates
 * take a place on it, and a GPU that has failed gives out no more.
 *
 * A struct device belongs to its judge, and what hangs on it to the device; device_release()
 * frees that. Several threads may use one at once.
 */
#ifndef GEAK_DOMAIN_DEVICE_H
#define GEAK_DOMAIN_DEVICE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "domain/probe.h"
#include "ground/err.h"
#include "outside/telemetry.h"
#include "records/json.h"

struct judge;
struct oracle;
struct spare;

enum {
	DEVICES_MAX = 16,
	DEVICE_NONE = -1, /* the number of the interpreter, which is no GPU */
};

struct device {
	int number;              /* as geak-eval --list-devices has it, or DEVICE_NONE */
	struct probe gpu;        /* empty without a GPU */
	struct json *facts;      /* of prompts/arch about it, or NULL */
	double copy_gbs;         /* how fast it copies memory, as measured; NAN */
	uint64_t flush_bytes;    /* that push everything else out of its caches; 0: not known */
	struct telemetry *telemetry; /* of the GPU, or NULL */
	struct oracle *idle_oracles; /* kept for the next candidate of the same task */
	size_t n_idle_oracles;
	struct spare *spares;    /* see domain/spare.h */
	size_t spares_coming[2]; /* that are being started: not trusted ones, trusted ones */
	long places;             /* for candidates, that are free */
	bool measured;
	bool lost;               /* it has failed and is set aside */
	pthread_mutex_t lock;    /* for whoever measures or tries it */
};

void device_init(struct device *d, int number, long places);

/*
 * Waits for a place on a device that works, the one with the most of them; what is to be known
 * for timing is measured the first time. NULL, with ERR_SOFTWARE, when all are set aside.
 */
struct device *device_take(struct judge *j, struct err *e);

void device_give(struct judge *j, struct device *d);

/*
 * Whether it still works: for when something went wrong on it. One that fails at the smallest
 * task twice in a row is set aside, with a message on standard error.
 */
bool device_works(struct judge *j, struct device *d);

/* "GPU 1 (0000:c1:00.0)", for a message; the caller frees it. */
char *device_name(const struct device *d);

/* {"index":1,"pci":"0000:c1:00.0"}, which the caller frees; NULL where there is no GPU. */
struct json *device_record(const struct device *d);

/*
 * For tests: GPUs that are not there, each judged by the interpreter. GEAK_PRETEND_GPUS names a
 * folder with a file for each, named by its number, that says how it fares now: "works", "fails",
 * "hangs" or "full".
 */
bool device_pretended(void);

/* How it fares: the caller frees it; NULL when it is none of those. */
char *device_pretence(const struct device *d);

/* Ends the processes that wait for work on n devices: all are told to before any is waited for, since
 * a driver takes its time over each. */
void devices_empty(struct judge *j, struct device *d, size_t n);

void device_release(struct device *d);

#endif
