/* Text that a person reads. */
#ifndef GEAK_GROUND_TEXT_H
#define GEAK_GROUND_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "ground/buf.h"

/* Appends text with everything masked that could drive a terminal: C0 and C1
 * controls, marks that turn the direction of text, and bytes that are not UTF-8
 * become '?'; a newline and a tab stay when multiline is set and become a blank
 * otherwise. For whatever a model or an input wrote. */
void text_add_masked(struct buf *out, const char *text, size_t len, int multiline);

/* A copy without blanks, tabs and newlines at either end; the caller's to free. */
char *text_trimmed(const char *text, size_t len);

/* One line on standard error: "tool: message", masked, at most 4 KiB of it, in a
 * single write. */
void text_complain(const char *tool, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
