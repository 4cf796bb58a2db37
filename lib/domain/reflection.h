/*
 * What a model is told about a candidate that failed, so that it can repair it.
 * What is returned is the caller's.
 */
#ifndef GEAK_DOMAIN_REFLECTION_H
#define GEAK_DOMAIN_REFLECTION_H

#include "ground/err.h"
#include "records/json.h"

/*
 * The variables of prompts/reflect: those of prompt_task_vars(), and
 *
 *   source      of the candidate, "" when its reply held no code (then reply has it)
 *   failure     the kind of mistake (failure.h)
 *   happened    a sentence for the verdict's status
 *   class message trace log
 *               of the error; "" where there is nothing
 *   mismatch    the checks that failed, in words
 *   unguarded   the line of a suspicious access, for failures of memory; else 0
 *   hint        the advice of prompts/hints for that kind
 *   history     earlier tries (history.h)
 *
 * NULL on error, as prompt_task_vars().
 */
struct json *reflection_vars(const struct json *candidate, const char *target, struct err *e);

#endif
