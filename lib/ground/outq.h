/*
 * Results in the order of the questions, however they finish. Each input gets
 * a ticket; lines put under a ticket wait until every earlier ticket is closed.
 * The number of open tickets is bounded, so that a slow one holds back reading
 * instead of filling memory. Safe to use from several threads.
 * An outq owns the lines put into it, not the descriptor it writes to.
 */
#ifndef GEAK_GROUND_OUTQ_H
#define GEAK_GROUND_OUTQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ground/err.h"

struct outq;

/* Lines go to out; at most capacity tickets are open at once. With ordered
 * false each line is written as soon as it is put, and a ticket makes room as
 * soon as it is closed, however long the earlier ones take. Every line is
 * written at once, so that whatever ends the process loses none and cuts none off. */
struct outq *outq_new(int out, size_t capacity, bool ordered);
void outq_free(struct outq *q);

/* True when outq_open() would not have to wait. */
bool outq_has_room(struct outq *q);

/* The next ticket; waits for room while other threads hold tickets. */
uint64_t outq_open(struct outq *q);

/* Adds one line (a newline is appended). */
void outq_put(struct outq *q, uint64_t ticket, const char *line, size_t len);
void outq_close(struct outq *q, uint64_t ticket);

/* 0, or ERR_IO when a write has failed. A reader that went away raises
 * SIGPIPE, which ends the process as it should. */
int outq_check(struct outq *q, struct err *e);

#endif
