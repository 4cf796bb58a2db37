/*
 * The strict half of reading JSON: is this text one valid value, within our
 * limits? Reads, never builds. Used by json.c alone.
 */
#ifndef GEAK_RECORDS_JSON_SCAN_H
#define GEAK_RECORDS_JSON_SCAN_H

#include <stddef.h>

#include "ground/err.h"

/* Where the digits of one number lie in the text. */
struct json_span {
	size_t start, len;
};

/* The numbers of a text in the order in which they stand there. */
struct json_numbers {
	struct json_span *spans;
	size_t count, cap;
};

/*
 * Checks text[0..len) against RFC 8259 and our limits and collects its numbers
 * into n, which starts zeroed and which the caller empties with
 * json_numbers_release() whatever the outcome. Returns 0 or ERR_RECORD.
 */
int json_scan(const char *text, size_t len, struct json_numbers *n, struct err *e);

void json_numbers_release(struct json_numbers *n);

#endif
