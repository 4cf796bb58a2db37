/* eval.perf: what was timed, on a GPU, of the candidate and of the reference. */
#ifndef GEAK_DOMAIN_PERF_H
#define GEAK_DOMAIN_PERF_H

#include "domain/trial.h"

/* Of the cases that both sides ran, in milliseconds; the caller owns it. NULL where nothing
 * was timed. */
struct json *perf_record(const struct trial *t);

#endif
