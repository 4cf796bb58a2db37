#include "domain/task_columns.h"

#include <stdbool.h>
#include <string.h>
#include <uniwidth.h>

#include "ground/text.h"

enum { WIDTH = 80, ID_MAX = 40, TAGS_MAX = 26 };

/* Columns that text takes on a terminal. */
static int width(const char *text)
{
	return u8_strwidth((const uint8_t *)text, "UTF-8");
}

/* Appends text, cut to at most columns and, with fill, padded to them. */
static void add_column(struct buf *line, const char *text, int columns, bool fill)
{
	struct buf masked;

	buf_init(&masked, SIZE_MAX / 2);
	text_add_masked(&masked, text, strlen(text), 0);
	while (masked.len && width(masked.data) > columns) {
		do
			buf_truncate(&masked, masked.len - 1);
		while (masked.len && ((unsigned char)masked.data[masked.len] & 0xC0) == 0x80);
	}
	buf_adds(line, masked.data);
	for (int i = width(masked.data); fill && i < columns; i++)
		buf_addc(line, ' ');
	buf_release(&masked);
}

static void join_tags(const struct json *task, struct buf *out)
{
	for (const struct json *t = json_first(json_get(task, "tags")); t; t = json_next(t)) {
		if (out->len)
			buf_addc(out, ',');
		buf_adds(out, json_string(t));
	}
}

void task_columns_add(const struct task_columns *columns, const struct json *task, struct buf *line)
{
	const char *title = json_get_string(task, "title");
	int64_t difficulty = json_get_int(task, "difficulty", 0);
	struct buf tags;

	buf_init(&tags, SIZE_MAX / 2);
	join_tags(task, &tags);
	add_column(line, json_get_string(task, "id"), columns->id, true);
	buf_adds(line, "  ");
	buf_addc(line, difficulty ? (char)('0' + difficulty) : '-');
	buf_adds(line, "  ");
	add_column(line, tags.data, columns->tags, true);
	buf_adds(line, "  ");
	add_column(line, title ? title : "", WIDTH - width(line->data), false);
	buf_release(&tags);
}

static void widen(int *column, const char *text, int max)
{
	int w = width(text);

	if (w > *column)
		*column = w < max ? w : max;
}

void task_columns_fit(struct task_columns *columns, const struct json *task)
{
	struct buf tags;

	buf_init(&tags, SIZE_MAX / 2);
	join_tags(task, &tags);
	widen(&columns->id, json_get_string(task, "id"), ID_MAX);
	widen(&columns->tags, tags.data, TAGS_MAX);
	buf_release(&tags);
}
