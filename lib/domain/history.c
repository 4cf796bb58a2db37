#include "domain/history.h"

#include <string.h>

#include "domain/candidate.h"

enum {
	SOURCES_SHOWN = 2,               /* of the newest tries */
	SOURCE_BYTES = 12 * 1024,        /* a longer source is not repeated */
	MESSAGE_BYTES = 300,
};

static const char *text_of(const struct json *obj, const char *key)
{
	const char *text = json_get_string(obj, key);

	return text ? text : "";
}

/* The line that says it: the last one, as Triton puts the place before the reason; the
 * first where the last is but the mark under the place. */
static struct json *reason_in(const char *message)
{
	static const char blanks[] = " \t\r\n", mark[] = " \t\r\n^";
	size_t end = strlen(message), len;
	const char *line;

	while (end > 0 && strchr(blanks, message[end - 1]))
		end--;
	line = message + end;
	while (line > message && line[-1] != '\n')
		line--;
	if (line[strspn(line, mark)] == '\0')
		line = message;
	len = strcspn(line, "\r\n");
	return json_new_stringn(line, len < MESSAGE_BYTES ? len : MESSAGE_BYTES);
}

static struct json *try_vars(const struct json *entry, size_t number, size_t from_newest)
{
	struct json *vars = json_new_object();
	const char *source = text_of(entry, "source");
	int shown = from_newest < SOURCES_SHOWN && strlen(source) <= SOURCE_BYTES;

	json_set_int(vars, "number", (int64_t)number);
	json_set_int(vars, "round", json_get_int(entry, "round", 0));
	json_set_string(vars, "tool", text_of(entry, "tool"));
	json_set_string(vars, "status", text_of(entry, "status"));
	json_set_string(vars, "class", text_of(entry, "class"));
	json_set(vars, "message", reason_in(text_of(entry, "message")));
	json_set_string(vars, "source", shown ? source : "");
	return vars;
}

struct json *history_vars(const struct json *candidate)
{
	const struct json *history = json_get(candidate, "history"), *h;
	struct json *vars = json_new_array();
	size_t count = 0, seen = 0, number = 0;

	for (h = json_first(history); h; h = json_next(h))
		count += json_is(h, JSON_OBJECT);
	for (h = json_first(history); h; h = json_next(h)) {
		if (!json_is(h, JSON_OBJECT) || ++seen + CANDIDATE_HISTORY <= count)
			continue;
		number++;
		json_push(vars, try_vars(h, number, count - seen));
	}
	return vars;
}
