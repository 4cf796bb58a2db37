/* OpenAI's Responses. */
#include <string.h>

#include "domain/llm_wire.h"

void llm_responses_messages(struct json *question, const struct llm_request *req, bool mark)
{
	(void)mark;
	json_set(question, "input", json_dup(req->messages));
	json_set_bool(question, "store", false); /* the service would keep it for 30 days */
}

/* Of the items of its output the messages count, not what it thought. */
static void take_output(const struct json *output, struct llm_wire_text *t)
{
	for (const struct json *item = json_first(output); item; item = json_next(item)) {
		const char *type = json_get_string(item, "type");
		const struct json *part = json_first(json_get(item, "content"));

		if (!type || strcmp(type, "message") != 0)
			continue;
		for (; part; part = json_next(part)) {
			const char *text = json_get_string(part, "text");
			const char *refusal = json_get_string(part, "refusal");

			if (text || refusal)
				buf_adds(&t->text, text ? text : refusal);
		}
	}
}

static void take_end(const struct json *reply, struct llm_wire_text *t)
{
	const char *status = json_get_string(reply, "status");
	const char *why = json_get_string(json_get(reply, "incomplete_details"), "reason");

	llm_wire_set_reason(t->finish_reason, sizeof(t->finish_reason), why ? why : status);
	llm_wire_usage(json_get(reply, "usage"), &t->usage);
}

void llm_responses_whole(const struct json *reply, struct llm_wire_text *t)
{
	if (!json_is(json_get(reply, "output"), JSON_ARRAY))
		err_set(&t->failed, ERR_RECORD, "the answer holds no \"output\"");
	take_output(json_get(reply, "output"), t);
	take_end(reply, t);
}

void llm_responses_event(const struct json *e, struct llm_wire_text *t)
{
	const char *type = json_get_string(e, "type"), *delta = json_get_string(e, "delta");
	const struct json *reply = json_get(e, "response");

	if (!type)
		return;
	if (delta && (strcmp(type, "response.output_text.delta") == 0
		      || strcmp(type, "response.refusal.delta") == 0)) {
		buf_adds(&t->text, delta);
	} else if (strcmp(type, "response.failed") == 0) {
		if (!llm_wire_failed(reply, t))
			err_set(&t->failed, ERR_RECORD, "the service reports a failure, and no reason");
	} else if (strcmp(type, "response.completed") == 0
		   || strcmp(type, "response.incomplete") == 0) {
		if (t->text.len == 0)
			take_output(json_get(reply, "output"), t);
		take_end(reply, t);
		t->ended = true;
	}
}
