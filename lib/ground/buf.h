/*
 * A growable byte buffer that is always NUL-terminated and has a maximum.
 * A buf owns its bytes; buf_release() frees them, buf_detach() hands them over.
 *
 * Going past the maximum adds nothing more and sets a flag that stays: append
 * freely, then ask buf_overflowed() once.
 */
#ifndef GEAK_GROUND_BUF_H
#define GEAK_GROUND_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct buf {
	char *data;     /* never NULL after buf_init() */
	size_t len;     /* bytes in use, the final NUL not counted */
	size_t cap;     /* bytes allocated; 0 while data is the shared empty string */
	size_t max;     /* len never exceeds it */
	bool overflow;  /* an append did not fit */
};

void buf_init(struct buf *b, size_t max);
void buf_release(struct buf *b);

/* Empties the buffer and clears the overflow flag; keeps the memory. */
void buf_reset(struct buf *b);

/* Appends. Each returns 0, or -1 when it did not fit; nothing is then added. */
int buf_add(struct buf *b, const void *data, size_t len);
int buf_adds(struct buf *b, const char *s);
int buf_addc(struct buf *b, char c);
int buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int buf_vaddf(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* Room for extra more bytes at data + len; NULL when they would not fit. */
char *buf_reserve(struct buf *b, size_t extra);

/* Shortens to len; a larger len is ignored. */
void buf_truncate(struct buf *b, size_t len);

/* Drops the first n bytes. */
void buf_consume(struct buf *b, size_t n);

/* The bytes, now the caller's to free(); the buffer is empty again. */
char *buf_detach(struct buf *b);

static inline bool buf_overflowed(const struct buf *b)
{
	return b->overflow;
}

#endif
