/* What services send, read without a service. */
#include "unit.h"

#include <math.h>

#include "domain/llm_wire.h"

struct result {
	struct llm_wire_text t;
	struct err e;
	int rc;
};

static struct result read_with(const struct llm_dialect *dialect, const char *body)
{
	struct result r = { .e = ERR_INIT };

	llm_wire_init(&r.t);
	r.rc = llm_wire_read(dialect, body, strlen(body), &r.t, &r.e);
	return r;
}

static void expect_text(const struct llm_dialect *dialect, const char *body, const char *text,
			const char *reason)
{
	struct result r = read_with(dialect, body);

	if (r.rc)
		fail_msg("%s: %s", body, r.e.text);
	assert_string_equal(r.t.text.data, text);
	assert_string_equal(r.t.finish_reason, reason);
	llm_wire_release(&r.t);
}

static void expect_failure(const struct llm_dialect *dialect, const char *body, int code,
			   const char *sentence)
{
	struct result r = read_with(dialect, body);

	assert_int_equal(r.rc, code);
	if (!strstr(r.e.text, sentence))
		fail_msg("%s: %s", body, r.e.text);
	llm_wire_release(&r.t);
}

static void expect_error(const struct llm_dialect *dialect, const char *body, const char *sentence)
{
	expect_failure(dialect, body, ERR_RECORD, sentence);
}

#define OPENAI (&llm_dialects[LLM_CHAT])
#define ANTHROPIC (&llm_dialects[LLM_MESSAGES])
#define RESPONSES (&llm_dialects[LLM_RESPONSES])
#define DELTA(text) "data: {\"choices\":[{\"delta\":{\"content\":\"" text "\"}}]}"
#define END "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}"

#define MESSAGE "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\"}," \
		"{\"type\":\"output_text\",\"text\":\"b\"}]}"
#define RESPONSE_EVENT(type, more) "event: " type "\ndata: {\"type\":\"" type "\"," more "}\n\n"

static void whole_replies(void **state)
{
	(void)state;
	expect_text(OPENAI, "{\"choices\":[{\"message\":{\"content\":\"x\\ny\"},"
		    "\"finish_reason\":\"length\"}]}", "x\ny", "length");
	expect_text(OPENAI, "  \n{\"choices\":[{\"message\":{\"content\":null}}]}", "", "");
	expect_text(OPENAI, "{\"choices\":[{\"message\":{\"content\":[{\"type\":\"text\","
		    "\"text\":\"a\"},{\"type\":\"image\"},{\"type\":\"text\",\"text\":\"b\"}]}}]}",
		    "ab", "");
	expect_text(ANTHROPIC, "{\"content\":[{\"type\":\"thinking\",\"thinking\":\"no\"},"
		    "{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}],"
		    "\"stop_reason\":\"max_tokens\"}", "ab", "length");
	expect_text(ANTHROPIC, "{\"content\":[],\"stop_reason\":\"refusal\"}", "", "refusal");
	expect_text(OPENAI, "{\"choices\":[{\"message\":{\"content\":null,\"refusal\":\"No.\"}}]}",
		    "No.", "");
	expect_text(RESPONSES, "{\"status\":\"completed\",\"error\":null,\"output\":[{\"type\":"
		    "\"reasoning\",\"content\":[{\"text\":\"hm\"}]}," MESSAGE "]}", "ab", "stop");
	expect_text(RESPONSES, "{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":"
		    "\"max_output_tokens\"},\"output\":[]}", "", "length");
	expect_text(RESPONSES, "{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":"
		    "\"content_filter\"},\"output\":[{\"type\":\"message\",\"content\":[{\"type\":"
		    "\"refusal\",\"refusal\":\"No.\"}]}]}", "No.", "content_filter");
}

