/* Inputs reach the candidate call by call, so that nobody can look at those to come. */
#ifndef GEAK_DOMAIN_INPUTS_H
#define GEAK_DOMAIN_INPUTS_H

#include "domain/oracle.h"

/* Copies what the oracle made for a call into the shared memory that the child sees, and
 * tells it so. A number that is none is left unanswered; o may be NULL. */
void inputs_hand_out(const struct oracle *o, int64_t call, int to, struct child *c, struct err *e);

#endif
