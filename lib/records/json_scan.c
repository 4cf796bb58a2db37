/*
 * One pass over the text with an explicit stack of open brackets: a hostile
 * line can neither recurse deeply nor be read twice. Duplicate keys are the one
 * rule that needs unescaped strings; json.c checks it on the tree.
 */
#include "records/json_scan.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistr.h>

#include "ground/mem.h"
#include "records/json.h"

struct scan {
	const char *text;
	size_t len, pos;
	struct json_numbers *numbers;
	struct err *err;
};

static int fail(struct scan *s, const char *what)
{
	size_t line = 1;

	for (size_t i = 0; i < s->pos; i++)
		line += s->text[i] == '\n';
	if (line == 1) /* a record: nothing but a file written by hand has more */
		return err_set(s->err, ERR_RECORD, "not valid JSON: %s at byte %zu", what,
			       s->pos + 1);
	return err_set(s->err, ERR_RECORD, "not valid JSON: %s at byte %zu (line %zu)", what,
		       s->pos + 1, line);
}

static int peek(const struct scan *s)
{
	return s->pos < s->len ? (unsigned char)s->text[s->pos] : -1;
}

static void skip_space(struct scan *s)
{
	int c;

	while ((c = peek(s)) == ' ' || c == '\t' || c == '\n' || c == '\r')
		s->pos++;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static int digits(struct scan *s)
{
	if (!is_digit(peek(s)))
		return fail(s, "a digit is missing");
	while (is_digit(peek(s)))
		s->pos++;
	return 0;
}

static int number(struct scan *s)
{
	struct json_numbers *n = s->numbers;
	size_t start = s->pos;

	if (peek(s) == '-')
		s->pos++;
	if (peek(s) == '0')
		s->pos++;
	else if (digits(s))
		return ERR_RECORD;
	if (is_digit(peek(s)))
		return fail(s, "a number with a leading zero");
	if (peek(s) == '.') {
		s->pos++;
		if (digits(s))
			return ERR_RECORD;
	}
	if (peek(s) == 'e' || peek(s) == 'E') {
		s->pos++;
		if (peek(s) == '+' || peek(s) == '-')
			s->pos++;
		if (digits(s))
			return ERR_RECORD;
	}
	if (n->count == n->cap) {
		n->cap = n->cap ? 2 * n->cap : 32;
		n->spans = mem_realloc(n->spans, n->cap * sizeof(*n->spans));
	}
	n->spans[n->count++] = (struct json_span){ start, s->pos - start };
	return 0;
}

static int hex4(struct scan *s, unsigned *value)
{
	*value = 0;
	for (int i = 0; i < 4; i++, s->pos++) {
		int c = peek(s);
		unsigned digit;

		if (is_digit(c))
			digit = (unsigned)c - '0';
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned)c - 'a' + 10;
		else if (c >= 'A' && c <= 'F')
			digit = (unsigned)c - 'A' + 10;
		else
			return fail(s, "a \\u escape without four hex digits");
		*value = *value << 4 | digit;
	}
	return 0;
}

static int unicode_escape(struct scan *s)
{
	unsigned unit, low;

	if (hex4(s, &unit))
		return ERR_RECORD;
	if (unit == 0)
		return fail(s, "a NUL character (\\u0000)");
	if (unit >= 0xDC00 && unit <= 0xDFFF)
		return fail(s, "a lone surrogate");
	if (unit < 0xD800 || unit > 0xDBFF)
		return 0;
	if (peek(s) != '\\')
		return fail(s, "a lone surrogate");
	s->pos++;
	if (peek(s) != 'u')
		return fail(s, "a lone surrogate");
	s->pos++;
	if (hex4(s, &low))
		return ERR_RECORD;
	return low >= 0xDC00 && low <= 0xDFFF ? 0 : fail(s, "a lone surrogate");
}

static int string(struct scan *s)
{
	s->pos++;
	for (;;) {
		int c = peek(s);

		if (c < 0)
			return fail(s, "a string without an end");
		if (c < 0x20)
			return fail(s, "a raw control character in a string");
		s->pos++;
		if (c == '"')
			return 0;
		if (c != '\\')
			continue;
		c = peek(s);
		if (c < 0)
			return fail(s, "a string without an end");
		if (c == '\0' || !strchr("\"\\/bfnrtu", c))
			return fail(s, "an unknown escape");
		s->pos++;
		if (c == 'u' && unicode_escape(s))
			return ERR_RECORD;
	}
}

static int word(struct scan *s)
{
	static const char *const words[] = { "true", "false", "null" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t n = strlen(words[i]);

		if (s->len - s->pos >= n && memcmp(s->text + s->pos, words[i], n) == 0) {
			s->pos += n;
			return 0;
		}
	}
	return fail(s, peek(s) < 0 ? "the text ends early" : "an unexpected character");
}

static int scalar(struct scan *s)
{
	int c = peek(s);

	if (c == '"')
		return string(s);
	if (c == '-' || is_digit(c))
		return number(s);
	return word(s);
}

static int member_key(struct scan *s)
{
	skip_space(s);
	if (peek(s) != '"')
		return fail(s, peek(s) < 0 ? "the text ends early" : "a key is missing");
	if (string(s))
		return ERR_RECORD;
	skip_space(s);
	if (peek(s) != ':')
		return fail(s, "a colon is missing");
	s->pos++;
	return 0;
}

/* After a value: a comma leads to the next one, a bracket closes its level. */
static int after_value(struct scan *s, const char *open, size_t *depth)
{
	while (*depth > 0) {
		char close = open[*depth - 1] == '{' ? '}' : ']';

		skip_space(s);
		if (peek(s) == ',') {
			s->pos++;
			return close == '}' ? member_key(s) : 0;
		}
		if (peek(s) != close)
			return fail(s, peek(s) < 0 ? "the text ends early"
						   : "a comma or a bracket is missing");
		s->pos++;
		(*depth)--;
	}
	return 0;
}

static int value(struct scan *s)
{
	char open[JSON_MAX_DEPTH];
	size_t depth = 0;

	do {
		int c;

		skip_space(s);
		c = peek(s);
		if (c == '{' || c == '[') {
			if (depth == JSON_MAX_DEPTH)
				return fail(s, "nested deeper than 128 levels");
			open[depth++] = (char)c;
			s->pos++;
			skip_space(s);
			if (peek(s) == (c == '{' ? '}' : ']')) {
				s->pos++;
				depth--;
			} else if (c == '[') {
				continue;
			} else if (member_key(s)) {
				return ERR_RECORD;
			} else {
				continue;
			}
		} else if (scalar(s)) {
			return ERR_RECORD;
		}
		if (after_value(s, open, &depth))
			return ERR_RECORD;
	} while (depth > 0);
	return 0;
}

int json_scan(const char *text, size_t len, struct json_numbers *n, struct err *e)
{
	struct scan s = { .text = text, .len = len, .numbers = n, .err = e };
	const uint8_t *bad;

	if (len > JSON_MAX_BYTES)
		return err_set(e, ERR_RECORD, "not valid JSON: %zu bytes, more than the 16 MiB "
			       "that a record may have", len);
	bad = u8_check((const uint8_t *)text, len);
	if (bad) {
		s.pos = (size_t)(bad - (const uint8_t *)text);
		return fail(&s, "bytes that are not UTF-8");
	}
	if (value(&s))
		return ERR_RECORD;
	skip_space(&s);
	return s.pos == len ? 0 : fail(&s, "text after the value");
}

void json_numbers_release(struct json_numbers *n)
{
	free(n->spans);
	*n = (struct json_numbers){ 0 };
}