static void event_streams(void **state)
{
	(void)state;
	expect_text(OPENAI, DELTA("a") "\n\n" DELTA("b") "\n\n" END "\n\ndata: [DONE]\n\n", "ab",
		    "stop");
	expect_text(OPENAI, ": hello\r\n\r\nid: 1\r\n" DELTA("a") "\r\n\r\n" END "\r\n\r\n", "a",
		    "stop");
	/* no blank after the colon; an event in two lines; none at the very end */
	expect_text(OPENAI, "data:{\"choices\":[{\"delta\":\ndata: {\"content\":\"a\"}}]}\n\n"
		    "data:[DONE]", "a", "");
	expect_text(ANTHROPIC,
		    "event: content_block_delta\n"
		    "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\","
		    "\"text\":\"a\"}}\n\n"
		    "event: message_delta\n"
		    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n"
		    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", "a", "stop");
}

/* All that matters has come, if not the last line's end. */
static void cut_late(void **state)
{
	(void)state;
	expect_text(OPENAI, DELTA("a") "\n\n" END, "a", "stop");
	expect_text(OPENAI, DELTA("a") "\n\ndata: [DONE]", "a", "");
	expect_text(OPENAI, DELTA("a") "\n\n" END "\n\ndata: [DO", "a", "stop");
	expect_text(OPENAI, "\xEF\xBB\xBF" DELTA("a") "\n\n" END, "a", "stop");
}

static void streams_of_responses(void **state)
{
	(void)state;
	expect_text(RESPONSES, RESPONSE_EVENT("response.created", "\"response\":{\"output\":[],"
		    "\"status\":\"in_progress\"}")
		    RESPONSE_EVENT("response.reasoning_summary_text.delta", "\"delta\":\"hm\"")
		    RESPONSE_EVENT("response.output_text.delta", "\"delta\":\"a\"")
		    RESPONSE_EVENT("response.output_text.delta", "\"delta\":\"b\"")
		    RESPONSE_EVENT("response.output_text.done", "\"text\":\"ab\"")
		    RESPONSE_EVENT("response.completed", "\"response\":{\"status\":\"completed\","
				   "\"output\":[" MESSAGE "]}"), "ab", "stop");
	/* one that has its text at the end alone */
	expect_text(RESPONSES, RESPONSE_EVENT("response.incomplete", "\"response\":{\"status\":"
		    "\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"},"
		    "\"output\":[" MESSAGE "]}"), "ab", "length");
	expect_failure(RESPONSES, RESPONSE_EVENT("response.output_text.delta", "\"delta\":\"a\""),
		       ERR_TEMP, "broke off");
	expect_failure(RESPONSES, RESPONSE_EVENT("response.failed", "\"response\":{\"error\":{"
		       "\"code\":\"server_error\",\"message\":\"oh\"}}"), ERR_TEMP, "an error: oh");
	expect_failure(RESPONSES, RESPONSE_EVENT("response.failed", "\"response\":{\"error\":{"
		       "\"code\":\"invalid_prompt\",\"message\":\"no\"}}"), ERR_RECORD, "an error: no");
	expect_failure(RESPONSES, RESPONSE_EVENT("error", "\"message\":\"no\""), ERR_RECORD,
		       "an error: no");
}

static void usage_of_both(void **state)
{
	struct result r = read_with(OPENAI, DELTA("a") "\n\n" END "\n\n"
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,"
		"\"cost\":0.5}}\n\ndata: [DONE]\n\n");

	(void)state;
	assert_int_equal(r.t.usage.prompt_tokens, 3);
	assert_int_equal(r.t.usage.completion_tokens, 4);
	assert_true(r.t.usage.cost_usd == 0.5);
	llm_wire_release(&r.t);

	r = read_with(ANTHROPIC,
		      "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":5,"
		      "\"output_tokens\":1}}}\n\n"
		      "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},"
		      "\"usage\":{\"output_tokens\":6}}\n\n"
		      "data: {\"type\":\"message_stop\"}\n\n");
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.t.usage.prompt_tokens, 5);
	assert_int_equal(r.t.usage.completion_tokens, 6);
	assert_true(r.t.usage.cost_usd < 0);
	llm_wire_release(&r.t);

	r = read_with(RESPONSES, "{\"output\":[],\"usage\":{\"input_tokens\":9,\"input_tokens_details\":"
		      "{\"cached_tokens\":4},\"output_tokens\":3}}");
	assert_int_equal(r.t.usage.prompt_tokens, 9);
	assert_int_equal(r.t.usage.cached_tokens, 4);
	assert_int_equal(r.t.usage.completion_tokens, 3);
	llm_wire_release(&r.t);

	r = read_with(ANTHROPIC, "{\"content\":[{\"type\":\"text\",\"text\":\"a\"}],\"usage\":{"
		      "\"input_tokens\":7,\"cache_read_input_tokens\":9223372036854775807,"
		      "\"cache_creation_input_tokens\":2,\"output_tokens\":-5}}");
	assert_int_equal(r.t.usage.prompt_tokens, 9);
	assert_int_equal(r.t.usage.cached_tokens, -1);
	assert_int_equal(r.t.usage.written_tokens, 2);
	assert_int_equal(r.t.usage.completion_tokens, -1);
	llm_wire_release(&r.t);
}

