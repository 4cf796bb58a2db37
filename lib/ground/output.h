/*
 * Standard output, past stdio, which forgets what it could not write: all of it is there, or
 * output_close() tells why not. What stdio itself prints (--help) is cli_start()'s affair.
 */
#ifndef GEAK_GROUND_OUTPUT_H
#define GEAK_GROUND_OUTPUT_H

#include <stddef.h>

#include "ground/err.h"

/* At once, so that whatever ends the process loses nothing. Nothing more is written after a
 * failure. From one thread. */
void output_write(const char *text, size_t len);

/* Returns 0, or ERR_IO with the first failure, this one included. */
int output_close(struct err *e);

#endif
