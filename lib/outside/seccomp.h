/*
 * The system calls that a child does without: those that reach other processes, the
 * network, mounts and namespaces, the kernel itself, and those whose doors have been
 * broken more often than a kernel for a GPU needs them. This is the only file pair
 * that knows libseccomp; the filter is made once and owned here.
 */
#ifndef GEAK_OUTSIDE_SECCOMP_H
#define GEAK_OUTSIDE_SECCOMP_H

#include <stdbool.h>

/* Makes the filter. False when the kernel takes none. */
bool seccomp_prepare(bool gpu);

/* Puts the calling process and all that it will start behind it; it must have
 * no-new-privileges set. Returns 0, or -1 with errno. */
int seccomp_confine(void);

#endif
