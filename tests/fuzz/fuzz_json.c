/* Any bytes: parse, print, parse again. What was accepted must come back the same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "records/json.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "fuzz_json: failed: %s\n", #condition); \
			abort(); \
		} \
	} while (0)

static void print(const struct json *j, struct buf *out)
{
	buf_init(out, (size_t)8 * JSON_MAX_BYTES);
	CHECK(json_print(j, out) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of exactly this size, so that reading past the end is seen. */
	char *text = malloc(size ? size : 1);
	struct err e = ERR_INIT;
	struct json *j, *again, *copy;
	struct buf once, twice;

	CHECK(text);
	if (size)
		memcpy(text, data, size);
	j = json_parse(text, size, &e);
	free(text);
	CHECK(j || (e.code == ERR_RECORD && e.text[0]));
	if (!j)
		return 0;
	CHECK(json_depth(j) <= JSON_MAX_DEPTH);
	print(j, &once);
	again = json_parse(once.data, once.len, &e);
	CHECK(again);
	CHECK(json_equal(j, again));
	print(again, &twice);
	CHECK(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0);
	copy = json_dup(j);
	CHECK(json_equal(copy, j));
	json_free(copy);
	json_free(again);
	json_free(j);
	buf_release(&once);
	buf_release(&twice);
	return 0;
}
