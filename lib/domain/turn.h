/*
 * Turns on a GPU: kernels are checked side by side, and timed alone. Without a GPU a
 * turn is nothing. See outside/device_lock.h, which holds among processes, too. Where the
 * framework does not tell a GPU's address its number stands for it, which is the same for
 * all who may see the same GPUs.
 */
#ifndef GEAK_DOMAIN_TURN_H
#define GEAK_DOMAIN_TURN_H

#include "domain/device.h"
#include "outside/device_lock.h"

/* Waits for a turn; one that never comes is our failure, ERR_SOFTWARE. */
int turn_take(struct device_lock *turn, const struct device *d, bool alone, struct err *e);

/* Waits so many seconds at most: see device_lock_take(). */
int turn_try(struct device_lock *turn, const struct device *d, bool alone, double seconds,
	     struct err *e);

void turn_end(struct device_lock *turn);

#endif
