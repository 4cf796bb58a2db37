#include "domain/py_names.h"

#include <ctype.h>
#include <string.h>

void py_names_init(struct py_names *p, const char *text)
{
	*p = (struct py_names){ .at = text, .line = text };
}

static bool is_name_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static void newline(struct py_names *p)
{
	p->line = p->at;
	p->started = false;
	p->before = '\0';
}

/* Goes past a string whose opening quote is at p->at. */
static void skip_string(struct py_names *p)
{
	char quote = *p->at;
	bool triple = p->at[1] == quote && p->at[2] == quote;

	p->at += triple ? 3 : 1;
	for (; *p->at; p->at++) {
		if (*p->at == '\\' && p->at[1])
			p->at++;
		else if (*p->at == '\n' && !triple)
			break; /* never closed: the line ends it */
		else if (*p->at == quote && (!triple || (p->at[1] == quote && p->at[2] == quote)))
			break;
	}
	if (*p->at == quote)
		p->at += triple ? 3 : 1;
	p->before = quote;
	p->started = true;
}

/* A name that ends at a quote is the string's prefix. */
static bool is_prefix(const char *text, size_t len)
{
	return len <= 2 && strspn(text, "rRbBfFuUtT") >= len && (text[len] == '"' || text[len] == '\'');
}

static void take_name(struct py_names *p, size_t len, struct py_name *out)
{
	const char *after = p->at + len;

	after += strspn(after, " \t");
	*out = (struct py_name){
		.text = p->at, .len = len, .column = (size_t)(p->at - p->line),
		.first = !p->started, .attribute = p->before == '.',
		.decorator = p->before == '@',
		.assigned = after[0] == '=' && after[1] != '=',
	};
	p->at += len;
	p->before = 'a';
	p->started = true;
}

bool py_names_next(struct py_names *p, struct py_name *out)
{
	while (*p->at) {
		size_t len = 0;

		while (is_name_byte(p->at[len]))
			len++;
		if (len && !isdigit((unsigned char)*p->at) && !is_prefix(p->at, len)) {
			take_name(p, len, out);
			return true;
		}
		if (len) { /* a number, or what stands before a quote */
			p->at += len;
			p->before = '0';
			p->started = true;
		} else if (*p->at == '#') {
			p->at += strcspn(p->at, "\n");
		} else if (*p->at == '"' || *p->at == '\'') {
			skip_string(p);
		} else if (*p->at == '\n') {
			p->at++;
			newline(p);
		} else {
			if (!isspace((unsigned char)*p->at)) {
				p->before = *p->at;
				p->started = true;
			}
			p->at++;
		}
	}
	return false;
}

bool py_name_is(const struct py_name *name, const char *word)
{
	return strlen(word) == name->len && memcmp(word, name->text, name->len) == 0;
}
