/*
 * Beyond CommonMark, because models do it: a fence that opens at the end of a
 * sentence, or with code behind it; one that closes at the end of a line of code;
 * a block that was never closed before the next opens (each is then a block of
 * its own); Markdown within Markdown.
 */
#include "domain/reply_blocks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ground/mem.h"

enum {
	OPEN_MAX_BLOCKS = 8, /* blocks open at once */
	FENCE_MIN = 3,
	TAB = 4,
	CLOSE_SLACK = 3,     /* a fence further to the right is content: a docstring's */
};

struct fence {
	char mark;
	size_t marks;
	size_t indent;    /* columns before it */
	const char *info; /* what follows, trimmed */
	size_t info_len;
};

struct finder {
	struct blocks *out;
	size_t open[OPEN_MAX_BLOCKS]; /* indices, the innermost last */
	size_t n_open;
};

static bool starts_with(const char *text, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && memcmp(text, word, n) == 0;
}

bool blocks_is_code(const char *line, size_t len)
{
	static const char *const starts[] = {
		"import ", "from ", "def ", "class ", "@", "#", "\"\"\"", "'''", "if __name__",
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (starts_with(line, len, starts[i]))
			return true;
	return false;
}

/* Known by its first word: "python", "Python3", "py title=x.py", "triton". */
static bool is_python(const char *info, size_t len)
{
	return (len >= 6 && strncasecmp(info, "python", 6) == 0)
		|| (len >= 6 && strncasecmp(info, "triton", 6) == 0)
		|| (len >= 2 && strncasecmp(info, "py", 2) == 0
		    && (len == 2 || info[2] == ' ' || info[2] == '3'));
}

static bool is_word(const char *info, size_t len)
{
	return len > 0 && !memchr(info, ' ', len);
}

static size_t trimmed(const char *text, size_t len)
{
	while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	return len;
}

static size_t run_length(const char *text, size_t len, char c)
{
	size_t n = 0;

	while (n < len && text[n] == c)
		n++;
	return n;
}

/* Reads marks and info at the beginning of text. */
static bool read_marks(const char *text, size_t len, struct fence *f)
{
	if (len == 0 || (*text != '`' && *text != '~'))
		return false;
	f->mark = *text;
	f->marks = run_length(text, len, f->mark);
	f->info = text + f->marks;
	f->info_len = trimmed(f->info, len - f->marks);
	while (f->info_len > 0 && (*f->info == ' ' || *f->info == '\t')) {
		f->info++;
		f->info_len--;
	}
	/* ```x``` is a word in a sentence. */
	return f->marks >= FENCE_MIN && !memchr(f->info, f->mark, f->info_len);
}

static bool read_fence(const char *line, size_t len, struct fence *f)
{
	size_t i = 0;

	f->indent = 0;
	for (; i < len && (line[i] == ' ' || line[i] == '\t'); i++)
		f->indent += line[i] == '\t' ? TAB : 1;
	return read_marks(line + i, len - i, f);
}

/* "Here it is: ```python" */
static bool read_late_fence(const char *line, size_t len, struct fence *f)
{
	for (size_t i = 1; i + FENCE_MIN < len; i++)
		if (starts_with(line + i, len - i, "```")) {
			f->indent = 0;
			return read_marks(line + i, len - i, f) && is_python(f->info, f->info_len);
		}
	return false;
}

static struct block *innermost(struct finder *f)
{
	return f->n_open ? &f->out->list[f->open[f->n_open - 1]] : NULL;
}

/* Adds a line to every open block, less the indentation of its fence. */
static void add_line(struct finder *f, const char *line, size_t len)
{
	for (size_t i = 0; i < f->n_open; i++) {
		struct block *b = &f->out->list[f->open[i]];
		size_t drop = 0, columns = 0;

		while (drop < len && columns < b->indent
		       && (line[drop] == ' ' || line[drop] == '\t'))
			columns += line[drop++] == '\t' ? TAB : 1;
		buf_add(&b->text, line + drop, len - drop);
		buf_addc(&b->text, '\n');
	}
}

static void open_block(struct finder *f, const struct fence *fence)
{
	struct blocks *out = f->out;
	struct block *b;

	for (size_t i = 0; i < f->n_open; i++)
		out->list[f->open[i]].holds_others = true;
	if (out->n == out->cap) {
		out->cap = out->cap ? 2 * out->cap : 8;
		out->list = mem_realloc(out->list, out->cap * sizeof(*out->list));
	}
	b = &out->list[out->n];
	*b = (struct block){ .mark = fence->mark, .marks = fence->marks, .indent = fence->indent };
	buf_init(&b->text, SIZE_MAX / 2);
	b->python = is_python(fence->info, fence->info_len);
	if (blocks_is_code(fence->info, fence->info_len)) {
		buf_add(&b->text, fence->info, fence->info_len);
		buf_addc(&b->text, '\n');
	}
	f->open[f->n_open++] = out->n++;
}

static void close_block(struct finder *f)
{
	innermost(f)->closed = true;
	f->n_open--;
}

/* A line of code with the closing fence behind it: "return y```". */
static bool closes_late(const struct block *b, const char *line, size_t *len)
{
	size_t end = trimmed(line, *len), n = 0;

	while (n < end && line[end - 1 - n] == b->mark)
		n++;
	if (b->mark != '`' || n != b->marks || n == end || *line == '#'
	    || memchr(line, '`', end - n))
		return false;
	*len = end - n;
	return true;
}

static void line_inside(struct finder *f, const char *line, size_t len)
{
	struct block *b = innermost(f);
	struct fence fence;
	size_t code = len;

	if (!read_fence(line, len, &fence)) {
		if (closes_late(b, line, &code)) {
			add_line(f, line, code);
			close_block(f);
		} else {
			add_line(f, line, len);
		}
	} else if (fence.indent > b->indent + CLOSE_SLACK) {
		add_line(f, line, len);
	} else if (is_python(fence.info, fence.info_len) || is_word(fence.info, fence.info_len)) {
		add_line(f, line, len);
		if (f->n_open < OPEN_MAX_BLOCKS)
			open_block(f, &fence);
	} else if (fence.mark == b->mark && fence.marks >= b->marks) {
		close_block(f);
		add_line(f, line, len);
	} else {
		add_line(f, line, len);
	}
}

void blocks_add_flat(struct buf *out, const char *text)
{
	const char *first = text + strspn(text, " \t\n");
	size_t indent = 0;

	while (first > text && first[-1] != '\n') {
		first--;
		indent++;
	}
	while (*text) {
		size_t len = strcspn(text, "\n"), blank = strspn(text, " \t");
		size_t cut = blank < indent ? blank : indent;

		buf_add(out, text + cut, len - cut);
		text += len;
		if (*text) {
			buf_addc(out, '\n');
			text++;
		}
	}
}

static void flatten(struct block *b)
{
	struct buf flat;

	buf_init(&flat, b->text.max);
	blocks_add_flat(&flat, b->text.data);
	buf_release(&b->text);
	b->text = flat;
}

void blocks_find(const char *text, struct blocks *out)
{
	struct finder f = { .out = out };
	struct fence fence;

	*out = (struct blocks){ 0 };
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (f.n_open)
			line_inside(&f, text, len);
		else if (read_fence(text, len, &fence) || read_late_fence(text, len, &fence))
			open_block(&f, &fence);
		text += len;
		text += *text == '\n';
	}
	for (size_t i = 0; i < out->n; i++)
		flatten(&out->list[i]);
}

void blocks_release(struct blocks *b)
{
	for (size_t i = 0; i < b->n; i++)
		buf_release(&b->list[i].text);
	free(b->list);
	*b = (struct blocks){ 0 };
}