static void what_is_no_reply(void **state)
{
	(void)state;
	expect_failure(OPENAI, "", ERR_TEMP, "the answer is empty");
	expect_failure(OPENAI, " \r\n", ERR_TEMP, "the answer is empty");
	expect_error(OPENAI, "<!DOCTYPE html>", "an HTML page");
	expect_error(OPENAI, "hello", "cannot be read");
	expect_error(OPENAI, "{\"choices\":[", "cannot be read");
	expect_error(OPENAI, "null", "no \"choices\"");
	expect_error(OPENAI, "{}", "no \"choices\"");
	expect_error(ANTHROPIC, "{}", "no \"content\"");
	expect_error(RESPONSES, "{}", "no \"output\"");
	expect_failure(OPENAI, DELTA("a") "\n\n", ERR_TEMP, "broke off");
	expect_failure(OPENAI, DELTA("a") "\n\ndata: {\"choic", ERR_TEMP, "broke off");
	expect_failure(OPENAI, "da", ERR_TEMP, "broke off");
	expect_error(OPENAI, "dx", "cannot be read");
	expect_error(OPENAI, "data: {\n\n", "an event of the reply's stream cannot be read");
	expect_error(OPENAI, DELTA("a") "\n\ndata: {\"error\":{\"message\":\"busy\"}}\n\n" END,
		     "the service reports an error: busy");
	expect_error(OPENAI, "{\"error\":\"busy\"}", "the service reports an error: busy");
	expect_error(OPENAI, "{\"error\":{}}", "an error without a message");
	expect_error(OPENAI, "{\"object\":\"error\",\"message\":\"busy\"}", "error: busy");
	expect_error(OPENAI, "{\"detail\":\"Not Found\"}", "error: Not Found");
}

static void expect_complaint(const char *body, const char *wanted)
{
	struct buf out;

	buf_init(&out, 4096);
	llm_wire_complaint(body, strlen(body), &out);
	assert_string_equal(out.data, wanted);
	buf_release(&out);
}

static void complaints(void **state)
{
	char longer[1000], wanted[400];

	(void)state;
	expect_complaint("{\"error\":{\"message\":\"no\\nway \\u001b[2J\"}}", "no way ?[2J");
	expect_complaint("no way\n", "no way");
	expect_complaint("<html>", "it sent an HTML page");
	expect_complaint("", "it gave no reason");
	expect_complaint(" \n", "it gave no reason");
	expect_complaint("{\"error\":\"\"}", "it gave no reason");
	expect_complaint("[{\"error\":{\"message\":\"no\"}}]", "no");
	expect_complaint("{\"detail\":[{\"loc\":[\"body\"],\"msg\":\"no\"}]}", "no");
	expect_complaint("{\"error\":{\"message\":\"\"}}", "an error without a message");
	/* 299 bytes and then a letter of two, which must not be cut in half */
	memset(longer, 'x', 299);
	strcpy(longer + 299, "\xC3\xA4 and on");
	snprintf(wanted, sizeof(wanted), "%.299s...", longer);
	expect_complaint(longer, wanted);
}

static const struct llm_dialect *const all[] = { OPENAI, RESPONSES, ANTHROPIC };

static void expect_question(const struct llm_dialect *dialect, const struct llm_config *config,
			    bool again, const char *wanted)
{
	static const char messages[] = "[{\"role\":\"system\",\"content\":\"s\"},"
				       "{\"role\":\"user\",\"content\":\"u\"}]";
	struct json *m = json_parse(messages, strlen(messages), NULL), *q;
	struct llm_request req = { .sample = 2, .messages = m, .again = again };
	struct buf text;

	buf_init(&text, 4096);
	q = llm_wire_question(dialect, config, "c", &req, 0);
	json_print(q, &text);
	assert_string_equal(text.data, wanted);
	buf_release(&text);
	json_free(q);
	json_free(m);
}

#define SYSTEM "{\"role\":\"system\",\"content\":\"s\"}"
#define USER "{\"role\":\"user\",\"content\":\"u\"}"

