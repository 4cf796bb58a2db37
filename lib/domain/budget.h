/*
 * What a run may spend on replies, in US dollars. What is asked may cost as much
 * as is guessed for it until its reply tells. Owns nothing.
 */
#ifndef GEAK_DOMAIN_BUDGET_H
#define GEAK_DOMAIN_BUDGET_H

#include <stdbool.h>

#include "ground/err.h"

struct budget {
	double limit; /* 0: none */
	double spent; /* is known to be */
	double open;  /* may come to be, by what is in flight */
};

/* True when a question that may cost as much can be asked. */
bool budget_allows(const struct budget *b, double estimate);

/* A question of that estimate is asked; it is answered, at that cost. */
void budget_ask(struct budget *b, double estimate);
void budget_settle(struct budget *b, double estimate, double cost);

/* Says that it does not last for one more. Returns ERR_TEMP. */
int budget_refuse(const struct budget *b, double estimate, struct err *e);

#endif
