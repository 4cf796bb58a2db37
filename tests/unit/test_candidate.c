/* Candidates: the keys in their order, the id, the history. */
#include "unit.h"

#include <math.h>

#include "domain/candidate.h"

static struct json *parse(const char *text)
{
	struct err e = ERR_INIT;
	struct json *j = json_parse(text, strlen(text), &e);

	if (!j)
		fail_msg("%s: %s", text, e.text);
	return j;
}

static char *print(const struct json *j)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	json_print(j, &b);
	return buf_detach(&b);
}

static struct llm_reply reply = {
	.text = "prose", .finish_reason = "stop", .usage = { 1, -1, -1, -1, -1 },
	.latency_s = 1.23456, .prompt_sha256 = "00",
};

static const struct llm_config asked = { .model = "openai:x", .temperature = NAN };
static const struct llm_config other_model = { .model = "openai:y", .temperature = NAN };
static const struct llm_config warmer = { .model = "openai:x", .temperature = 1,
					  .effort = "high", .seeded = true, .seed = 7 };

static struct candidate_spec spec_of(const struct json *task)
{
	return (struct candidate_spec){
		.tool = "geak-gen", .asked = &asked, .task = task,
		.sample = 2, .reply = &reply, .source = "code",
	};
}

static void parameters(void **state)
{
	struct json *task = parse("{\"geak\":\"task/1\",\"id\":\"t\",\"language\":\"hip\"}");
	struct candidate_spec spec = spec_of(task);
	const struct json *origin;
	struct json *c;

	(void)state;
	spec.asked = &warmer;
	c = candidate_new(&spec);
	origin = json_get(c, "origin");
	assert_true(json_get_number(origin, "temperature", 0) == 1);
	assert_string_equal(json_get_string(origin, "effort"), "high");
	assert_string_equal(json_get_string(origin, "seed"), "9"); /* that of sample 2 */
	json_free(c);
	json_free(task);
}

static void all_keys(void **state)
{
	struct json *task = parse("{\"geak\":\"task/1\",\"id\":\"t\",\"language\":\"hip\"}");
	struct candidate_spec spec = spec_of(task);
	struct json *c = candidate_new(&spec);
	char *text;

	(void)state;
	assert_int_equal(strlen(json_get_string(c, "id")), 16);
	json_set_string(c, "id", "ID");
	text = print(c);
	assert_string_equal(text, "{\"geak\":\"candidate/1\",\"id\":\"ID\",\"task\":{\"geak\":"
		"\"task/1\",\"id\":\"t\",\"language\":\"hip\"},\"parent\":null,\"round\":0,"
		"\"origin\":{\"tool\":\"geak-gen\",\"model\":\"openai:x\",\"sample\":2,"
		"\"prompt_sha256\":\"00\",\"usage\":{\"prompt_tokens\":1},\"latency_s\":1.235,"
		"\"finish_reason\":\"stop\"},\"language\":\"hip\",\"source\":\"code\"}");
	free(text);
	json_free(c);
	json_free(task);
}

static void no_code(void **state)
{
	struct json *task = parse("{\"geak\":\"task/1\",\"id\":\"t\"}");
	struct candidate_spec spec = spec_of(task);
	struct json *c;

	(void)state;
	spec.source = NULL;
	c = candidate_new(&spec);
	assert_string_equal(json_get_string(c, "source"), "");
	assert_string_equal(json_get_string(c, "reply"), "prose");
	assert_string_equal(json_get_string(c, "language"), "triton");
	json_free(c);
	json_free(task);
}

static void id_tells_them_apart(void **state)
{
	struct json *task = parse("{\"geak\":\"task/1\",\"id\":\"t\"}");
	struct json *other = parse("{\"geak\":\"task/1\",\"id\":\"u\"}");
	struct json *parent = parse("{\"geak\":\"candidate/1\",\"id\":\"p\",\"round\":0}");
	struct candidate_spec specs[8];
	char ids[COUNT(specs)][17];

	(void)state;
	for (size_t i = 0; i < COUNT(specs); i++)
		specs[i] = spec_of(task);
	specs[1].tool = "geak-opt";
	specs[2].task = other;
	specs[3].asked = &other_model;
	specs[4].parent = parent;
	specs[5].sample = 3;
	specs[6].source = "cod";
	specs[7].asked = &warmer; /* does not count */
	for (size_t i = 0; i < COUNT(specs); i++) {
		struct json *c = candidate_new(&specs[i]);

		snprintf(ids[i], sizeof(ids[i]), "%s", json_get_string(c, "id"));
		json_free(c);
	}
	for (size_t i = 0; i < 7; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(ids[i], ids[k]);
	assert_string_equal(ids[0], ids[7]);
	json_free(task);
	json_free(other);
	json_free(parent);
}

static void history_grows_and_ends(void **state)
{
	struct json *c = parse("{\"geak\":\"candidate/1\",\"id\":\"first\",\"task\":{\"id\":\"t\"},"
			       "\"round\":0,\"origin\":{\"tool\":\"geak-gen\"},\"source\":\"s0\","
			       "\"eval\":{\"status\":\"call_error\",\"stage\":\"call\",\"error\":"
			       "{\"class\":\"NameError\",\"message\":\"m\",\"trace\":\"long\"}}}");
	char *text;

	(void)state;
	for (int i = 1; i <= 10; i++) {
		struct candidate_spec spec = spec_of(NULL);
		struct json *next;

		spec.tool = "geak-reflect";
		spec.parent = c;
		next = candidate_new(&spec);
		if (i == 1) {
			text = print(json_get(next, "history"));
			assert_string_equal(text, "[{\"id\":\"first\",\"round\":0,\"tool\":\"geak-gen\","
				"\"source\":\"s0\",\"status\":\"call_error\",\"stage\":\"call\","
				"\"class\":\"NameError\",\"message\":\"m\"}]");
			free(text);
		}
		assert_string_equal(json_get_string(next, "parent"), json_get_string(c, "id"));
		assert_int_equal(json_get_int(next, "round", -1), i);
		assert_int_equal(json_len(json_get(next, "history")),
				 i < CANDIDATE_HISTORY ? i : CANDIDATE_HISTORY);
		json_free(c);
		c = next;
	}
	assert_int_equal(json_get_int(json_at(json_get(c, "history"), 0), "round", -1), 2);
	json_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_keys),
		cmocka_unit_test(parameters),
		cmocka_unit_test(no_code),
		cmocka_unit_test(id_tells_them_apart),
		cmocka_unit_test(history_grows_and_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
