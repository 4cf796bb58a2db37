/* Anthropic's Messages. */
#include <string.h>

#include "domain/llm_wire.h"

/* The end of what the service is to keep, for the next that begins with the same. */
static struct json *marked(const char *text)
{
	struct json *list = json_new_array(), *block = json_new_object();
	struct json *mark = json_new_object();

	json_set_string(mark, "type", "ephemeral");
	json_set_string(block, "type", "text");
	json_set_string(block, "text", text);
	json_set(block, "cache_control", mark);
	json_push(list, block);
	return list;
}

/* The system's text stands beside the messages here, not among them. */
void llm_messages_messages(struct json *question, const struct llm_request *req, bool mark)
{
	struct json *rest = json_new_array();
	const struct json *m;

	for (m = json_first(req->messages); m; m = json_next(m)) {
		const char *role = json_get_string(m, "role");
		struct json *copy;

		if (role && strcmp(role, "system") == 0) {
			json_set_string(question, "system", json_get_string(m, "content"));
			continue;
		}
		copy = json_dup(m);
		if (mark && !json_next(m))
			json_set(copy, "content", marked(json_get_string(m, "content")));
		json_push(rest, copy);
	}
	json_set(question, "messages", rest);
}

void llm_messages_whole(const struct json *reply, struct llm_wire_text *t)
{
	const struct json *content = json_get(reply, "content"), *part;

	if (!json_is(content, JSON_ARRAY))
		err_set(&t->failed, ERR_RECORD, "the answer holds no \"content\"");
	for (part = json_first(content); part; part = json_next(part)) {
		const char *type = json_get_string(part, "type");
		const char *text = json_get_string(part, "text");

		if (type && text && strcmp(type, "text") == 0)
			buf_adds(&t->text, text);
	}
	llm_wire_set_reason(t->finish_reason, sizeof(t->finish_reason),
			    json_get_string(reply, "stop_reason"));
	llm_wire_usage(json_get(reply, "usage"), &t->usage);
}

void llm_messages_event(const struct json *e, struct llm_wire_text *t)
{
	const struct json *delta = json_get(e, "delta");
	const char *type = json_get_string(e, "type");
	const char *text = json_get_string(delta, "text");

	if (!type)
		return;
	if (strcmp(type, "content_block_delta") == 0 && text)
		buf_adds(&t->text, text);
	llm_wire_set_reason(t->finish_reason, sizeof(t->finish_reason),
			    json_get_string(delta, "stop_reason"));
	llm_wire_usage(json_get(json_get(e, "message"), "usage"), &t->usage);
	llm_wire_usage(json_get(e, "usage"), &t->usage);
	if (strcmp(type, "message_stop") == 0)
		t->ended = true;
}
