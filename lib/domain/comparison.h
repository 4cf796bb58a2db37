/*
 * One run held against another, task by task: is what it found faster? A comparison owns nothing
 * of the tallies that it was drawn from.
 */
#ifndef GEAK_DOMAIN_COMPARISON_H
#define GEAK_DOMAIN_COMPARISON_H

#include "domain/tally.h"
#include "records/json.h"

/*
 * The member "comparison" of a summary/1; the caller owns it. Its verdict is null when the runs
 * have no task in common. What it tells is in geak-bench(1).
 *
 * Each run's best kernel of a task has a speedup with a 99 % interval, both against the same
 * baseline on the same device but measured apart. The interval of their ratio is had of the two
 * by Zou and Donner 2008, "Construction of confidence limits about effect measures: a general
 * approach" (MOVER), in logarithms; so is that of the mean over tasks.
 */
struct json *comparison_of(const struct tally *before, const struct tally *now);

#endif
