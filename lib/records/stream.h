/*
 * The loop round every stage: records in, one at a time, from files or standard
 * input; records out, in order. The stream itself takes care of what is the
 * same everywhere: lines that are no records become error/1, kinds that the
 * stage does not handle pass through byte for byte, and at the end the exit
 * status says whether anything went wrong.
 *
 * stream_next() hands an item to the caller, who ends it with exactly one of
 * stream_done() and stream_fail(). Putting and ending are safe from any thread;
 * stream_next() is for one thread.
 */
#ifndef GEAK_RECORDS_STREAM_H
#define GEAK_RECORDS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ground/err.h"
#include "records/record.h"

struct stream;

struct stream_config {
	const char *tool;
	char *const *inputs;  /* NULL-terminated file names; none, or "-", is standard input */
	unsigned handles;     /* STREAM_KIND() bits of the kinds that the stage wants to see */
	size_t capacity;      /* items that may be open at once; 1 for a plain loop */
	bool unordered;
	bool silent;          /* write no records at all: standard output is for a person */
};

#define STREAM_KIND(kind) (1U << (kind))

struct stream_item {
	struct json *record;  /* the stream's; the stage may change it until the item ends */
	enum record_kind kind;
	uint64_t ticket;
	struct record_origin from;
	const char *line;     /* as it was read; valid until the next stream_next() */
	size_t line_len;
	const struct json *samples; /* the only ones that this, or an error/1 of it, is about; or NULL */
};

enum stream_status {
	STREAM_ITEM,
	STREAM_END,
	STREAM_AGAIN,         /* only without wait: no line yet, or no room for one more item */
};

/* NULL, with a usage error, when an input cannot be opened or is the output as well. */
struct stream *stream_open(const struct stream_config *config, struct err *e);

/* Whether path is one of the files that are read. */
bool stream_reads(const struct stream *s, const char *path);

enum stream_status stream_next(struct stream *s, bool wait, struct stream_item *item);

/* An item for records that belong to no line, such as a summary at the end. It
 * has no record of its own; end it like any other. */
void stream_trailer(struct stream *s, struct stream_item *item);

/* True when one more item could be opened. */
bool stream_has_room(struct stream *s);

/* The descriptor to poll after STREAM_AGAIN; -1 when it is not input that is lacking. */
int stream_fd(struct stream *s);

/* Emits a record under an item. The caller keeps the record. */
void stream_put(struct stream *s, const struct stream_item *item, const struct json *record);

/* Emits an item's line byte for byte as it was read. For the time until the next
 * stream_next() alone. */
void stream_pass(struct stream *s, const struct stream_item *item);

/* Emits text that is no record, with a newline after it, in an item's place. */
void stream_put_text(struct stream *s, const struct stream_item *item, const char *text,
		     size_t len);

/* Emits an error/1 that carries the item's record, and says so on standard error. */
void stream_put_error(struct stream *s, const struct stream_item *item, const struct err *why);

/* The same without a word on standard error, for when the reason has been told. */
void stream_put_error_silently(struct stream *s, const struct stream_item *item,
			       const struct err *why);

/* Ends an item and frees its record. */
void stream_done(struct stream *s, struct stream_item *item);
void stream_fail(struct stream *s, struct stream_item *item, const struct err *why);

/* True once a write has failed: no use going on. */
bool stream_broken(struct stream *s);

/* Closes everything, standard output too, and returns the exit status: 0, 1
 * when some records became errors, 74 when reading or writing failed. */
int stream_close(struct stream *s);

#endif
