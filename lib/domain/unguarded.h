/*
 * Finds accesses to memory in a Triton kernel that nothing guards. Reads the
 * text as far as strings, comments and brackets go, not as Python.
 */
#ifndef GEAK_DOMAIN_UNGUARDED_H
#define GEAK_DOMAIN_UNGUARDED_H

#include <stddef.h>

/*
 * The line (counted from 1) of the first tl.load or tl.store that has neither a
 * mask nor a boundary_check; 0 when there is none. It is a suspicion, not a
 * fault: one scalar needs no mask.
 */
size_t unguarded_line(const char *source);

#endif
