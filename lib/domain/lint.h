/*
 * Is a task's checker any good? Wrong answers are given to it, by a child of a zygote
 * that holds the reference and no candidate, and what it takes is told in the task.
 * Owns nothing.
 */
#ifndef GEAK_DOMAIN_LINT_H
#define GEAK_DOMAIN_LINT_H

#include "domain/judge.h"

/*
 * Tries wrong answers on a task/1 and sets its "lint" (see geak-record(5)), in the
 * time that the judge gives a candidate. Returns 0 whatever came out; ERR_RECORD when
 * the record is no task, ERR_SOFTWARE when the judge itself cannot go on.
 */
int lint_task(struct judge *j, struct json *task, struct err *e);

#endif
