/* The words and variables that a prompt gets: mismatches and earlier tries. */
#include "unit.h"

#include "domain/history.h"
#include "domain/mismatch.h"

static struct json *parse(const char *text)
{
	struct err e = ERR_INIT;
	struct json *j = json_parse(text, strlen(text), &e);

	if (!j)
		fail_msg("%s: %s", e.text, text);
	return j;
}

static void expect_words(const char *record, const char *wanted)
{
	struct json *j = parse(record);
	struct buf out;

	buf_init(&out, 64 * 1024);
	mismatch_describe(j, &out);
	assert_string_equal(out.data, wanted);
	buf_release(&out);
	json_free(j);
}

#define WRONG "{\"eval\":{\"status\":\"wrong_answer\",\"checks\":["

static void a_mismatch_is_told_with_its_case(void **state)
{
	(void)state;
	expect_words("{\"task\":{\"cases\":[{\"name\":\"b\",\"params\":{\"M\":3,\"N\":100}}]},"
		"\"eval\":{\"status\":\"wrong_answer\",\"checks\":[{\"case\":\"a\",\"ok\":true},"
		"{\"case\":\"b\",\"ok\":false,\"max_abs\":1.5,\"mismatch\":{\"count\":12,"
		"\"total\":300,\"first_index\":[0,64],\"got\":0.0,\"expected\":1.5,\"nan\":0,"
		"\"zero\":12}}]}}",
		"- case b (inputs made from {\"M\":3,\"N\":100}): 12 of 300 values wrong, the "
		"first at [0,64]: got 0.0, expected 1.5; 12 of the wrong values are exactly 0; "
		"the largest absolute error is 1.5\nRight: a\n");
}

static void a_check_without_figures_says_its_error(void **state)
{
	(void)state;
	expect_words(WRONG "{\"case\":\"a\",\"ok\":false,\"error\":\"result: shape [4] "
		"was expected, not [5]\"}]}}", "- case a: result: shape [4] was expected, not "
		"[5]\n");
	expect_words(WRONG "{\"ok\":false}]}}",
		"- case without a name: the result is wrong\n");
}

static void what_was_not_reached_is_left_out(void **state)
{
	(void)state;
	expect_words("{\"eval\":{\"status\":\"crash\",\"checks\":[{\"ok\":false,\"case\":\"a\","
		"\"mismatch\":{\"count\":1,\"total\":2}},{\"ok\":false,\"case\":\"b\",\"error\":"
		"\"there is no result named b\"}]}}", "- case a: 1 of 2 values wrong\n");
}

static void of_many_checks_a_few_are_told(void **state)
{
	(void)state;
	expect_words(WRONG "{\"ok\":false,\"case\":\"a\"},{\"ok\":false,\"case\":\"b\"},"
		"{\"ok\":false,\"case\":\"c\"},{\"ok\":false,\"case\":\"d\"},{\"ok\":false,"
		"\"case\":\"e\"}]}}",
		"- case a: the result is wrong\n- case b: the result is wrong\n"
		"- case c: the result is wrong\n- case d: the result is wrong\n- and 1 more\n");
}

static void nothing_wrong_gives_no_words(void **state)
{
	(void)state;
	expect_words("{}", "");
	expect_words("[]", "");
	expect_words("{\"eval\":{\"checks\":[{\"case\":\"a\",\"ok\":true}]}}", "");
	expect_words("{\"eval\":{\"checks\":[1,[],{\"case\":3,\"ok\":2}]}}", "");
}

static void expect_history(const char *record, const char *wanted)
{
	struct json *j = parse(record), *vars = history_vars(j);
	struct buf out;

	buf_init(&out, 64 * 1024);
	json_print(vars, &out);
	assert_string_equal(out.data, wanted);
	buf_release(&out);
	json_free(vars);
	json_free(j);
}

static void the_newest_tries_are_shown_whole(void **state)
{
	(void)state;
	expect_history("{\"history\":[{\"id\":\"1\",\"round\":0,\"tool\":\"geak-gen\","
		"\"source\":\"a\",\"status\":\"compile_error\",\"class\":\"syntax\","
		"\"message\":\"m\"},{\"round\":1,\"source\":\"b\"},{\"round\":2,\"source\":\"c\","
		"\"message\":\"at 4:8:\\ndef k():\\n  ^\\nthe reason\\n\"}]}",
		"[{\"number\":1,\"round\":0,\"tool\":\"geak-gen\",\"status\":\"compile_error\","
		"\"class\":\"syntax\",\"message\":\"m\",\"source\":\"\"},{\"number\":2,"
		"\"round\":1,\"tool\":\"\",\"status\":\"\",\"class\":\"\","
		"\"message\":\"\",\"source\":\"b\"},{\"number\":3,\"round\":2,\"tool\":\"\","
		"\"status\":\"\",\"class\":\"\",\"message\":\"the reason\",\"source\":\"c\"}]");
}

static void the_mark_under_a_place_is_no_reason(void **state)
{
	(void)state;
	expect_history("{\"history\":[{\"message\":\"invalid axis 1\\nat 4:8:\\ndef k():\\n    "
		"^\\n\"}]}",
		"[{\"number\":1,\"round\":0,\"tool\":\"\",\"status\":\"\",\"class\":\"\","
		"\"message\":\"invalid axis 1\",\"source\":\"\"}]");
}

static void a_broken_history_is_an_empty_one(void **state)
{
	(void)state;
	expect_history("{}", "[]");
	expect_history("null", "[]");
	expect_history("{\"history\":\"x\"}", "[]");
	expect_history("{\"history\":[1,\"a\",null,[]]}", "[]");
	expect_history("{\"history\":[{\"round\":[],\"source\":{},\"message\":3}]}",
		"[{\"number\":1,\"round\":0,\"tool\":\"\",\"status\":\"\",\"class\":\"\","
		"\"message\":\"\",\"source\":\"\"}]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mismatch_is_told_with_its_case),
		cmocka_unit_test(a_check_without_figures_says_its_error),
		cmocka_unit_test(what_was_not_reached_is_left_out),
		cmocka_unit_test(of_many_checks_a_few_are_told),
		cmocka_unit_test(nothing_wrong_gives_no_words),
		cmocka_unit_test(the_newest_tries_are_shown_whole),
		cmocka_unit_test(the_mark_under_a_place_is_no_reason),
		cmocka_unit_test(a_broken_history_is_an_empty_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
