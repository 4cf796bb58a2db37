/* A trial's kernels, from the IR that the front end gave to entries of eval.compile. */
#ifndef GEAK_DOMAIN_BUILDING_H
#define GEAK_DOMAIN_BUILDING_H

#include "domain/trial.h"

/* Builds everything of the trial's plan that the front end gave IR for; the oracle is
 * served meanwhile. Sets compiled_all unless something of the plan is left over. */
void building_run(struct trial *t);

/* The entry of a specialisation that the first target does not compile, or NULL. Of an
 * autotuned kernel one configuration was tried, which a tuner on a GPU may pass over. */
const struct json *building_fault(const struct trial *t);

#endif
