/*
 * The fenced blocks of a Markdown text, as models write them rather than as
 * CommonMark has them. A struct blocks owns its blocks; blocks_release() frees them.
 */
#ifndef GEAK_DOMAIN_REPLY_BLOCKS_H
#define GEAK_DOMAIN_REPLY_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "ground/buf.h"

struct block {
	struct buf text;   /* without the indentation of its first line */
	bool closed;       /* false: the text ended first */
	bool holds_others; /* a block with a language was opened inside */
	bool python;       /* its language says so */
	/* How the fence looked. */
	char mark;
	size_t marks;
	size_t indent;
};

struct blocks {
	struct block *list; /* in the order in which they open */
	size_t n, cap;
};

/* Finds all blocks in text. Release the result, also when it is empty. */
void blocks_find(const char *text, struct blocks *out);
void blocks_release(struct blocks *b);

/* Appends text less, in each line, the indentation of its first line that is not blank. */
void blocks_add_flat(struct buf *out, const char *text);

/* True for a line that can only begin a statement, a comment or a docstring of Python. */
bool blocks_is_code(const char *line, size_t len);

#endif
