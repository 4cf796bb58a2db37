/*
 * The names in a Python text, as they stand there: outside of strings and
 * comments, one after the other. No parser; enough to tell what a file
 * defines and what it calls. What is handed out lies in the caller's text.
 */
#ifndef GEAK_DOMAIN_PY_NAMES_H
#define GEAK_DOMAIN_PY_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct py_names {
	const char *at;      /* what comes next */
	const char *line;    /* where its line begins */
	bool started;        /* something other than blanks stood in that line already */
	char before;         /* the last thing seen that was no blank */
};

struct py_name {
	const char *text;
	size_t len;
	size_t column;       /* bytes before it in its line */
	bool first;          /* the first thing in its line */
	bool attribute;      /* follows a dot */
	bool decorator;      /* follows an @ */
	bool assigned;       /* a single = follows */
};

void py_names_init(struct py_names *p, const char *text);
bool py_names_next(struct py_names *p, struct py_name *out);

bool py_name_is(const struct py_name *name, const char *word);

#endif
