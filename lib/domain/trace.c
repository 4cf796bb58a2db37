/*
 * A frame is the candidate's when its file is called candidate.py, which is how
 * geak-eval names it, or when the code that the traceback quotes is that line of the
 * source; so a judge that names its file otherwise is understood too.
 */
#include "domain/trace.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ground/mem.h"

enum {
	FRAMES = 6,         /* the last so many are shown */
	AROUND = 2,         /* lines of source before and after the one that is meant */
	LINE_SHOWN = 200,   /* bytes of a line */
	SOURCE_LINES = 100000,
};

/* Where the lines of a source begin. */
struct lines {
	const char **start;
	size_t count;
};

struct frame {
	const char *function; /* not terminated; NULL for a syntax error */
	size_t function_len;
	size_t line;          /* counted from 1 */
};

struct frames {
	struct frame list[FRAMES];
	size_t count;
};

static const char *next_line(const char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

static struct lines lines_of(const char *source)
{
	struct lines l = { mem_alloc(sizeof(*l.start)), 0 };
	size_t cap = 1;

	for (const char *at = source; *at && l.count < SOURCE_LINES; at = next_line(at)) {
		if (l.count == cap) {
			cap *= 2;
			l.start = mem_realloc(l.start, cap * sizeof(*l.start));
		}
		l.start[l.count++] = at;
	}
	return l;
}

static bool begins(const char *at, const char *with)
{
	return strncmp(at, with, strlen(with)) == 0;
}

/* The two lines are the same but for the blanks round them, and not blank. */
static bool same_line(const char *a, const char *b)
{
	static const char blanks[] = " \t\r\f";
	size_t n = 0;

	a += strspn(a, blanks);
	b += strspn(b, blanks);
	while (a[n] && a[n] != '\n' && a[n] == b[n])
		n++;
	a += n + strspn(a + n, blanks);
	b += n + strspn(b + n, blanks);
	return n > 0 && (!*a || *a == '\n') && (!*b || *b == '\n');
}

static bool is_candidate_file(const char *path, size_t len)
{
	static const char name[] = "candidate.py";
	size_t n = strlen(name);

	return len >= n && memcmp(path + len - n, name, n) == 0
	       && (len == n || path[len - n - 1] == '/');
}

/* Reads '  File "PATH", line N, in FUNCTION' at at. True for a frame of the candidate's. */
static bool read_frame(const char *at, const struct lines *source, struct frame *f)
{
	static const char between[] = "\", line ", in[] = ", in ";
	const char *path = at + strlen("  File \""), *end = at + strcspn(at, "\n"), *close;
	char *rest;

	close = memchr(path, '"', (size_t)(end - path));
	if (!close || !begins(close, between) || !isdigit((unsigned char)close[strlen(between)]))
		return false;
	*f = (struct frame){ .line = strtoul(close + strlen(between), &rest, 10) };
	if (f->line < 1 || f->line > source->count)
		return false;
	if (begins(rest, in)) {
		f->function = rest + strlen(in);
		f->function_len = (size_t)(end - f->function);
	}
	return is_candidate_file(path, (size_t)(close - path))
	       || same_line(next_line(at), source->start[f->line - 1]);
}

static bool same_frame(const struct frame *a, const struct frame *b)
{
	return a->line == b->line && a->function_len == b->function_len
	       && (a->function_len == 0 || memcmp(a->function, b->function, a->function_len) == 0);
}

static void add_frame(struct frames *t, const struct frame *f)
{
	for (size_t i = 0; i < t->count; i++)
		if (same_frame(&t->list[i], f))
			return;
	if (t->count == FRAMES) {
		memmove(t->list, t->list + 1, (FRAMES - 1) * sizeof(*t->list));
		t->count--;
	}
	t->list[t->count++] = *f;
}

static void add_line(struct buf *out, const char *text, size_t len)
{
	size_t n = len < LINE_SHOWN ? len : LINE_SHOWN;

	while (n < len && n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
		n--; /* not in the middle of a character */
	buf_add(out, text, n);
	buf_adds(out, n < len ? " ..." : "");
}

static void show_frame(struct buf *out, const struct frame *f, const struct lines *source)
{
	size_t first = f->line > AROUND ? f->line - AROUND : 1;

	buf_addf(out, "line %zu", f->line);
	if (f->function) {
		buf_adds(out, ", in ");
		add_line(out, f->function, f->function_len);
	}
	buf_adds(out, ":\n");
	for (size_t n = first; n <= f->line + AROUND && n <= source->count; n++) {
		const char *text = source->start[n - 1];

		buf_addf(out, "%s %4zu | ", n == f->line ? ">" : " ", n);
		add_line(out, text, strcspn(text, "\r\n"));
		buf_addc(out, '\n');
	}
}

void trace_trim(const char *trace, const char *source, struct buf *out)
{
	struct lines lines = lines_of(source);
	struct frames frames = { .count = 0 };

	for (const char *at = trace; *at; at = next_line(at)) {
		struct frame f;

		if (begins(at, "  File \"") && read_frame(at, &lines, &f))
			add_frame(&frames, &f);
	}
	for (size_t i = 0; i < frames.count; i++)
		show_frame(out, &frames.list[i], &lines);
	free(lines.start);
}
