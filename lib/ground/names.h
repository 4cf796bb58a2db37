/*
 * Numbers names 0, 1, 2... in the order in which they are first seen.
 * A names owns its copies of them; they stay where they are until it is released.
 */
#ifndef GEAK_GROUND_NAMES_H
#define GEAK_GROUND_NAMES_H

#include <stddef.h>

struct names {
	char **list;
	size_t count, cap;
	size_t *slots;      /* 1 + the number of the name that hashes here; 0 is free */
	size_t slot_count;  /* a power of two, or 0 */
};

#define NAMES_NONE ((size_t)-1)

void names_init(struct names *n);
void names_release(struct names *n);

/* The number of name, which is added when it is new. */
size_t names_add(struct names *n, const char *name);

/* The number of name, or NAMES_NONE. */
size_t names_find(const struct names *n, const char *name);

#endif
