/*
 * Signs of a kind of mistake, for the rules of failure.c: what a phrase of a message alone cannot
 * express. Owns nothing; the evidence is the caller's.
 */
#ifndef GEAK_DOMAIN_FAILURE_SIGNS_H
#define GEAK_DOMAIN_FAILURE_SIGNS_H

#include <stdbool.h>

#include "records/json.h"

/* What the rules look at. Texts are never NULL. */
struct evidence {
	const char *status, *class, *message, *log, *source;
	const char *compiled;     /* what the compiler said about the primary target */
	const struct json *check; /* the first that failed; NULL if none did */
	const struct json *checks, *launches, *task;
};

/* The message, or what the compiler said, holds that phrase. */
bool failure_says(const struct evidence *ev, const char *phrase);

/* The kernel read or wrote where nothing of its own is; glibc says so in its own words. */
bool failure_bad_address(const struct evidence *ev);
bool failure_bad_address_unguarded(const struct evidence *ev); /* and a line of it has no mask */

/* The interpreter lets a load go outside, and geak-eval says so in the log. */
bool failure_reads_outside(const struct evidence *ev);
bool failure_reads_outside_unguarded(const struct evidence *ev);

/* Wrong only where the last block is not full, and a line has no mask. */
bool failure_wrong_tail_unguarded(const struct evidence *ev);

/* Right on plain inputs and wrong on those whose strides are unusual. */
bool failure_only_odd_layouts(const struct evidence *ev);

/* Near, but not near enough, in every case: the sum of rounding errors, not a wrong element,
 * nor a normaliser that is a little off. */
bool failure_drifted(const struct evidence *ev);

/* Zeros stand in for what lies outside, and a maximum or an exponential makes something of them. */
bool failure_reduces_zeros(const struct evidence *ev);

/* NaN or infinity where a number belongs: something overflowed, or was 0/0. NaN is also what
 * the judge fills fresh memory with: in one place alone it is what nobody wrote. */
bool failure_not_finite(const struct evidence *ev);

/* Adds atomically to memory that nobody set to zero, or lets every program write the same. */
bool failure_races(const struct evidence *ev);

/* The two types of a loop-carried variable: "<['64'], fp32>" for a block, "fp32" for a scalar. */
bool failure_changes_shape(const struct evidence *ev);

/* What geak-eval says of a result that is not even of the right form. */
bool failure_check_says_dtype(const struct evidence *ev);
bool failure_check_says_structure(const struct evidence *ev);

#endif
