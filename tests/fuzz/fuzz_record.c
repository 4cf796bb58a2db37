/* Any bytes as a stream: the lines come out as they went in, the place is never lost, and
 * each becomes a record or an error/1 that can be printed and read again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ground/line.h"
#include "records/record.h"

enum { LINE_MAX_HERE = 8192 }; /* so that a fuzzer reaches lines that are too long */

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "fuzz_record: failed: %s\n", #condition); \
			abort(); \
		} \
	} while (0)

static int as_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static void check_record(const struct json *record, enum record_kind kind)
{
	enum record_kind again;
	struct json *copy;
	struct buf text;

	buf_init(&text, (size_t)8 * JSON_MAX_BYTES);
	CHECK(json_print(record, &text) == 0 && !memchr(text.data, '\n', text.len));
	copy = record_parse(text.data, text.len, &again, NULL);
	CHECK(copy && again == kind && json_equal(record, copy));
	json_free(copy);
	buf_release(&text);
}

static void check_line(const struct record_origin *from, const struct line *line, bool too_long)
{
	struct err e = ERR_INIT;
	enum record_kind kind = RECORD_ERROR;
	struct json *record = too_long ? NULL : record_parse(line->text, line->len, &kind, &e);

	if (too_long)
		err_set(&e, ERR_RECORD, "too long");
	if (!record) {
		CHECK(e.code == ERR_RECORD && *e.text);
		record = record_error_text(from, &e, line->text, line->len, line->full_len);
		kind = RECORD_ERROR;
	} else {
		struct json *error = record_error(from, &(struct err){ .code = ERR_RECORD }, record);

		check_record(error, RECORD_ERROR);
		CHECK(record_id(record));
		json_free(error);
	}
	check_record(record, kind);
	json_free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = as_file(data, size);
	struct line_reader reader;
	struct line line;
	enum line_status status;
	size_t at = 0;

	line_init(&reader, fd, LINE_MAX_HERE);
	for (uint64_t n = 1; (status = line_next(&reader, true, &line)) != LINE_EOF; n++) {
		struct record_origin from = { "fuzz", "input", n };

		CHECK(status == LINE_OK || status == LINE_TOO_LONG);
		CHECK(line.len <= line.full_len && at + line.full_len <= size);
		CHECK(memcmp(line.text, data + at, line.len) == 0);
		at += line.full_len + line.complete;
		check_line(&from, &line, status == LINE_TOO_LONG);
	}
	CHECK(at == size);
	line_release(&reader);
	close(fd);
	return 0;
}
