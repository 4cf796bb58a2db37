/*
 * Spare children: processes that have met the GPU already, and wait to be told what they are.
 *
 * A process meets a GPU by making a context there, which a driver does for one at a time; while
 * many candidates are judged side by side that is the most part of what a short one waits for. A
 * spare has made its own meanwhile. It serves one candidate, or as the oracle of one task, as any
 * other child does, and runs nothing of anybody's before.
 *
 * Spares belong to their device. There are none where times are taken: a context that is being
 * made would disturb those.
 */
#ifndef GEAK_DOMAIN_SPARE_H
#define GEAK_DOMAIN_SPARE_H

#include "domain/judge.h"
#include "domain/part.h"
#include "outside/device_lock.h"

/* Starts p, as part_start() does, with the limits of one that is trusted or not: by a spare if there is
 * one that is ready and it may, which *spared tells. 0 or an error's code. */
int spare_start(struct part *p, struct judge *j, struct device *d, bool trusted, bool may,
		const int shared[BOX_SHARED], struct json *request, bool *spared, struct err *e);

/* Has another one get ready, if the device may have one more of that kind; within the turn on it, which
 * lasts until it is, since it has the lock's descriptor. */
void spare_prepare(struct judge *j, struct device *d, bool trusted, const struct device_lock *turn);

/* Takes all of the device's off it and has them end; spare_free_all() waits for that. */
struct spare *spare_dismiss_all(struct judge *j, struct device *d);

void spare_free_all(struct spare *dismissed);

#endif
