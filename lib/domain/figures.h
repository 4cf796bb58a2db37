/* Resource figures of a compiled kernel, for eval.compile. */
#ifndef GEAK_DOMAIN_FIGURES_H
#define GEAK_DOMAIN_FIGURES_H

#include "domain/trial.h"

/*
 * Turns the report on one kernel and one target (see building.c) into an entry of
 * eval.compile, with figures read from the code object itself, if there is one; the
 * object is saved when the judge keeps them.
 */
struct json *figures_entry(struct trial *t, const struct json *report);

#endif
