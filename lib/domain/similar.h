/*
 * Which of several texts is most like another: shared words, the rare ones
 * counting more. Deterministic, and good enough to choose one of a dozen examples.
 * Owns nothing.
 */
#ifndef GEAK_DOMAIN_SIMILAR_H
#define GEAK_DOMAIN_SIMILAR_H

#include <stddef.h>

/* The index of the text most like query; of equals the first. n is at least 1.
 * score, when not NULL, gets the likeness, from 0 (nothing shared) to 1. */
size_t similar_best(const char *query, const char *const *texts, size_t n, double *score);

#endif
