/* eval.perf, the times of a candidate and of what it is held against, in words and figures; and
 * eval.untimed, which stands in its place. */
#ifndef GEAK_DOMAIN_PERF_H
#define GEAK_DOMAIN_PERF_H

#include "domain/timing.h"

/* The caller owns it. NULL where nothing was timed to its end, or timing is NULL. */
struct json *perf_record(const struct timing *timing, const struct trial *t);

/* Then: {"candidate" or a baseline: why there are no times of it}, which the caller owns; NULL
 * where there is nothing to tell. */
struct json *perf_untimed(const struct timing *timing);

#endif
