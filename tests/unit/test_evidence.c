/* The words and variables that a prompt gets: mismatches and earlier tries. */
#include "unit.h"

#include "domain/contrast.h"
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
		"the largest absolute error is 1.5\n\nRight: a\n");
	expect_words("{\"task\":{\"cases\":[{\"name\":\"a\",\"params\":{\"N\":2},\"layout\":\"strided\","
		"\"values\":[\"ties\"]}]},\"eval\":{\"status\":\"wrong_answer\",\"checks\":["
		"{\"case\":\"a\",\"ok\":false,\"max_abs\":0.0,\"mismatch\":{\"count\":2,\"total\":2,"
		"\"first_index\":[0],\"got\":\"nan\",\"expected\":1.5,\"nan\":2}}]}}",
		"- case a (inputs made from {\"N\":2}, layout strided, values [\"ties\"]): 2 of 2 values "
		"wrong, the first at [0]: got nan, expected 1.5; 2 of the wrong values are NaN\n");
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

static void patterns_are_told_under_their_check_and_once(void **state)
{
	(void)state;
	expect_words(WRONG "{\"ok\":false,\"case\":\"a\",\"mismatch\":{\"count\":1,\"total\":9,"
		"\"patterns\":[{\"kind\":\"location\",\"name\":\"last-only\",\"words\":\"Only the "
		"last.\"},{\"kind\":\"value\",\"name\":\"nan\",\"words\":\"NaN.\"}]}},"
		"{\"ok\":false,\"case\":\"b\",\"mismatch\":{\"count\":2,\"total\":9,"
		"\"patterns\":[{\"words\":\"NaN.\"},{\"words\":\"Two rows.\"},{},3]}}]}}",
		"- case a: 1 of 9 values wrong\n  - Only the last.\n  - NaN.\n"
		"- case b: 2 of 9 values wrong\n  - Two rows.\n");
	expect_words(WRONG "{\"ok\":false,\"case\":\"a\",\"error\":\"result: dtype float32 was "
		"expected, not float64\",\"mismatch\":{\"patterns\":[{\"words\":\"The values are "
		"right.\"}]}}]}}",
		"- case a: result: dtype float32 was expected, not float64\n"
		"  - The values are right.\n");
}

#define CASE(name, params) "{\"name\":\"" name "\",\"params\":{" params "}},"
#define LAID(name, layout) "{\"name\":\"" name "\",\"params\":{\"dtype\":\"" name \
	"\"},\"layout\":\"" layout "\"},"
#define RIGHT(name) "{\"case\":\"" name "\",\"ok\":true},"
#define BAD(name) "{\"case\":\"" name "\",\"ok\":false},"

static void expect_contrast(const char *cases, const char *checks, const char *wanted)
{
	char record[2000];
	struct json *j;
	struct buf out;

	snprintf(record, sizeof(record), "{\"task\":{\"cases\":[%s{}]},\"eval\":{\"checks\":[%s{}]}}",
		 cases, checks);
	j = parse(record);
	buf_init(&out, 64 * 1024);
	contrast_describe(j, &out);
	assert_string_equal(out.data, wanted);
	buf_release(&out);
	json_free(j);
}

static void what_parts_wrong_cases_from_right_ones(void **state)
{
	static const char sizes[] = CASE("a", "\"M\":7,\"N\":781") CASE("b", "\"M\":7,\"N\":65")
		CASE("c", "\"M\":7,\"N\":256") CASE("d", "\"M\":7,\"N\":65")
		CASE("none", "\"M\":0,\"N\":3");
	static const char types[] = CASE("a", "\"N\":8,\"dtype\":\"float16\"")
		CASE("b", "\"N\":8,\"dtype\":\"float32\"")
		CASE("c", "\"N\":8,\"dtype\":\"bfloat16\"");
	static const char flags[] = CASE("a", "\"N\":8,\"pad\":3") CASE("b", "\"N\":8")
		CASE("c", "\"N\":8,\"pad\":false");
	static const char large[] = CASE("a", "\"N\":64") CASE("b", "\"N\":128")
		CASE("c", "\"N\":1024");
	static const char square[] = CASE("a", "\"M\":5,\"N\":5") CASE("b", "\"M\":5,\"N\":6")
		CASE("c", "\"M\":6,\"N\":5") CASE("d", "\"M\":6,\"N\":6");

	static const char layouts[] = CASE("a", "\"dtype\":\"float32\"") LAID("b", "offset")
		LAID("c", "strided");

	(void)state;
	expect_contrast(layouts, RIGHT("a") RIGHT("b") BAD("c"), "Wrong only where layout is strided; "
		"right: none, offset.\nWrong only where dtype is c; right: float32, b.\n");
	expect_contrast(layouts, BAD("a") RIGHT("b") RIGHT("c"), "Wrong only where layout is none; "
		"right: offset, strided.\nWrong only where dtype is float32; right: b, c.\n");
	expect_contrast(sizes, BAD("a") BAD("b") BAD("d") RIGHT("c") RIGHT("none"),
		"Wrong only where N is not a power of two: 781, 65; right: 256.\n");
	expect_contrast(types, BAD("a") RIGHT("b") RIGHT("c"),
		"Wrong only where dtype is float16; right: float32, bfloat16.\n");
	expect_contrast(flags, BAD("a") RIGHT("b") RIGHT("c"), "Wrong only where pad is set: 3.\n");
	expect_contrast(large, RIGHT("a") RIGHT("b") BAD("c"),
		"Wrong only where N is larger than 128: 1024; right: 64, 128.\n");
	expect_contrast(square, RIGHT("a") BAD("b") BAD("c") RIGHT("d"),
		"Wrong only where M and N differ.\n");
}

static void nothing_parts_them(void **state)
{
	static const char sizes[] = CASE("a", "\"N\":7") CASE("b", "\"N\":65")
		CASE("c", "\"N\":7");

	(void)state;
	expect_contrast(sizes, BAD("a") BAD("b") BAD("c"), "");
	expect_contrast(sizes, RIGHT("a") RIGHT("b"), "");
	expect_contrast(sizes, BAD("a") RIGHT("c"), "");
	expect_contrast(sizes, BAD("a") "{\"case\":\"b\",\"ok\":null},", "");
	expect_contrast("{\"name\":\"a\",\"params\":3},[],", BAD("a") RIGHT("b") "3,", "");
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
		cmocka_unit_test(patterns_are_told_under_their_check_and_once),
		cmocka_unit_test(what_parts_wrong_cases_from_right_ones),
		cmocka_unit_test(nothing_parts_them),
		cmocka_unit_test(the_newest_tries_are_shown_whole),
		cmocka_unit_test(the_mark_under_a_place_is_no_reason),
		cmocka_unit_test(a_broken_history_is_an_empty_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
