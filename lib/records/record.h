/*
 * The kinds of record that pass between the tools, and how one becomes an
 * error/1. Field by field they are described in geak-record(5).
 */
#ifndef GEAK_RECORDS_RECORD_H
#define GEAK_RECORDS_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "ground/err.h"
#include "records/json.h"

enum record_kind {
	RECORD_TASK,
	RECORD_CANDIDATE,
	RECORD_ERROR,
	RECORD_SUMMARY,
	RECORD_UNKNOWN, /* some other "geak" kind or version: pass it on untouched */
};

/* Parses a line. NULL on error; a line without a "geak" string is one. */
struct json *record_parse(const char *line, size_t len, enum record_kind *kind, struct err *e);

enum record_kind record_kind_of(const struct json *record);

/* A new record of that kind with nothing but "geak" in it. */
struct json *record_new(enum record_kind kind);

/* Where a record came from, for messages. */
struct record_origin {
	const char *tool;  /* "geak-eval" */
	const char *input; /* a file's name or "standard input" */
	uint64_t line;     /* counted from 1 */
};

/* An error/1 that carries the record (copied) that could not be handled; of one
 * too large or too deep to be carried, its text. With a NULL record it carries none. */
struct json *record_error(const struct record_origin *from, const struct err *why,
			  const struct json *record);

/* An error/1 for a line that is no record. Of a text longer than 64 KiB the
 * beginning is kept; "bytes" always tells the full length. */
struct json *record_error_text(const struct record_origin *from, const struct err *why,
			       const char *text, size_t len, size_t full_len);

/* The task that a record carries: itself, or a candidate's. NULL if none. */
const struct json *record_task(const struct json *record);

/* A record's id for messages: its "id", or its task's, or "(no id)". */
const char *record_id(const struct json *record);

/*
 * Prints the record into text, whose maximum is JSON_MAX_BYTES. Returns 0, or ERR_RECORD when it is
 * larger or deeper than what the next stage reads.
 */
int record_print(const struct json *record, struct buf *text, struct err *e);

#endif
