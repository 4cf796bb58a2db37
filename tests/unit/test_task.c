/* What a task must have, and the sentence for each thing that it has not. */
#include "unit.h"

#include "domain/task.h"
#include "domain/task_keys.h"

static const char *const good =
	"{\"geak\":\"task/1\",\"id\":\"flip\",\"prompt\":\"Flip.\",\"language\":\"triton\",\"entry\":\"flip\","
	"\"reference\":\"def inputs(p, gen): ...\",\"cases\":[{\"name\":\"a\",\"kind\":\"check\",\"params\":{}},"
	"{\"name\":\"b\",\"kind\":\"time\",\"params\":{\"M\":1},\"flops\":0,\"bytes\":8}],"
	"\"tolerance\":{\"atol\":0,\"rtol\":1e-3},\"harness\":\"function\"}";

static struct json *parse(const char *text)
{
	struct err e = ERR_INIT;
	struct json *j = json_parse(text, strlen(text), &e);

	if (!j)
		fail_msg("%s: %s", text, e.text);
	return j;
}

/* The good task with one key replaced; value NULL: without it. */
static struct json *with(const char *key, const char *value)
{
	struct json *task = parse(good);

	if (value)
		json_set(task, key, parse(value));
	else
		json_remove(task, key);
	return task;
}

static void accept(const char *key, const char *value)
{
	struct json *task = with(key, value);
	struct err e = ERR_INIT;

	if (task_check(task, &e))
		fail_msg("%s = %s: %s", key, value ? value : "(absent)", e.text);
	json_free(task);
}

static void refuse(const char *key, const char *value, const char *sentence)
{
	struct json *task = with(key, value);
	struct err e = ERR_INIT;

	assert_int_equal(task_check(task, &e), ERR_RECORD);
	assert_string_equal(e.text, sentence);
	json_free(task);
}

static void the_good_ones(void **state)
{
	(void)state;
	accept("id", "\"x.1_y-Z\"");
	accept("unknown", "{\"a\":[1]}");
	accept("title", "\"T\"");
	accept("tags", "[]");
	accept("tolerates", "[\"float16\"]");
	accept("allow", "[\"library\"]");
	accept("tags", "[\"a\",\"b\"]");
	accept("difficulty", "5");
	accept("source_suite", "{\"name\":\"tritonbench\"}");
	accept("entry", "\"_x9\"");
	accept("tolerance", "{\"atol\":0,\"rtol\":0,\"equal_nan\":true}");
	accept("tolerance", NULL);
	accept("tolerance", "{\"atol\":0,\"rtol\":0,\"signed_zero\":true}");
	accept("seeds", "16");
	accept("deterministic", "false");
	accept("strides", "\"same\"");
	accept("cases", "[{\"name\":\"a\",\"kind\":\"check\",\"params\":{},\"tolerance\":{\"atol\":1,\"rtol\":0}}]");
	accept("cases", "[{\"name\":\"a\",\"kind\":\"check\",\"params\":{},\"values\":[\"nan\",\"ties\"],"
	       "\"layout\":[null,\"offset\"]}]");
	accept("cases", "[{\"name\":\"a\",\"kind\":\"check\",\"params\":{},\"layout\":\"transposed\"}]");
}

