/* Huge pages for a process that is going to fork often. Owns nothing. */
#ifndef GEAK_OUTSIDE_HUGE_H
#define GEAK_OUTSIDE_HUGE_H

/*
 * Gathers this process's private memory into huge pages, now. A fork then copies one
 * table entry where it copied 512, and its end has as many fewer to take down. Where
 * the kernel cannot (before Linux 6.1) nothing changes.
 */
void huge_gather(void);

#endif
