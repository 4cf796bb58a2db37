/*
 * Cuts the kernel's source out of what a model wrote. Owns nothing.
 *
 * Models are told to answer with one fenced block; they answer with several, with
 * none, with JSON, with their reasoning in front, or stop in the middle. What
 * is returned is what they meant as the file, as far as can be told without Python.
 */
#ifndef GEAK_DOMAIN_REPLY_H
#define GEAK_DOMAIN_REPLY_H

#include "ground/buf.h"
#include "ground/err.h"

/*
 * Appends the source to out. Of several blocks it is the last that defines entry,
 * else the longest that imports triton, else the longest that is Python; entry
 * may be NULL. A block that is cut off is taken when there is no whole one.
 * Returns 0, or ERR_RECORD when there is no code (e says what there is
 * instead) or when it does not fit.
 */
int reply_code(const char *text, const char *entry, struct buf *out, struct err *e);

#endif
