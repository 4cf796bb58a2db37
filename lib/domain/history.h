/*
 * The earlier tries at a task, for a prompt, so that a model does not make the
 * same mistake again. (candidate.h builds the list that a record carries.)
 */
#ifndef GEAK_DOMAIN_HISTORY_H
#define GEAK_DOMAIN_HISTORY_H

#include "records/json.h"

/*
 * The candidate's history as prompt variables, oldest first, an empty array when
 * there is none: [{number, round, tool, status, class, message, source}], where class and
 * message may be "" and source is "" for tries too long or too old to repeat
 * whole. The caller owns it.
 */
struct json *history_vars(const struct json *candidate);

#endif
