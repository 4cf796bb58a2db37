/*
 * A candidate that comes to a stage behind geak-eval: what such a stage needs of it,
 * checked once. Owns nothing; the texts belong to the record.
 */
#ifndef GEAK_DOMAIN_JUDGED_H
#define GEAK_DOMAIN_JUDGED_H

#include <stdint.h>

#include "ground/err.h"
#include "records/json.h"

enum { JUDGED_ROUNDS = 1000000 }; /* rounds count from 0 to this */

struct judged {
	const char *id, *task_id, *status;
	int64_t round;
};

/* Returns 0, or ERR_RECORD and a sentence for a candidate that was not judged or
 * lacks what everyone else will ask for. */
int judged_read(const struct json *candidate, struct judged *out, struct err *e);

#endif
