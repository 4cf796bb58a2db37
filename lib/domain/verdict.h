/* From what a trial brought to light to its verdict. */
#ifndef GEAK_DOMAIN_VERDICT_H
#define GEAK_DOMAIN_VERDICT_H

#include "domain/timing.h"
#include "domain/trial.h"

struct verdict {
	const char *status, *stage; /* as in a record */
	struct json *error;         /* the caller's; NULL when there is nothing to say against it */
	const struct buf *log;      /* the trial's: what was printed where it went wrong */
};

/* With the times, or NULL where none were taken. */
struct verdict verdict_of(const struct trial *t, const struct timing *timing);

/* Whether what was seen so far makes it a pass: then it may be timed. */
bool verdict_is_pass(const struct trial *t);

#endif
