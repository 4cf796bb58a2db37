/*
 * Which of two candidates is the better one. A struct rank holds what decides,
 * taken out of a record once, so that a population can be sorted without its
 * trees. It owns nothing: id belongs to the record.
 *
 * The order is total, so that any sort gives the same result:
 *   1. how far it came: passed, nothing found wrong but nothing compared, wrong
 *      answer, failed in the call, failed to compile, not judged, caught
 *      cheating; of wrong answers, more cases right;
 *   2. the measured speedup, a measured one before one that was not measured;
 *   3. the code objects for the primary target: fewer spilled registers, higher
 *      occupancy, more matrix instructions, fewer vector registers; a known
 *      figure before an unknown one. Each is that of the kernel in which it is
 *      worst (of matrix instructions: best), and not a sum, since one candidate
 *      compiles to more specialisations of a kernel than another;
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
	double spills;     /* vector and scalar registers, the most of a kernel; NAN unknown */
	double occupancy;  /* waves a SIMD, the lowest; NAN unknown */
	double mfma;       /* MFMA and WMMA instructions, the most; NAN unknown */
	double vgprs;      /* a thread, the most; NAN unknown */
	double round;
	const char *id;    /* "" when the candidate has none */
};

enum { RANK_PASSED = 6 };

void rank_of(const struct json *candidate, struct rank *out);

/* Negative when a is better, positive when b is, 0 when nothing tells them apart. */
int rank_compare_keys(const struct rank *a, const struct rank *b);

/* The same for two records. */
int rank_compare(const struct json *a, const struct json *b);

/* True when the candidate was judged and its status is "pass". */
bool rank_passed(const struct json *candidate);

#endif
