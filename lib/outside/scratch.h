/*
 * A scratch folder that does not outlive its owner, however that ends. The
 * sweeper, a small process of its own, waits on a line that the owner holds; when
 * it closes, by a signal too, what is left of the folder goes.
 *
 * The owner of a struct scratch releases it; the path is the struct's.
 */
#ifndef GEAK_OUTSIDE_SCRATCH_H
#define GEAK_OUTSIDE_SCRATCH_H

#include <sys/types.h>

#include "ground/err.h"

struct scratch {
	char *path;      /* NULL until it is made */
	pid_t sweeper;
	int line;        /* our end of the sweeper's socket */
};

/* Starts the sweeper; called before there are threads. Makes no folder yet. */
int scratch_init(struct scratch *s, struct err *e);

/* Makes the folder, in $TMPDIR or /tmp, if it is not there yet. */
int scratch_make(struct scratch *s, struct err *e);

/* Removes the folder and everything in it. */
void scratch_release(struct scratch *s);

/* Removes a folder with everything in it, however deep and whatever its mode. Links
 * are not followed. Returns 0, or -1 with errno when something is left. */
int scratch_remove(const char *path);

#endif
