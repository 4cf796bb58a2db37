/*
 * Who may use a GPU now, among all threads, processes and users of this machine: many at once
 * to check kernels, or one alone to time one.
 *
 * A lock is a file's (flock), so it ends with its holder however that ends. A struct device_lock
 * belongs to one thread at a time, from device_lock_take() to device_lock_drop(); a child that
 * is forked meanwhile holds it too, unless it executes another program, and so does one that is
 * sent the descriptor.
 */
#ifndef GEAK_OUTSIDE_DEVICE_LOCK_H
#define GEAK_OUTSIDE_DEVICE_LOCK_H

#include <stdbool.h>

#include "ground/err.h"

struct device_lock {
	int fd;   /* -1: not held */
};

#define DEVICE_LOCK_INIT { -1 }

/*
 * Takes a GPU by name, its PCI address say, alone or together with others who do not want it
 * alone. Whoever wants it alone is not overtaken: those who come later wait. Returns 0; ERR_TEMP
 * when it was not to be had within so many seconds; ERR_SOFTWARE when its file cannot be used.
 *
 * The files are in /tmp, which all users share, or in GEAK_LOCK_DIR.
 */
int device_lock_take(struct device_lock *l, const char *gpu, bool alone, double seconds,
		     struct err *e);

/* Also of one that is not held. */
void device_lock_drop(struct device_lock *l);

#endif
