/*
 * Reads a descriptor line by line, with a maximum length and without ever
 * losing its place: of a line that is too long the beginning is kept, the rest
 * is skipped, and the next line is read as usual.
 * A line_reader owns its buffer, not the descriptor.
 */
#ifndef GEAK_GROUND_LINE_H
#define GEAK_GROUND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ground/buf.h"

enum line_status {
	LINE_OK,
	LINE_TOO_LONG, /* text holds the first LINE_KEPT bytes */
	LINE_EOF,
	LINE_AGAIN,    /* nothing to read now, and the caller did not want to wait */
	LINE_ERROR,    /* errno says why */
};

enum { LINE_KEPT = 4096 };

struct line_reader {
	int fd;
	size_t max;
	struct buf pending; /* what was read; lines are handed out where they lie */
	size_t start;       /* where the next line begins in pending */
	size_t scanned;     /* bytes after start known to hold no newline */
	size_t skipped;     /* bytes of an overlong line dropped so far */
	bool eof;
};

struct line {
	const char *text; /* valid until the next call; no newline; NUL-terminated */
	size_t len;
	size_t full_len;  /* what the line really had */
	bool complete;    /* it ended in a newline */
};

void line_init(struct line_reader *r, int fd, size_t max);
void line_release(struct line_reader *r);

/* Nothing but blanks, tabs and carriage returns. */
bool line_is_blank(const struct line *line);

/* The next line. With wait false it never blocks. */
enum line_status line_next(struct line_reader *r, bool wait, struct line *out);

#endif
