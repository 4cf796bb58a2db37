#include "ground/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/mem.h"

enum { FIRST_ALLOC = 64 };

static char empty[1];

void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){ .data = empty, .max = max };
}

void buf_release(struct buf *b)
{
	if (b->cap)
		free(b->data);
	buf_init(b, b->max);
}

void buf_reset(struct buf *b)
{
	b->overflow = false;
	buf_truncate(b, 0);
}

char *buf_reserve(struct buf *b, size_t extra)
{
	size_t need, cap;

	if (b->overflow || extra > b->max - b->len) {
		b->overflow = true;
		return NULL;
	}
	need = b->len + extra + 1;
	if (need > b->cap) {
		cap = b->cap ? b->cap : FIRST_ALLOC;
		while (cap < need)
			cap *= 2;
		if (cap > b->max + 1)
			cap = b->max + 1;
		b->data = mem_realloc(b->cap ? b->data : NULL, cap);
		b->data[b->len] = '\0';
		b->cap = cap;
	}
	return b->data + b->len;
}

int buf_add(struct buf *b, const void *data, size_t len)
{
	char *end = buf_reserve(b, len);

	if (!end)
		return -1;
	if (len)
		memcpy(end, data, len);
	b->len += len;
	b->data[b->len] = '\0';
	return 0;
}

int buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

int buf_addc(struct buf *b, char c)
{
	return buf_add(b, &c, 1);
}

int buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	va_list copy;
	char *end;
	int n;

	va_copy(copy, ap);
	n = vsnprintf(NULL, 0, fmt, copy);
	va_end(copy);
	if (n < 0)
		return -1;
	end = buf_reserve(b, (size_t)n);
	if (!end)
		return -1;
	if (n > 0)
		vsnprintf(end, (size_t)n + 1, fmt, ap);
	b->len += (size_t)n;
	return 0;
}

int buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = buf_vaddf(b, fmt, ap);
	va_end(ap);
	return rc;
}

void buf_truncate(struct buf *b, size_t len)
{
	if (len < b->len) {
		b->len = len;
		b->data[len] = '\0';
	}
}

void buf_consume(struct buf *b, size_t n)
{
	if (n == 0)
		return;
	if (n >= b->len) {
		buf_truncate(b, 0);
		return;
	}
	memmove(b->data, b->data + n, b->len - n);
	buf_truncate(b, b->len - n);
}

char *buf_detach(struct buf *b)
{
	char *data = b->cap ? b->data : mem_strdup("");

	buf_init(b, b->max);
	return data;
}
