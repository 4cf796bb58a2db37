/* OpenAI's chat completions, which many servers speak. */
#include <math.h>

#include "domain/llm_http.h"
#include "domain/llm_wire.h"

static struct json *question(const struct llm_config *config, const char *name,
			     const struct json *messages)
{
	struct json *q = json_new_object();

	if (*name)
		json_set_string(q, "model", name);
	json_set(q, "messages", json_dup(messages));
	if (!isnan(config->temperature))
		json_set_number(q, "temperature", config->temperature);
	if (config->stream) {
		struct json *options = json_new_object();

		json_set_bool(q, "stream", true);
		json_set_bool(options, "include_usage", true);
		json_set(q, "stream_options", options);
	}
	return q;
}

static struct json *url_question(const struct llm_config *config, const char *name,
				 const struct json *messages)
{
	struct json *q = question(config, name, messages);

	if (config->max_tokens)
		json_set_int(q, "max_tokens", config->max_tokens);
	return q;
}

/* OpenAI's own newer models refuse the older name, which other servers want. */
static struct json *own_question(const struct llm_config *config, const char *name,
				 const struct json *messages)
{
	struct json *q = question(config, name, messages);

	if (config->max_tokens)
		json_set_int(q, "max_completion_tokens", config->max_tokens);
	return q;
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

	take_content(json_get(json_get(choice, where), "content"), t);
	llm_wire_set_reason(t->finish_reason, sizeof(t->finish_reason),
			    json_get_string(choice, "finish_reason"));
	llm_wire_usage(json_get(j, "usage"), &t->usage);
}

static void whole(const struct json *reply, struct llm_wire_text *t)
{
	if (!json_at(json_get(reply, "choices"), 0))
		err_set(&t->failed, ERR_RECORD, "the answer holds no \"choices\"");
	take(reply, "message", t);
}

static void event(const struct json *e, struct llm_wire_text *t)
{
	take(e, "delta", t);
}

static const struct llm_wire own_wire = { "/chat/completions", own_question, whole, event };
const struct llm_wire llm_openai_wire = { "/chat/completions", url_question, whole, event };

const struct llm_service llm_openai_service = {
	.wire = &own_wire,
	.base = "https://api.openai.com/v1",
	.base_variable = "OPENAI_BASE_URL",
	.key_variable = "OPENAI_API_KEY",
	.key_required = true,
	.key_header = "Authorization: Bearer ",
};

const struct llm_service llm_url_service = {
	.wire = &llm_openai_wire,
	.key_variable = "GEAK_API_KEY",
	.key_header = "Authorization: Bearer ",
};
