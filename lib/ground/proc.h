/*
 * A child process with a pipe at each of its three standard descriptors, and with
 * a keeper (keeper.h), so that it can be killed with all that it started: also what
 * has left its group or its session, and also when we are killed ourselves.
 *
 * The caller owns a struct proc from proc_spawn() to proc_end(). Its pipes do not
 * block and are closed on exec.
 */
#ifndef GEAK_GROUND_PROC_H
#define GEAK_GROUND_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ground/buf.h"
#include "ground/err.h"

struct proc {
	pid_t pid;  /* the keeper's */
	int exited; /* the leash: readable once the child is gone */
	int in;     /* our end of its standard input; -1 once closed */
	int out;    /* of its standard output */
	int err;    /* of its standard error */
};

/* Runs argv[0] from PATH; env (NULL-terminated "NAME=value") is added to the
 * environment. Returns 0 or ERR_SOFTWARE; a program that cannot be run
 * exits with 127 (not found) or 126, having said why on its standard error. */
int proc_spawn(struct proc *p, char *const argv[], char *const env[], struct err *e);

/* Writes what fits now; the number of bytes, or -1 with errno. Raises no SIGPIPE. */
ssize_t proc_write(struct proc *p, const void *data, size_t len);
void proc_close_in(struct proc *p);

/* Reads what is there now, at most 64 KiB, from *fd (p->out or p->err) into b; at its
 * end closes it and sets it to -1. What does not fit b is dropped; its flag tells. */
void proc_read(int *fd, struct buf *b);

/* True once the child itself is gone; *status is then as waitpid() gives it. */
bool proc_exited(struct proc *p, int *status);

/* Kills all that is left, reaps it and closes everything. */
void proc_end(struct proc *p);

/* "SIGSEGV", or "SIG40" where it has no name. */
enum { PROC_SIGNAL_MAX = 24 };
void proc_signal(int sig, char out[PROC_SIGNAL_MAX]);

/* A wait status in words: "exited with 3", "was killed by SIGSEGV". */
void proc_describe(int status, char *out, size_t size);

#endif
