/*
 * The embedded CPython: the only file pair that knows Python.h. One interpreter
 * a process, started in a zygote and inherited by its forks; it owns itself.
 */
#ifndef GEAK_OUTSIDE_PY_H
#define GEAK_OUTSIDE_PY_H

#include "ground/buf.h"
#include "ground/err.h"

/* Starts the interpreter of the environment that geak was built for, or that
 * GEAK_PYTHON names, with the harness on its path. */
int py_start(struct err *e);

/* Calls geak_harness.MODULE.NAME(), with an argument unless that is NULL, and appends its
 * result as JSON text to out. */
int py_call(const char *module, const char *name, const char *argument, struct buf *out,
	    struct err *e);

/* Round a fork() of a process in which the interpreter runs. */
void py_before_fork(void);
void py_after_fork_parent(void);
void py_after_fork_child(void);

/* In a child: runs its role. Returns the exit status for the process. */
int py_child(void);

/* "Python 3.11.7": the headers that geak was built with. */
const char *py_version(void);

#endif
