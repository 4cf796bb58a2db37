/* Kinds of record, and how one becomes an error/1. */
#include "unit.h"

#include "ground/mem.h"
#include "records/record.h"

static const struct record_origin from = { "geak-x", "in.jsonl", 7 };

static struct json *parse(const char *text, enum record_kind *kind)
{
	struct err e = ERR_INIT;
	struct json *j = record_parse(text, strlen(text), kind, &e);

	if (!j)
		fail_msg("%s: %s", text, e.text);
	return j;
}

static void kinds(void **state)
{
	static const struct {
		const char *text;
		enum record_kind kind;
	} known[] = {
		{ "{\"geak\":\"task/1\"}", RECORD_TASK },
		{ "{\"x\":1,\"geak\":\"candidate/1\"}", RECORD_CANDIDATE },
		{ "{\"geak\":\"error/1\"}", RECORD_ERROR },
		{ "{\"geak\":\"summary/1\"}", RECORD_SUMMARY },
		{ "{\"geak\":\"candidate/2\"}", RECORD_UNKNOWN },
		{ "{\"geak\":\"\"}", RECORD_UNKNOWN },
	};
	enum record_kind kind;

	(void)state;
	for (size_t i = 0; i < COUNT(known); i++) {
		json_free(parse(known[i].text, &kind));
		assert_int_equal(kind, known[i].kind);
	}
	for (int k = 0; k < RECORD_UNKNOWN; k++) {
		struct json *j = record_new((enum record_kind)k);

		assert_int_equal(record_kind_of(j), k);
		json_free(j);
	}
}

static void no_records(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "{}", "not a geak record: the key \"geak\", which names the kind, is missing" },
		{ "{\"geak\":1}", "not a geak record: the key \"geak\"" },
		{ "{\"GEAK\":\"task/1\"}", "not a geak record: the key \"geak\"" },
		{ "[\"geak\"]", "not a geak record: the line is not a JSON object" },
		{ "7", "not a geak record: the line is not a JSON object" },
		{ "{\"geak\":\"task/1\"", "not valid JSON: the text ends early at byte 17" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		enum record_kind kind;
		struct err e = ERR_INIT;

		assert_null(record_parse(bad[i].text, strlen(bad[i].text), &kind, &e));
		assert_int_equal(e.code, ERR_RECORD);
		assert_memory_equal(e.text, bad[i].why, strlen(bad[i].why));
	}
}

static void an_error_carries_the_record(void **state)
{
	struct err why = ERR_INIT;
	enum record_kind kind;
	struct json *record = parse("{\"geak\":\"task/1\",\"id\":\"flip\",\"x\":0.10}", &kind), *error;
	struct buf text;

	(void)state;
	err_set(&why, ERR_RECORD, "no reference");
	error = record_error(&from, &why, record);
	buf_init(&text, 1000);
	json_print(error, &text);
	assert_string_equal(text.data, "{\"geak\":\"error/1\",\"tool\":\"geak-x\",\"input\":\"in.jsonl\","
			    "\"line\":7,\"reason\":\"no reference\","
			    "\"record\":{\"geak\":\"task/1\",\"id\":\"flip\",\"x\":0.10}}");
	buf_release(&text);
	json_free(error);
	json_free(record);
}

static void an_error_without_a_record(void **state)
{
	struct err why = ERR_INIT;
	struct json *error;

	(void)state;
	err_set(&why, ERR_RECORD, "no model");
	error = record_error(&from, &why, NULL);
	assert_string_equal(json_get_string(error, "reason"), "no model");
	assert_null(json_get(error, "record"));
	json_free(error);
}

/* An error/1 must itself be a line that the next stage reads. */
static void assert_readable(const struct json *error)
{
	struct err e = ERR_INIT;
	struct buf text;
	struct json *again;

	buf_init(&text, (size_t)4 * JSON_MAX_BYTES);
	assert_int_equal(json_print(error, &text), 0);
	again = json_parse(text.data, text.len, &e);
	assert_string_equal(e.text, "");
	assert_true(json_equal(again, error));
	json_free(again);
	buf_release(&text);
}

static void an_error_stays_within_the_limits(void **state)
{
	struct err why = ERR_INIT;
	struct json *record = record_new(RECORD_TASK), *error, *inner = json_new_array();
	char *big = mem_alloc(JSON_MAX_BYTES - 60);

	(void)state;
	err_set(&why, ERR_RECORD, "too much");
	memset(big, 'x', JSON_MAX_BYTES - 61);
	big[JSON_MAX_BYTES - 61] = '\0';
	json_set_string(record, "big", big);
	error = record_error(&from, &why, record);
	assert_readable(error);
	assert_null(json_get(error, "record"));
	assert_int_equal(strlen(json_get_string(error, "text")), 65536);
	assert_int_equal(json_get_int(error, "bytes", 0),
			 JSON_MAX_BYTES - 61 + strlen("{\"geak\":\"task/1\",\"big\":\"\"}"));
	json_free(error);
	free(big);
	for (int i = 1; i < JSON_MAX_DEPTH - 1; i++) {
		struct json *outer = json_new_array();

		json_push(outer, inner);
		inner = outer;
	}
	json_set(record, "big", inner);
	assert_int_equal(json_depth(record), JSON_MAX_DEPTH);
	error = record_error(&from, &why, record);
	assert_readable(error);
	assert_non_null(json_get_string(error, "text"));
	json_free(error);
	json_free(record);
}

static void an_error_for_a_line_that_is_no_record(void **state)
{
	struct err why = ERR_INIT;
	struct json *error;

	(void)state;
	err_set(&why, ERR_RECORD, "not valid JSON");
	error = record_error_text(&from, &why, "{\xFF\0", 3, 99);
	assert_string_equal(json_get_string(error, "text"), "{\xEF\xBF\xBD\xEF\xBF\xBD");
	assert_int_equal(json_get_int(error, "bytes", 0), 99);
	assert_readable(error);
	json_free(error);
}

static void ids_and_tasks(void **state)
{
	static const struct {
		const char *text, *id;
		bool task;
	} known[] = {
		{ "{\"geak\":\"task/1\",\"id\":\"flip\"}", "flip", true },
		{ "{\"geak\":\"candidate/1\",\"id\":\"c\",\"task\":{\"id\":\"flip\"}}", "c", true },
		{ "{\"geak\":\"candidate/1\",\"task\":{\"id\":\"flip\"}}", "flip", true },
		{ "{\"geak\":\"candidate/1\",\"task\":\"flip\"}", "(no id)", false },
		{ "{\"geak\":\"summary/1\",\"id\":7}", "(no id)", false },
	};
	enum record_kind kind;

	(void)state;
	for (size_t i = 0; i < COUNT(known); i++) {
		struct json *j = parse(known[i].text, &kind);

		assert_string_equal(record_id(j), known[i].id);
		assert_int_equal(record_task(j) != NULL, known[i].task);
		json_free(j);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(no_records),
		cmocka_unit_test(an_error_carries_the_record),
		cmocka_unit_test(an_error_without_a_record),
		cmocka_unit_test(an_error_stays_within_the_limits),
		cmocka_unit_test(an_error_for_a_line_that_is_no_record),
		cmocka_unit_test(ids_and_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
