/* What services send, read without a service. */
#include "unit.h"

#include <math.h>

#include "domain/llm_wire.h"

struct result {
	struct llm_wire_text t;
	struct err e;
	int rc;
};

static struct result read_with(const struct llm_wire *wire, const char *body)
{
	struct result r = { .e = ERR_INIT };

	llm_wire_init(&r.t);
	r.rc = llm_wire_read(wire, body, strlen(body), &r.t, &r.e);
	return r;
}

static void expect_text(const struct llm_wire *wire, const char *body, const char *text,
			const char *reason)
{
	struct result r = read_with(wire, body);

	if (r.rc)
		fail_msg("%s: %s", body, r.e.text);
	assert_string_equal(r.t.text.data, text);
	assert_string_equal(r.t.finish_reason, reason);
	llm_wire_release(&r.t);
}

static void expect_failure(const struct llm_wire *wire, const char *body, int code,
			   const char *sentence)
{
	struct result r = read_with(wire, body);

	assert_int_equal(r.rc, code);
	if (!strstr(r.e.text, sentence))
		fail_msg("%s: %s", body, r.e.text);
	llm_wire_release(&r.t);
}

static void expect_error(const struct llm_wire *wire, const char *body, const char *sentence)
{
	expect_failure(wire, body, ERR_RECORD, sentence);
}

#define OPENAI &llm_openai_wire
#define ANTHROPIC &llm_anthropic_wire
#define DELTA(text) "data: {\"choices\":[{\"delta\":{\"content\":\"" text "\"}}]}"
#define END "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}"

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

	r = read_with(ANTHROPIC, "{\"content\":[{\"type\":\"text\",\"text\":\"a\"}],\"usage\":{"
		      "\"input_tokens\":7,\"cache_read_input_tokens\":9223372036854775807,"
		      "\"cache_creation_input_tokens\":2,\"output_tokens\":-5}}");
	assert_int_equal(r.t.usage.prompt_tokens, 9);
	assert_int_equal(r.t.usage.cached_tokens, -1);
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
	/* 299 bytes and then a letter of two, which must not be cut in half */
	memset(longer, 'x', 299);
	strcpy(longer + 299, "\xC3\xA4 and on");
	snprintf(wanted, sizeof(wanted), "%.299s...", longer);
	expect_complaint(longer, wanted);
}

static void questions(void **state)
{
	static const char messages[] = "[{\"role\":\"system\",\"content\":\"s\"},"
				       "{\"role\":\"user\",\"content\":\"u\"}]";
	struct llm_config config = { .temperature = NAN };
	struct json *m = json_parse(messages, strlen(messages), NULL), *q;
	struct buf text;

	(void)state;
	buf_init(&text, 4096);
	q = llm_openai_wire.question(&config, "", m);
	json_print(q, &text);
	assert_string_equal(text.data, "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},"
			    "{\"role\":\"user\",\"content\":\"u\"}]}");
	json_free(q);
	buf_reset(&text);
	config.temperature = 0.25;
	config.max_tokens = 9;
	q = llm_anthropic_wire.question(&config, "c", m);
	json_print(q, &text);
	assert_string_equal(text.data, "{\"model\":\"c\",\"max_tokens\":9,\"system\":\"s\","
			    "\"messages\":[{\"role\":\"user\",\"content\":\"u\"}],"
			    "\"temperature\":0.25}");
	json_free(q);
	json_free(m);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_replies),
		cmocka_unit_test(event_streams),
		cmocka_unit_test(cut_late),
		cmocka_unit_test(usage_of_both),
		cmocka_unit_test(what_is_no_reply),
		cmocka_unit_test(complaints),
		cmocka_unit_test(questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
