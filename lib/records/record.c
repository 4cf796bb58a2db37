#include "records/record.h"

#include <string.h>

enum {
	TEXT_KEPT = 64 * 1024,
	WRAPPER = 8 * 1024, /* what an error/1 adds to the record that it carries, at most */
};

static const char *const kind_names[] = {
	[RECORD_TASK] = "task/1",
	[RECORD_CANDIDATE] = "candidate/1",
	[RECORD_ERROR] = "error/1",
	[RECORD_SUMMARY] = "summary/1",
};

enum record_kind record_kind_of(const struct json *record)
{
	const char *name = json_get_string(record, "geak");

	for (int k = 0; name && k < RECORD_UNKNOWN; k++)
		if (strcmp(name, kind_names[k]) == 0)
			return (enum record_kind)k;
	return RECORD_UNKNOWN;
}

struct json *record_parse(const char *line, size_t len, enum record_kind *kind, struct err *e)
{
	struct json *record = json_parse(line, len, e);

	if (!record)
		return NULL;
	if (!json_get_string(record, "geak")) {
		err_set(e, ERR_RECORD, "not a geak record: %s",
			json_is(record, JSON_OBJECT) ? "the key \"geak\", which names the kind, is missing"
						     : "the line is not a JSON object");
		json_free(record);
		return NULL;
	}
	*kind = record_kind_of(record);
	return record;
}

struct json *record_new(enum record_kind kind)
{
	struct json *record = json_new_object();

	json_set_string(record, "geak", kind_names[kind]);
	return record;
}

static struct json *new_error(const struct record_origin *from, const struct err *why)
{
	struct json *error = record_new(RECORD_ERROR);

	json_set_string(error, "tool", from->tool);
	json_set_string(error, "input", from->input);
	json_set_int(error, "line", (int64_t)from->line);
	json_set_string(error, "reason", why->text);
	return error;
}

struct json *record_error(const struct record_origin *from, const struct err *why,
			  const struct json *record)
{
	struct json *error;
	struct buf text;

	if (!record)
		return new_error(from, why);
	buf_init(&text, SIZE_MAX / 2);
	json_print(record, &text);
	/* A record at the limit would be past it inside another one; its text is not. */
	if (text.len > JSON_MAX_BYTES - WRAPPER || json_depth(record) >= JSON_MAX_DEPTH) {
		error = record_error_text(from, why, text.data, text.len, text.len);
	} else {
		error = new_error(from, why);
		json_set(error, "record", json_dup(record));
	}
	buf_release(&text);
	return error;
}

struct json *record_error_text(const struct record_origin *from, const struct err *why,
			       const char *text, size_t len, size_t full_len)
{
	struct json *error = new_error(from, why);

	json_set(error, "text", json_new_stringn(text, len < TEXT_KEPT ? len : TEXT_KEPT));
	json_set_int(error, "bytes", (int64_t)full_len);
	return error;
}

const struct json *record_task(const struct json *record)
{
	const struct json *task;

	if (record_kind_of(record) == RECORD_TASK)
		return record;
	task = json_get(record, "task");
	return json_is(task, JSON_OBJECT) ? task : NULL;
}

const char *record_id(const struct json *record)
{
	const char *id = json_get_string(record, "id");

	if (!id)
		id = json_get_string(record_task(record), "id");
	return id ? id : "(no id)";
}

int record_print(const struct json *record, struct buf *text, struct err *e)
{
	if (json_print(record, text) || json_depth(record) > JSON_MAX_DEPTH)
		return err_set(e, ERR_RECORD, "the resulting record is larger or deeper than the next "
			       "stage would read: at most 16 MiB and 128 levels");
	return 0;
}
