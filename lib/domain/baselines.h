/*
 * What the times of a candidate are held against, as --baseline names it.
 *
 * A struct baselines is set up by baselines_parse() and owns what it names.
 */
#ifndef GEAK_DOMAIN_BASELINES_H
#define GEAK_DOMAIN_BASELINES_H

#include <stdbool.h>
#include <stddef.h>

#include "ground/err.h"
#include "records/json.h"

enum { BASELINES_MAX = 4 };

struct baseline {
	enum baseline_kind {
		BASELINE_EAGER,   /* the reference */
		BASELINE_COMPILE, /* the reference through torch.compile */
		BASELINE_SEED,    /* the task's seed_source */
		BASELINE_RECORD,  /* the candidate of the same task in a file */
	} kind;
	char *path;               /* of BASELINE_RECORD */
	struct json *records;     /* {task id: the source} of that file, or NULL */
};

struct baselines {
	struct baseline all[BASELINES_MAX]; /* the first is what eval.perf.speedup is about */
	size_t n;
};

/*
 * From a list such as "eager,compile,winners.jsonl"; "none" is none at all. Of several passing
 * candidates of a task in a file the fastest is taken, or the first. ERR_USAGE for a list that
 * is none, or a file that cannot be read.
 */
int baselines_parse(struct baselines *b, const char *list, struct err *e);

/* Whether one of them needs torch.compile. */
bool baselines_compile(const struct baselines *b);

/* A name for people and records: "eager", "compile", "seed", or the file's path. */
const char *baseline_name(const struct baseline *b);

/* The source to time beside a candidate of that task: NULL for the reference's own, and where
 * there is none for this task. */
const char *baseline_source(const struct baseline *b, const struct json *task);

void baselines_release(struct baselines *b);

#endif
