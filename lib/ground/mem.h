/*
 * Allocation that does not return on failure. Every buffer that input can make
 * grow has a maximum of its own, so running out of memory is the machine's
 * state and not a record's doing: the process says so and exits with 70.
 */
#ifndef GEAK_GROUND_MEM_H
#define GEAK_GROUND_MEM_H

#include <stddef.h>

void *mem_alloc(size_t size) __attribute__((malloc, returns_nonnull));
void *mem_zalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *mem_realloc(void *old, size_t size) __attribute__((returns_nonnull));
char *mem_strdup(const char *s) __attribute__((malloc, returns_nonnull));
char *mem_strndup(const char *s, size_t len) __attribute__((malloc, returns_nonnull));

/* A formatted string; the caller frees it. */
char *mem_printf(const char *fmt, ...)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 2)));

#endif