static void keys(void **state)
{
	static const struct {
		const char *key, *value, *sentence;
	} all[] = {
		{ "id", NULL, "the task has no \"id\"; it must be a name of at most 128 letters, digits, "
		  "'_', '-' and '.', with a letter, digit or '_' first" },
		{ "id", "\"../x\"", "the task's \"id\" must be a name of at most 128 letters, digits, '_', "
		  "'-' and '.', with a letter, digit or '_' first" },
		{ "id", "\"\"", "the task's \"id\" must be a name of at most 128 letters, digits, '_', "
		  "'-' and '.', with a letter, digit or '_' first" },
		{ "prompt", NULL, "the task has no \"prompt\"; it must be a description of the operator" },
		{ "prompt", "\"\"", "the task's \"prompt\" must be a description of the operator" },
		{ "prompt", "7", "the task's \"prompt\" must be a description of the operator" },
		{ "language", NULL, "the task has no \"language\"; it must be \"triton\"" },
		{ "language", "\"cobol\"", "the task's \"language\" must be \"triton\"" },
		{ "harness", NULL, "the task has no \"harness\"; it must be \"function\", \"script\", "
		  "\"pytest\" or \"module\"" },
		{ "harness", "\"magic\"", "the task's \"harness\" is \"magic\", which nobody knows; it must "
		  "be \"function\", \"script\", \"pytest\" or \"module\"" },
		{ "harness", "1", "the task's \"harness\" must be \"function\", \"script\", \"pytest\" or "
		  "\"module\"" },
		{ "entry", NULL, "the task has no \"entry\"; it must be the name of a Python function" },
		{ "entry", "\"9x\"", "the task's \"entry\" must be the name of a Python function, not \"9x\"" },
		{ "entry", "\"a.b\"", "the task's \"entry\" must be the name of a Python function, not "
		  "\"a.b\"" },
		{ "entry", "[]", "the task's \"entry\" must be the name of a Python function" },
		{ "reference", NULL, "the task has no \"reference\"; it must be Python source" },
		{ "reference", "\"\"", "the task's \"reference\" must be Python source" },
		{ "cases", NULL, "the task has no \"cases\"; it must be an array of objects" },
		{ "cases", "{}", "the task's \"cases\" must be an array of objects" },
		{ "tolerance", "{\"atol\":0}", "the task's \"tolerance\" must be an object whose \"rtol\" is "
		  "a number, 0 or more" },
		{ "tolerance", "{\"atol\":-1,\"rtol\":0}", "the task's \"tolerance\" must be an object whose "
		  "\"atol\" is a number, 0 or more" },
		{ "tolerance", "3", "the task's \"tolerance\" must be an object whose \"atol\" is a number, "
		  "0 or more" },
		{ "tolerance", "{\"atol\":0,\"rtol\":0,\"equal_nan\":1}", "the task's \"tolerance\" must "
		  "have true or false as its \"equal_nan\"" },
		{ "tolerance", "{\"atol\":0,\"rtol\":0,\"signed_zero\":1}", "the task's \"tolerance\" must "
		  "have true or false as its \"signed_zero\"" },
		{ "seeds", "0", "the task's \"seeds\" must be a whole number from 1 to 16" },
		{ "seeds", "17", "the task's \"seeds\" must be a whole number from 1 to 16" },
		{ "seeds", "true", "the task's \"seeds\" must be a whole number from 1 to 16" },
		{ "deterministic", "0", "the task's \"deterministic\" must be true or false" },
		{ "strides", "\"equal\"", "the task's \"strides\" must be \"any\" or \"same\"" },
		{ "difficulty", "6", "the task's \"difficulty\" must be a whole number from 1 to 5" },
		{ "difficulty", "\"3\"", "the task's \"difficulty\" must be a whole number from 1 to 5" },
		{ "difficulty", "2.5", "the task's \"difficulty\" must be a whole number from 1 to 5" },
		{ "tags", "\"a\"", "the task's \"tags\" must be an array of strings" },
		{ "tags", "[1]", "the task's \"tags\" must be an array of strings" },
		{ "allow", "\"library\"", "the task's \"allow\" must be an array of strings" },
		{ "tolerates", "\"float16\"", "the task's \"tolerates\" must be an array of strings" },
		{ "title", "1", "the task's \"title\" must be a string" },
		{ "signature", "[]", "the task's \"signature\" must be a string" },
		{ "tests", "1", "the task's \"tests\" must be a string" },
		{ "result", "null", "the task's \"result\" must be a string" },
		{ "seed_source", "{}", "the task's \"seed_source\" must be a string" },
		{ "source_suite", "{}", "the task's \"source_suite\" must be an object with a \"name\"" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++)
		refuse(all[i].key, all[i].value, all[i].sentence);
}

static void cases(void **state)
{
#define CASE(rest) "[{\"name\":\"a\",\"kind\":\"check\",\"params\":{}},{" rest "}]"
	static const struct {
		const char *value, *sentence;
	} all[] = {
		{ "[]", "the task has no case of the kind \"check\"; with the harness \"function\" it needs "
		  "one at least" },
		{ "[{\"name\":\"a\",\"kind\":\"time\",\"params\":{}}]", "the task has no case of the kind "
		  "\"check\"; with the harness \"function\" it needs one at least" },
		{ "[7]", "case 1 must be an object with a \"name\"" },
		{ CASE(""), "case 2 must be an object with a \"name\"" },
		{ CASE("\"name\":\"b\""), "case \"b\" must have the \"kind\" \"check\" or \"time\"" },
		{ CASE("\"name\":\"b\",\"kind\":\"chek\""), "case \"b\" must have the \"kind\" \"check\" or "
		  "\"time\"" },
		{ CASE("\"name\":\"b\",\"kind\":\"time\""), "case \"b\" has no object \"params\"; it is what "
		  "inputs() gets" },
		{ CASE("\"name\":\"a\",\"kind\":\"time\",\"params\":{}"), "cases 1 and 2 have the same name "
		  "\"a\"" },
#define VALUES "case \"b\" must have as \"values\" an array of \"large\", \"tiny\", \"negative_zero\", " \
	       "\"ties\", \"equal\", \"nan\", \"inf\" and \"negative_inf\""
#define LAYOUT "case \"b\" must have as \"layout\" one of \"offset\", \"strided\" and \"transposed\", or an " \
	       "array with one of them, or null, for each argument"
		{ CASE("\"name\":\"b\",\"kind\":\"check\",\"params\":{},\"values\":\"nan\""), VALUES },
		{ CASE("\"name\":\"b\",\"kind\":\"check\",\"params\":{},\"values\":[\"big\"]"), VALUES },
		{ CASE("\"name\":\"b\",\"kind\":\"check\",\"params\":{},\"layout\":\"dense\""), LAYOUT },
		{ CASE("\"name\":\"b\",\"kind\":\"check\",\"params\":{},\"layout\":[0]"), LAYOUT },
		{ CASE("\"name\":\"b\",\"kind\":\"time\",\"params\":{},\"flops\":-1"), "case \"b\" has a "
		  "\"flops\" that is no whole number, 0 or more" },
		{ CASE("\"name\":\"b\",\"kind\":\"time\",\"params\":{},\"bytes\":1.5"), "case \"b\" has a "
		  "\"bytes\" that is no whole number, 0 or more" },
		{ CASE("\"name\":\"b\",\"kind\":\"time\",\"params\":{},\"tolerance\":{}"), "case 2's "
		  "\"tolerance\" must be an object whose \"atol\" is a number, 0 or more" },
	};
#undef CASE

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++)
		refuse("cases", all[i].value, all[i].sentence);
}

