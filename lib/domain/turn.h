/*
 * Turns on a GPU: kernels are checked side by side, and timed alone. Without a GPU a
 * turn is nothing. See outside/device_lock.h, which holds among processes, too.
 */
#ifndef GEAK_DOMAIN_TURN_H
#define GEAK_DOMAIN_TURN_H

#include "domain/device.h"
#include "outside/device_lock.h"

/* Waits for a turn; one that never comes is our failure, ERR_SOFTWARE. */
int turn_take(struct device_lock *turn, const struct device *d, bool alone, struct err *e);

void turn_end(struct device_lock *turn);

#endif
