/*
 * What kind of mistake made a candidate fail, told from its verdict and its
 * source. The kind chooses the advice that a model gets (prompts/hints/KIND.md).
 * Owns nothing; the names returned are constants.
 */
#ifndef GEAK_DOMAIN_FAILURE_H
#define GEAK_DOMAIN_FAILURE_H

#include <stdbool.h>
#include <stddef.h>

#include "records/json.h"

/*
 * One of: no_code syntax unknown_api constexpr shape out_of_bounds mask dtype
 * numeric_drift race resource_limit timeout gpu_runtime no_kernel indexing
 * accumulation formula other.
 * Any JSON will do; what tells nothing is "other".
 */
const char *failure_class(const struct json *candidate);

/* All the names in turn; NULL after the last. */
const char *failure_class_name(size_t index);

/* True for a status that tells of the candidate's own doing; not for "pass", nor for one
 * that puts the fault on the task or the sandbox, nor for one that is not known here. */
bool failure_can_be_repaired(const char *status);

/* The first of the verdict's checks that failed, or NULL. */
const struct json *failure_check(const struct json *candidate);

#endif
