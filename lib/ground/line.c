#include "ground/line.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 64 * 1024 };

void line_init(struct line_reader *r, int fd, size_t max)
{
	*r = (struct line_reader){ .fd = fd, .max = max };
	/* One byte over max must fit, so that a line of exactly max can be told from a longer one. */
	buf_init(&r->pending, max + 2 * CHUNK);
}

void line_release(struct line_reader *r)
{
	buf_release(&r->pending);
}

static bool readable(int fd, bool wait)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, wait ? -1 : 0) > 0;
}

static enum line_status fill(struct line_reader *r, bool wait)
{
	char *end;
	ssize_t n;

	if (!wait && !readable(r->fd, false))
		return LINE_AGAIN;
	buf_consume(&r->pending, r->start);
	r->start = 0;
	end = buf_reserve(&r->pending, CHUNK);
	/* A descriptor shared with a program that made it non-blocking does not wait by itself. */
	while ((n = read(r->fd, end, CHUNK)) < 0) {
		if (errno == EAGAIN && !wait)
			return LINE_AGAIN;
		if (errno != EAGAIN && errno != EINTR)
			return LINE_ERROR;
		readable(r->fd, true);
	}
	if (n == 0)
		r->eof = true;
	r->pending.len += (size_t)n;
	r->pending.data[r->pending.len] = '\0';
	return LINE_OK;
}

/* Keeps the beginning of a line that has outgrown the maximum, drops the rest so far. */
static void shrink(struct line_reader *r)
{
	r->skipped += r->pending.len - r->start - LINE_KEPT;
	buf_truncate(&r->pending, r->start + LINE_KEPT);
	r->scanned = LINE_KEPT;
}

static enum line_status hand_out(struct line_reader *r, size_t len, bool complete,
				 struct line *out)
{
	char *text = r->pending.data + r->start;
	size_t full = len + r->skipped;
	bool too_long = full > r->max;

	r->start += complete ? len + 1 : len;
	r->skipped = 0;
	r->scanned = 0;
	if (too_long && len > LINE_KEPT)
		len = LINE_KEPT;
	text[len] = '\0';
	*out = (struct line){ text, len, full, complete };
	return too_long ? LINE_TOO_LONG : LINE_OK;
}

enum line_status line_next(struct line_reader *r, bool wait, struct line *out)
{
	for (;;) {
		char *text = r->pending.data + r->start;
		size_t len = r->pending.len - r->start;
		char *nl = len > r->scanned ? memchr(text + r->scanned, '\n', len - r->scanned)
					    : NULL;
		enum line_status s;

		if (nl)
			return hand_out(r, (size_t)(nl - text), true, out);
		r->scanned = len;
		if (len + r->skipped > r->max && len > LINE_KEPT)
			shrink(r);
		if (r->eof)
			return len ? hand_out(r, r->pending.len - r->start, false, out) : LINE_EOF;
		s = fill(r, wait);
		if (s != LINE_OK)
			return s;
	}
}

bool line_is_blank(const struct line *line)
{
	return strspn(line->text, " \t\r") == line->len;
}
