/*
 * eval.profile: hardware counters of a candidate's kernels, by its vendor's profiler. Theory of
 * operation:
 *
 * A profiler starts the process that it looks into, so that process is no fork of a zygote. But
 * the profiler itself is started by one, in the role of harness/profiler.py, in the same box as
 * any run of the candidate, and with it all that it starts: a Python that loads the source and
 * calls the entry on the inputs of the largest case to be timed. It has no reference and no key
 * in its environment, works with the GPU alone, and when its time is up all of it is killed.
 *
 * In that box the candidate could write the profiler's tables itself. Therefore nothing of a
 * verdict hangs on them, and of what is reported only figures with a known name, in the range
 * that such a figure has, come into the record. Owns nothing.
 */
#ifndef GEAK_DOMAIN_PROFILE_H
#define GEAK_DOMAIN_PROFILE_H

#include "domain/trial.h"

/* Runs the profiler on the candidate of a trial that passed. The caller frees the record; where
 * there are no counters it says why, in a sentence. */
struct json *profile_record(struct trial *t);

#endif
