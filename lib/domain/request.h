/*
 * What a child is told, and what it may use up: the parts of a request that every
 * role has. A role gets what it needs and nothing else.
 */
#ifndef GEAK_DOMAIN_REQUEST_H
#define GEAK_DOMAIN_REQUEST_H

#include "domain/judge.h"
#include "outside/box.h"

/* Its harness runs the tests of a suite, instead of calling an entry case by case. */
bool request_is_suite(const struct json *task);

/* Role, device (which may be NULL for one that needs none), targets, harness, and of the task its
 * entry, tests and result. */
struct json *request_new(const struct judge *j, const struct device *d, const char *role,
			 const struct json *task);

/* Limits of a child, and a folder below the judge's own that nobody else has; one that
 * loads no candidate's code is trusted. */
struct box_limits request_limits(struct judge *j, bool trusted);

/* Where kernels run: the interpreter's zygote on a machine without a GPU. */
struct zygote *request_runner(struct judge *j);

/* A shared memory file; one that is to become read-only can be sealed later. */
int request_memory(const char *name, bool sealable, struct err *e);

#endif
