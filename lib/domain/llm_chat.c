/* OpenAI's chat completions, which many servers speak. */
#include "domain/llm_wire.h"

void llm_chat_messages(struct json *question, const struct llm_request *req, bool mark)
{
	(void)mark; /* a prompt that was sent before is found without being marked */
	json_set(question, "messages", json_dup(req->messages));
}

/* A text, or a list of parts of which those of type "text" count. */
static void take_content(const struct json *content, struct llm_wire_text *t)
{
	const struct json *part;

	if (json_is(content, JSON_STRING))
		buf_adds(&t->text, json_string(content));
	if (!json_is(content, JSON_ARRAY))
		return;
	for (part = json_first(content); part; part = json_next(part)) {
		const char *text = json_get_string(part, "text");

		if (text)
			buf_adds(&t->text, text);
	}
}

static void take(const struct json *j, const char *where, struct llm_wire_text *t)
{
	const struct json *choice = json_at(json_get(j, "choices"), 0);
	const struct json *said = json_get(choice, where);
	const char *refusal = json_get_string(said, "refusal");

	take_content(json_get(said, "content"), t);
	if (refusal) /* words that stand in the place of the content */
		buf_adds(&t->text, refusal);
	llm_wire_set_reason(t->finish_reason, sizeof(t->finish_reason),
			    json_get_string(choice, "finish_reason"));
	llm_wire_usage(json_get(j, "usage"), &t->usage);
}

void llm_chat_whole(const struct json *reply, struct llm_wire_text *t)
{
	if (!json_at(json_get(reply, "choices"), 0))
		err_set(&t->failed, ERR_RECORD, "the answer holds no \"choices\"");
	take(reply, "message", t);
}

void llm_chat_event(const struct json *e, struct llm_wire_text *t)
{
	take(e, "delta", t);
}
