/*
 * Worked examples for a prompt: Python files that begin with a docstring, whose first line is a
 * title and whose next sentence lists what the example is for. A struct examples owns all that it
 * has read.
 */
#ifndef GEAK_DOMAIN_EXAMPLES_H
#define GEAK_DOMAIN_EXAMPLES_H

#include "ground/err.h"
#include "records/json.h"

struct examples;

/*
 * Reads those of prompts/examples and, unless it is NULL, of a folder of the user's own, which
 * count first. NULL on error: ERR_USAGE for what is wrong with that folder, ERR_SOFTWARE else.
 */
struct examples *examples_open(const char *folder, struct err *e);
void examples_free(struct examples *x); /* NULL is allowed */

/* Sets "example" in vars to {title, description, source}, that which is most like the task, or to
 * null when none has anything in common with it. Returns 0 or ERR_SOFTWARE. */
int examples_add(struct examples *x, const struct json *task, struct json *vars, struct err *e);

#endif
