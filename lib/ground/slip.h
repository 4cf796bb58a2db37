/* A misspelt name, and what was meant. */
#ifndef GEAK_GROUND_SLIP_H
#define GEAK_GROUND_SLIP_H

#include <stddef.h>

/*
 * The one of the n names in known that name is a slip of: a letter left out, added, replaced, or
 * two that changed places; in a name of five letters or more two such slips. NULL when name is
 * itself known, or like none of them.
 */
const char *slip_of(const char *name, const char *const *known, size_t n);

#endif
