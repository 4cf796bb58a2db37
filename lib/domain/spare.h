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

struct spare;

/* One that is ready, trusted as request_limits() has it; NULL when there is none. It is the caller's,
 * up to spare_become(). */
struct spare *spare_take(struct judge *j, struct device *d, bool trusted);

/* Has it do what p is to do, with shared memory and request as for part_start(); s is gone then. False,
 * and p has no child, when it cannot be told. */
bool spare_become(struct spare *s, struct part *p, const int shared[BOX_SHARED], struct json *request);

/* Has another one get ready, if the device may have one more of that kind; within the turn on it, which
 * lasts until it is, since it has the lock's descriptor. */
void spare_prepare(struct judge *j, struct device *d, bool trusted, const struct device_lock *turn);

/* Ends all of the device's. */
void spare_release_all(struct judge *j, struct device *d);

#endif
