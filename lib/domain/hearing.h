/*
 * What the children of a trial say, and how much of it is believed. The processes
 * that load a candidate's module may send anything: types are checked here, texts
 * clipped and numbers of things bounded, so that the rest need not doubt them.
 */
#ifndef GEAK_DOMAIN_HEARING_H
#define GEAK_DOMAIN_HEARING_H

#include "domain/trial.h"

/* The listener is the struct trial. */
void hear_candidate(void *trial, const struct json *message);
void hear_frontend(void *trial, const struct json *message);

/* What a part's process says of an error that ended its work: the first one counts. */
void hear_part_error(struct part *p, const struct json *message);

/* {"class","message","trace"} of an error that a child told of; the caller owns it. */
struct json *hear_error(const struct json *said);

#endif
