/*
 * Landlock: a process gives up, for good, every path that it was not granted, and
 * with newer kernels TCP, abstract sockets and signals to processes outside. Needs
 * neither root nor namespaces. Owns nothing.
 */
#ifndef GEAK_OUTSIDE_LANDLOCK_H
#define GEAK_OUTSIDE_LANDLOCK_H

#include "outside/grants.h"

/* The version of Landlock's interface that the kernel has; 0 for none. */
int landlock_abi(void);

/*
 * Confines the calling process to what g and own (n of them) grant. It must have
 * no-new-privileges set. Returns 0, or -1 with errno.
 */
int landlock_confine(const struct grants *g, const struct grant *own, size_t n);

#endif
