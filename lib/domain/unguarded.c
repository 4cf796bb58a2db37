#include "domain/unguarded.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { DEPTH = 64 }; /* brackets inside brackets; what lies deeper is not looked at */

/* An open bracket, and what is known of the call that it belongs to. */
struct bracket {
	size_t line;     /* of the call */
	int mask_place;  /* which argument a mask without a name is; 0: not a call of ours */
	int place;       /* of the argument that we are in */
	bool begun;      /* that argument has some text */
	bool guarded;
};

struct scan {
	const char *start, *at;
	size_t line;
	struct bracket open[DEPTH];
	size_t depth;    /* may go past DEPTH */
	size_t found;
};

static void step(struct scan *s)
{
	if (*s->at == '\n')
		s->line++;
	if (*s->at)
		s->at++;
}

/* At a quote: goes past the string that it opens. */
static void skip_string(struct scan *s)
{
	char quote = *s->at;
	size_t marks = s->at[1] == quote && s->at[2] == quote ? 3 : 1;

	s->at += marks;
	while (*s->at) {
		size_t same = 0;

		while (same < marks && s->at[same] == quote)
			same++;
		if (same == marks) {
			s->at += marks;
			return;
		}
		if (marks == 1 && *s->at == '\n')
			return; /* not closed on its line: no string after all */
		if (*s->at == '\\')
			step(s);
		step(s);
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The length of "name =" when a keyword argument begins here, else 0. */
static size_t keyword_length(const char *at)
{
	size_t n = 0;

	while (is_word(at[n]))
		n++;
	if (n == 0)
		return 0;
	n += strspn(at + n, " \t\n");
	return at[n] == '=' && at[n + 1] != '=' ? n : 0;
}

static bool names(const char *at, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len >= n && strncmp(at, name, n) == 0 && !is_word(at[n]);
}

/* At the first character of an argument. */
static void begin_argument(struct scan *s, struct bracket *b)
{
	size_t len = keyword_length(s->at);

	b->begun = true;
	if (len == 0)
		b->guarded = b->guarded || b->place == b->mask_place;
	else if (names(s->at, len, "mask") || names(s->at, len, "boundary_check"))
		b->guarded = true;
}

/* Which argument the mask of the call that opens its bracket here is; 0: none of ours. */
static int mask_place_of(const struct scan *s)
{
	static const struct { const char *name; int place; } calls[] = {
		{ "tl.load", 1 }, { "tl.store", 2 },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		size_t n = strlen(calls[i].name);
		const char *from = s->at - n;

		if ((size_t)(s->at - s->start) < n || strncmp(from, calls[i].name, n) != 0)
			continue;
		if (from == s->start || (!is_word(from[-1]) && from[-1] != '.'))
			return calls[i].place;
	}
	return 0;
}

static void open_bracket(struct scan *s)
{
	if (s->depth < DEPTH)
		s->open[s->depth] = (struct bracket){
			.line = s->line,
			.mask_place = *s->at == '(' ? mask_place_of(s) : 0,
		};
	s->depth++;
}

static void close_bracket(struct scan *s)
{
	const struct bracket *b;

	if (s->depth == 0)
		return;
	if (--s->depth >= DEPTH)
		return;
	b = &s->open[s->depth];
	if (b->mask_place && !b->guarded && (s->found == 0 || b->line < s->found))
		s->found = b->line;
}

size_t unguarded_line(const char *source)
{
	struct scan s = { .start = source, .at = source, .line = 1 };

	while (*s.at) {
		struct bracket *b = s.depth > 0 && s.depth <= DEPTH ? &s.open[s.depth - 1] : NULL;
		char c = *s.at;

		if (c == '#') {
			s.at += strcspn(s.at, "\n");
			continue;
		}
		if (b && b->mask_place && !b->begun && !isspace((unsigned char)c) && c != ')')
			begin_argument(&s, b);
		if (c == '"' || c == '\'') {
			skip_string(&s);
			continue;
		}
		if (strchr("([{", c))
			open_bracket(&s);
		else if (strchr(")]}", c))
			close_bracket(&s);
		else if (c == ',' && b) {
			b->place++;
			b->begun = false;
		}
		step(&s);
	}
	return s.found;
}