static void tests_need_no_cases_and_no_entry(void **state)
{
	static const char *const names[] = { "script", "pytest" };
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct json *task = with("entry", NULL);

		json_set_string(task, "harness", names[i]);
		json_set(task, "cases", json_new_array());
		assert_int_equal(task_check(task, &e), 0);
		assert_int_equal(task_harness(task), i + 1);
		json_free(task);
	}
}

static void a_module_needs_both(void **state)
{
	struct json *task = with("entry", NULL);
	struct err e = ERR_INIT;

	(void)state;
	json_set_string(task, "harness", "module");
	assert_int_equal(task_check(task, &e), ERR_RECORD);
	assert_string_equal(e.text, "the task has no \"entry\"; it must be the name of a Python class");
	json_set_string(task, "entry", "ModelNew");
	assert_int_equal(task_check(task, &e), 0);
	assert_int_equal(task_harness(task), TASK_MODULE);
	json_set(task, "cases", json_new_array());
	assert_int_equal(task_check(task, &e), ERR_RECORD);
	assert_string_equal(e.text, "the task has no case of the kind \"check\"; with the harness "
			    "\"module\" it needs one at least");
	json_free(task);
}

static void no_object(void **state)
{
	struct json *task = parse("[1]");
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(task_check(task, &e), ERR_RECORD);
	assert_string_equal(e.text, "a task must be a JSON object");
	assert_int_equal(task_check(NULL, &e), ERR_RECORD);
	assert_int_equal(task_harness(NULL), TASK_NO_HARNESS);
	json_free(task);
}

static void order(void **state)
{
	struct json *task = parse("{\"note\":1.50,\"harness\":\"script\",\"id\":\"x\",\"also\":2,"
		"\"geak\":\"task/1\"}");
	struct json *ordered = task_in_order(task);
	struct buf text;

	(void)state;
	buf_init(&text, 1000);
	json_print(ordered, &text);
	assert_string_equal(text.data, "{\"geak\":\"task/1\",\"id\":\"x\",\"harness\":\"script\","
			    "\"note\":1.50,\"also\":2}");
	buf_release(&text);
	json_free(ordered);
	json_free(task);
}

/* Of the good task with one value more, or another. */
static void misspell(const char *key, const char *value, const char *sentence)
{
	struct json *task = with(key, value);
	struct err e = ERR_INIT;

	assert_int_equal(task_check(task, &e), 0);
	assert_int_equal(task_keys_check(task, &e), sentence ? ERR_RECORD : 0);
	assert_string_equal(e.text, sentence ? sentence : "");
	json_free(task);
}

static void slips(void **state)
{
	(void)state;
	misspell("resutl", "\"y\"", "the task's \"resutl\" is nothing that geak knows; is it "
		 "\"result\"? If not, name it otherwise");
	misspell("tolerances", "{}", NULL); /* a tolerance is there, too */
	misspell("tolerance", "{\"atol\":0,\"rtol\":0,\"equalnan\":true}", "a tolerance's "
		 "\"equalnan\" is nothing that geak knows; is it \"equal_nan\"? If not, name it otherwise");
	misspell("tolerance_note", "\"why\"", NULL);
	misspell("note", "1", NULL);
	misspell("cases", "[{\"name\":\"a\",\"kind\":\"check\",\"params\":{},\"layuot\":1}]",
		 "case \"a\": its \"layuot\" is nothing that geak knows; is it \"layout\"? If not, "
		 "name it otherwise");
	misspell("cases", "[{\"name\":\"a\",\"kind\":\"check\",\"params\":{},\"comment\":1}]", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_good_ones),
		cmocka_unit_test(keys),
		cmocka_unit_test(cases),
		cmocka_unit_test(tests_need_no_cases_and_no_entry),
		cmocka_unit_test(a_module_needs_both),
		cmocka_unit_test(no_object),
		cmocka_unit_test(order),
		cmocka_unit_test(slips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
