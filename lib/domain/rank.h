/*
 * Which of two candidates is the better one. A struct rank holds what decides,
 * taken out of a record once, so that a population can be sorted without its
 * trees. It owns nothing: id belongs to the record.
 *
 * The order is total, so that any sort gives the same result:
 *   1. how far it came: passed, wrong answer, failed in the call, failed to
 *      compile, not judged, caught cheating; of wrong answers, more cases right;
 *   2. the measured speedup, a measured one before one that was not measured;
 *   3. the code object for the primary target: fewer spilled registers, higher
 *      occupancy (of the worst kernel), more matrix instructions, fewer vector
 *      registers (of the largest kernel); a known figure before an unknown one;
 *   4. the earlier round, then the smaller id.
 */
#ifndef GEAK_DOMAIN_RANK_H
#define GEAK_DOMAIN_RANK_H

#include <stdbool.h>

#include "records/json.h"

struct rank {
	int reached;       /* greater is better; RANK_PASSED at the top */
	double cases_ok;   /* share of the checked cases that were right */
	double speedup;    /* NAN when not measured */
	double spills;     /* of vector and scalar registers, summed over kernels; NAN unknown */
	double occupancy;  /* waves a SIMD, lowest of the kernels; NAN unknown */
	double mfma;       /* MFMA and WMMA instructions, summed; NAN unknown */
	double vgprs;      /* a thread, highest of the kernels; NAN unknown */
	double round;
	const char *id;    /* "" when the candidate has none */
};

enum { RANK_PASSED = 5 };

void rank_of(const struct json *candidate, struct rank *out);

/* Negative when a is better, positive when b is, 0 when nothing tells them apart. */
int rank_compare_keys(const struct rank *a, const struct rank *b);

/* The same for two records. */
int rank_compare(const struct json *a, const struct json *b);

/* True when the candidate was judged and its status is "pass". */
bool rank_passed(const struct json *candidate);

#endif
