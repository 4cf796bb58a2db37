/*
 * Judges all records of a stream, several at once: each worker takes one that was read,
 * has it judged and puts it out.
 */
#ifndef GEAK_DOMAIN_JUDGING_H
#define GEAK_DOMAIN_JUDGING_H

#include "domain/judge.h"
#include "records/stream.h"

enum { JUDGING_WORKERS_MAX = 256 };

struct judging {
	struct judge *judge;
	struct stream *stream;   /* which is closed at the end */
	size_t workers;          /* JUDGING_WORKERS_MAX at most */
	bool unordered;          /* verdicts may leave as they come, see domain/queue.h */
	bool lint;               /* the records are tasks, see domain/lint.h */
};

/* Returns the tool's exit status; what went wrong has been told. */
int judging_run(const struct judging *what);

#endif
