/* What timing.c, who has all cases timed, and timing_case.c, who times one, have in common. */
#ifndef GEAK_DOMAIN_TIMING_IMPL_H
#define GEAK_DOMAIN_TIMING_IMPL_H

#include "domain/subject.h"
#include "domain/timing.h"

struct session {
	struct trial *trial;
	struct timing *timing;
	struct subject subjects[SUBJECTS_MAX];
	const char *sources[SUBJECTS_MAX]; /* NULL: the reference */
	bool out[SUBJECTS_MAX];  /* a baseline that failed: the others go on */
	struct stats_random random;
	struct json *gives;      /* results of timed calls, for the oracle */
};

/* Times a case, a number in the oracle's cases: until enough is known, or, where there are times
 * from other processes already, a few more rounds. False when it cannot go on: the candidate, or
 * the judge, gave no answer. A baseline that gives none is left out, with a note. */
bool timing_one(struct session *s, struct timed_case *c, int64_t number);

#endif
