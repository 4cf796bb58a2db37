/* Huge pages for a process that is going to fork often. */
#ifndef GEAK_OUTSIDE_HUGE_H
#define GEAK_OUTSIDE_HUGE_H

#include <stddef.h>

/* For the environment of such a process: its heap lies in huge pages from the start (glibc 2.35). */
#define HUGE_HEAP "glibc.malloc.hugetlb=1"

/* Large pieces of memory, which the heap has no part in, beside each other in huge pages; NULL when
 * there is none. For one thread. */
void *huge_alloc(size_t size);
void huge_free(void *piece, size_t size);

/*
 * Gathers the rest of this process's private memory into huge pages, now. A fork then copies one
 * table entry where it copied 512, and its end has as many fewer to take down. Where
 * the kernel cannot (before Linux 6.1) nothing changes.
 */
void huge_gather(void);

#endif
