/* Inputs reach the candidate call by call, so that nobody can look at those to come. */
#ifndef GEAK_DOMAIN_INPUTS_H
#define GEAK_DOMAIN_INPUTS_H

#include "domain/trial.h"

/* Copies what the oracle made for a call into the memory that the candidate sees, and
 * tells it so. A number that is none is left unanswered. */
void inputs_hand_out(struct trial *t, int64_t call);

#endif
