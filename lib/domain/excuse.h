/* What no candidate is to blame for, since it is the task's fault. */
#ifndef GEAK_DOMAIN_EXCUSE_H
#define GEAK_DOMAIN_EXCUSE_H

#include "domain/trial.h"

/*
 * The error when the task's reference or its tests are at fault, which says what to do
 * about it and is the caller's, and its stage; or NULL.
 */
struct json *excuse_task(const struct trial *t, const char **stage);

#endif