static void questions(void **state)
{
	const struct llm_config plain = { .temperature = NAN };
	const struct llm_config full = { .temperature = 0.25, .max_tokens = 9, .effort = "low",
					 .seeded = true, .seed = 40, .stream = true };

	(void)state;
	expect_question(OPENAI, &plain, true, "{\"model\":\"c\",\"messages\":[" SYSTEM "," USER "]}");
	expect_question(RESPONSES, &plain, true, "{\"model\":\"c\",\"input\":[" SYSTEM "," USER "],"
			"\"store\":false}");
	expect_question(ANTHROPIC, &plain, false, "{\"model\":\"c\",\"system\":\"s\",\"messages\":["
			USER "],\"max_tokens\":8192}");
	expect_question(ANTHROPIC, &plain, true, "{\"model\":\"c\",\"system\":\"s\",\"messages\":["
			"{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"u\","
			"\"cache_control\":{\"type\":\"ephemeral\"}}]}],\"max_tokens\":8192}");
	expect_question(OPENAI, &full, false, "{\"model\":\"c\",\"messages\":[" SYSTEM "," USER "],"
			"\"max_tokens\":9,\"temperature\":0.25,\"reasoning_effort\":\"low\","
			"\"seed\":42,\"stream\":true,\"stream_options\":{\"include_usage\":true}}");
	expect_question(RESPONSES, &full, false, "{\"model\":\"c\",\"input\":[" SYSTEM "," USER "],"
			"\"store\":false,\"max_output_tokens\":9,\"temperature\":0.25,"
			"\"reasoning\":{\"effort\":\"low\"},\"stream\":true}");
	expect_question(ANTHROPIC, &full, false, "{\"model\":\"c\",\"system\":\"s\",\"messages\":["
			USER "],\"max_tokens\":9,\"temperature\":0.25,"
			"\"output_config\":{\"effort\":\"low\"},\"stream\":true}");
}

static bool unknown(const char *body, const char *name)
{
	return llm_wire_unknown(body, strlen(body), name);
}

/* As OpenAI, Mistral and LiteLLM word it; and faults that another name would not mend. */
static void names_that_a_server_refuses(void **state)
{
	static const char openai[] = "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is "
		"not supported with this model. Use 'max_completion_tokens' instead.\",\"param\":"
		"\"max_tokens\",\"code\":\"unsupported_parameter\"}}";

	(void)state;
	assert_true(unknown(openai, "max_tokens"));
	assert_true(unknown("{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\","
			    "\"max_completion_tokens\"],\"msg\":\"Extra inputs are not permitted\"}]}",
			    "max_completion_tokens"));
	assert_true(unknown("{\"error\":\"Unrecognized request argument supplied: max_completion_tokens\"}",
			    "max_completion_tokens"));
	assert_true(unknown("[{\"error\":{\"message\":\"Invalid JSON payload received. Unknown name "
			    "\\\"max_completion_tokens\\\": Cannot find field.\"}}]",
			    "max_completion_tokens"));
	assert_false(unknown("{\"error\":{\"message\":\"max_tokens is too large: 999999. This model "
			     "supports at most 16384\",\"param\":\"max_tokens\"}}", "max_tokens"));
	assert_false(unknown("{\"error\":{\"message\":\"Unsupported parameter: 'temperature'\"}}",
			     "max_tokens"));
	assert_false(unknown("", "max_tokens"));
}

static bool no_credit(const char *body)
{
	return llm_wire_no_credit(body, strlen(body));
}

/* Waiting brings no money; it does bring room. */
static void money_that_has_run_out(void **state)
{
	(void)state;
	assert_true(no_credit("{\"error\":{\"code\":\"insufficient_quota\"}}"));
	assert_true(no_credit("[{\"error\":{\"code\":\"billing_hard_limit_reached\"}}]"));
	assert_true(no_credit("{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
			      "\"message\":\"Your credit balance is too low to access the API.\"}}"));
	assert_false(no_credit("{\"error\":{\"code\":\"rate_limit_exceeded\",\"message\":\"quota\"}}"));
	assert_false(no_credit("{\"error\":{\"message\":\"insufficient_quota\"}}"));
	assert_false(no_credit("insufficient_quota"));
}

/* What comes in the place of a reply, and may not come again. */
static void passing_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		expect_failure(all[i], "data: {\"type\":\"error\",\"error\":{\"type\":"
			       "\"overloaded_error\",\"message\":\"busy\"}}\n\n", ERR_TEMP, "busy");
		expect_failure(all[i], "{\"error\":{\"type\":\"invalid_request_error\",\"message\":"
			       "\"no\"}}", ERR_RECORD, "no");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_replies),
		cmocka_unit_test(event_streams),
		cmocka_unit_test(cut_late),
		cmocka_unit_test(streams_of_responses),
		cmocka_unit_test(usage_of_both),
		cmocka_unit_test(what_is_no_reply),
		cmocka_unit_test(complaints),
		cmocka_unit_test(questions),
		cmocka_unit_test(names_that_a_server_refuses),
		cmocka_unit_test(money_that_has_run_out),
		cmocka_unit_test(passing_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
