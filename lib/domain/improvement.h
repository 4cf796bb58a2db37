/*
 * What a model is told about kernels that pass, so that it makes a faster one.
 * What is returned is the caller's.
 */
#ifndef GEAK_DOMAIN_IMPROVEMENT_H
#define GEAK_DOMAIN_IMPROVEMENT_H

#include <stddef.h>

#include "domain/bottleneck.h"
#include "domain/strategy.h"
#include "ground/err.h"
#include "records/json.h"

/*
 * The variables of prompts/opt: those of prompt_task_vars(), and
 *
 *   parents     [{number, best, source, measures}], the worst first, the best last
 *   several     true when there is more than one
 *   bottleneck  {name, why}
 *   memory compute divergence launch unknown
 *               true for the bottleneck's kind
 *   strategy    {name, title, text}, or null
 *
 * parents[0..count) are passing candidates of one task, the best first. NULL on
 * error, as prompt_task_vars().
 */
struct json *improvement_vars(struct json *const *parents, size_t count,
			      const struct bottleneck *b, const struct strategy *strategy,
			      const char *target, struct err *e);

#endif
