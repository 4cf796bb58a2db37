/* Anthropic's Messages. */
#include <math.h>
#include <string.h>

#include "domain/llm_http.h"
#include "domain/llm_wire.h"

enum { MAX_TOKENS = 8192 }; /* the service insists on a number */

/* The system's text stands beside the messages here, not among them. */
static struct json *question(const struct llm_config *config, const char *name,
			     const struct json *messages)
{
	struct json *q = json_new_object(), *rest = json_new_array();
	const struct json *m;

	json_set_string(q, "model", name);
	json_set_int(q, "max_tokens", config->max_tokens ? config->max_tokens : MAX_TOKENS);
	for (m = json_first(messages); m; m = json_next(m)) {
		const char *role = json_get_string(m, "role");

		if (role && strcmp(role, "system") == 0)
			json_set_string(q, "system", json_get_string(m, "content"));
		else
			json_push(rest, json_dup(m));
	}
	json_set(q, "messages", rest);
	if (!isnan(config->temperature))
		json_set_number(q, "temperature", config->temperature);
	if (config->stream)
		json_set_bool(q, "stream", true);
	return q;
}

static void whole(const struct json *reply, struct llm_wire_text *t)
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

static void event(const struct json *e, struct llm_wire_text *t)
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

const struct llm_wire llm_anthropic_wire = { "/v1/messages", question, whole, event };

static const char *const headers[] = { "anthropic-version: 2023-06-01", NULL };

const struct llm_service llm_anthropic_service = {
	.wire = &llm_anthropic_wire,
	.base = "https://api.anthropic.com",
	.base_variable = "ANTHROPIC_BASE_URL",
	.key_variable = "ANTHROPIC_API_KEY",
	.key_required = true,
	.key_header = "x-api-key: ",
	.headers = headers,
};
