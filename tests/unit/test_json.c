/* JSON without loss: what is refused, what comes back, what can be built. */
#include "unit.h"

#include <math.h>

#include "ground/mem.h"
#include "records/json.h"

static char *print(const struct json *j)
{
	struct buf b;

	buf_init(&b, JSON_MAX_BYTES);
	assert_int_equal(json_print(j, &b), 0);
	return buf_detach(&b);
}

static struct json *parse(const char *text)
{
	struct err e = ERR_INIT;
	struct json *j = json_parse(text, strlen(text), &e);

	if (!j)
		fail_msg("%.80s: %s", text, e.text);
	return j;
}

static void assert_prints(const char *text, const char *wanted)
{
	struct json *j = parse(text), *again;
	char *got = print(j);

	assert_string_equal(got, wanted);
	again = parse(got);
	assert_true(json_equal(j, again));
	json_free(again);
	json_free(j);
	free(got);
}

static void assert_refused_n(const char *text, size_t len, const char *why)
{
	struct err e = ERR_INIT;

	assert_null(json_parse(text, len, &e));
	assert_int_equal(e.code, ERR_RECORD);
	if (!strstr(e.text, why))
		fail_msg("%.80s: \"%s\" does not say \"%s\"", text, e.text, why);
	assert_null(json_parse(text, len, NULL));
}

static void assert_refused(const char *text, const char *why)
{
	assert_refused_n(text, strlen(text), why);
}

static void comes_back_as_it_was(void **state)
{
	static const char *const same[] = {
		"null", "true", "false", "0", "\"\"", "[]", "{}", "[[],{}]", "{\"\":{\"\":0}}",
		"{\"b\":1,\"a\":[2,{\"c\":null}],\"B\":3}", /* order and case kept */
		"[-0,0.10,1E5,1e+05,1.50e-7,123456789012345678901234567890,0.1,1e999,-1e-999]",
		"[9007199254740993,2.2250738585072011e-308,3.141592653589793238462643]",
		"\"\\\"\\\\/\\b\\f\\n\\r\\t\"", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\x7F\"",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(same); i++)
		assert_prints(same[i], same[i]);
	assert_prints("\"\\u0001\\u007f\\b\\f\\n\\r\\t\\\"\\\\/\"",
		      "\"\\u0001\x7f\\b\\f\\n\\r\\t\\\"\\\\/\"");
	assert_prints(" { \"a\" : [ 1 , 2 ] }\t\r\n", "{\"a\":[1,2]}");
	assert_prints("\"\\u00e9\\uD83D\\uDE00\\/\\u0041\\u001f\"",
		      "\"\xC3\xA9\xF0\x9F\x98\x80/A\\u001f\"");
}

static void long_numbers(void **state)
{
	char text[2000] = "[1,";
	struct json *j;

	(void)state;
	memset(text + 3, '7', 1000);
	strcpy(text + 1003, ",0.");
	memset(text + 1006, '3', 500);
	strcpy(text + 1506, "e-2,{\"a\":2}]");
	assert_prints(text, text);
	j = parse(text);
	assert_true(fabs(json_number(json_at(j, 2), 0) - 0.01 / 3) < 1e-17);
	assert_int_equal(json_get_int(json_at(j, 3), "a", 0), 2);
	json_free(j);
}

static void what_is_refused(void **state)
{
	(void)state;
	assert_refused("", "the text ends early at byte 1");
	assert_refused("  ", "the text ends early at byte 3");
	assert_refused("{} {}", "text after the value at byte 4");
	assert_refused("[1,]", "an unexpected character at byte 4");
	assert_refused("{\"a\":1,}", "a key is missing at byte 8");
	assert_refused("{,}", "a key is missing at byte 2");
	assert_refused("{\"a\" 1}", "a colon is missing at byte 6");
	assert_refused("{\"a\":", "the text ends early at byte 6");
	assert_refused("[1 2]", "a comma or a bracket is missing at byte 4");
	assert_refused("[1}", "a comma or a bracket is missing at byte 3");
	assert_refused("[1", "the text ends early at byte 3");
	assert_refused("nul", "an unexpected character at byte 1");
	assert_refused("nullx", "text after the value at byte 5");
	assert_refused("NaN", "an unexpected character");
	assert_refused("[Infinity]", "an unexpected character");
	assert_refused("'a'", "an unexpected character");
	assert_refused("/**/1", "an unexpected character");
	assert_refused("01", "leading zero");
	assert_refused("-", "a digit is missing");
	assert_refused("+1", "an unexpected character");
	assert_refused(".5", "an unexpected character");
	assert_refused("1.", "a digit is missing");
	assert_refused("1e", "a digit is missing");
	assert_refused("0x10", "text after the value");
	assert_refused("\xEF\xBB\xBF{}", "an unexpected character at byte 1");
	assert_refused_n("{}\0", 3, "text after the value at byte 3");
}

static void strings_that_are_refused(void **state)
{
	(void)state;
	assert_refused("\"abc", "a string without an end");
	assert_refused("\"abc\\", "a string without an end");
	assert_refused("\"a\nb\"", "a raw control character in a string at byte 3");
	assert_refused("\"\\x\"", "an unknown escape at byte 3");
	assert_refused("\"\\u12g4\"", "four hex digits");
	assert_refused("\"\\u0000\"", "a NUL character");
	assert_refused("\"\\ud800\"", "a lone surrogate");
	assert_refused("\"\\udc00\"", "a lone surrogate");
	assert_refused("\"\\ud800\\ud800\"", "a lone surrogate");
	assert_refused("\"\\ud800x\"", "a lone surrogate");
	assert_refused("\"\\ud83d\\n\"", "a lone surrogate");
	assert_refused("\"\xFF\"", "bytes that are not UTF-8 at byte 2");
	assert_refused("\"\xC0\x80\"", "bytes that are not UTF-8");
	assert_refused("\"\xED\xA0\x80\"", "bytes that are not UTF-8");
	assert_refused_n("\"a\0b\"", 5, "a raw control character");
	assert_refused_n("\"\\\0\"", 4, "an unknown escape");
}

static void keys_stand_once(void **state)
{
	(void)state;
	assert_refused("{\"a\":1,\"b\":2,\"a\":3}", "the key \"a\" appears twice");
	assert_refused("[{\"x\":{\"\\u0061\":1,\"a\":1}}]", "the key \"a\" appears twice");
	assert_refused("{\"\":1,\"\":1}", "appears twice");
	assert_prints("{\"a\":{\"a\":1},\"A\":2}", "{\"a\":{\"a\":1},\"A\":2}");
}

static char *nested(size_t depth, char open, const char *inner)
{
	char *text = mem_zalloc(1, 8 * depth + 32), *p = text;

	for (size_t i = 0; i < depth; i++)
		p += sprintf(p, open == '[' ? "[" : "{\"a\":");
	p += sprintf(p, "%s", inner);
	for (size_t i = 0; i < depth; i++)
		*p++ = open == '[' ? ']' : '}';
	return text;
}

static void depth_is_bounded(void **state)
{
	static const char opens[] = "[{";
	char *open_only = mem_alloc(1000000);

	(void)state;
	for (const char *open = opens; *open; open++) {
		char *text = nested(JSON_MAX_DEPTH, *open, "1");
		struct json *j = parse(text);

		assert_int_equal(json_depth(j), JSON_MAX_DEPTH);
		json_free(j);
		free(text);
		text = nested(JSON_MAX_DEPTH + 1, *open, "1");
		assert_refused(text, "nested deeper than 128 levels");
		free(text);
		text = nested(JSON_MAX_DEPTH + 1, *open, "");
		assert_refused(text, "nested deeper than 128 levels");
		free(text);
	}
	memset(open_only, '[', 1000000);
	assert_refused_n(open_only, 1000000, "nested deeper");
	free(open_only);
}

static void size_is_bounded(void **state)
{
	char *text = mem_alloc(JSON_MAX_BYTES + 2);

	(void)state;
	memset(text, ' ', JSON_MAX_BYTES + 1);
	text[0] = '1';
	text[JSON_MAX_BYTES] = '\0';
	json_free(parse(text));
	assert_refused_n(text, JSON_MAX_BYTES + 1, "16777217 bytes, more than the 16 MiB");
	free(text);
}

static void values_of_numbers(void **state)
{
	struct json *j = parse("[1,2.0,1e3,1.5,9223372036854775807,9223372036854775808,"
			       "-9223372036854775808,1e999,\"7\",9007199254740993.0,-0]");

	(void)state;
	assert_int_equal(json_int(json_at(j, 0), -7), 1);
	assert_int_equal(json_int(json_at(j, 1), -7), 2);
	assert_int_equal(json_int(json_at(j, 2), -7), 1000);
	assert_int_equal(json_int(json_at(j, 3), -7), -7);
	assert_true(json_int(json_at(j, 4), -7) == INT64_MAX);
	assert_int_equal(json_int(json_at(j, 5), -7), -7);
	assert_true(json_int(json_at(j, 6), -7) == INT64_MIN);
	assert_int_equal(json_int(json_at(j, 7), -7), -7);
	assert_true(json_number(json_at(j, 7), -7) == -7); /* no double holds it */
	assert_string_equal(json_number_text(json_at(j, 7)), "1e999");
	assert_int_equal(json_int(json_at(j, 8), -7), -7);
	assert_int_equal(json_int(json_at(j, 10), -7), 0);
	json_free(j);
}

static void looking_at_what_is_not_there(void **state)
{
	struct json *j = parse("{\"a\":[1],\"s\":\"x\",\"b\":true,\"n\":null}");

	(void)state;
	assert_null(json_get(NULL, "a"));
	assert_null(json_get(j, "A"));
	assert_null(json_get(json_get(j, "a"), "a"));
	assert_null(json_at(json_get(j, "a"), 1));
	assert_null(json_at(j, 0));
	assert_null(json_first(NULL));
	assert_null(json_first(json_get(j, "s")));
	assert_null(json_string(json_get(j, "b")));
	assert_int_equal(json_len(NULL), 0);
	assert_int_equal(json_len(json_get(j, "s")), 0);
	assert_int_equal(json_len(j), 4);
	assert_false(json_is(NULL, JSON_NULL));
	assert_true(json_is(json_get(j, "n"), JSON_NULL));
	assert_string_equal(json_get_string(j, "s"), "x");
	assert_null(json_get_string(j, "a"));
	assert_true(json_get_bool(j, "b", false));
	assert_true(json_get_bool(j, "s", true));
	assert_true(json_get_number(j, "s", 2.5) == 2.5);
	assert_int_equal(json_depth(NULL), 0);
	assert_false(json_equal(j, NULL));
	assert_true(json_equal(NULL, NULL));
	assert_null(json_dup(NULL));
	json_free(NULL);
	json_free(j);
}

static void building(void **state)
{
	struct json *o = json_new_object(), *a = json_new_array(), *copy;
	char *got;

	(void)state;
	json_set_int(o, "z", 1);
	json_set_string(o, "a", "x\n");
	json_set_string(o, "none", NULL);
	json_set(o, "list", a);
	json_push(a, json_new_number(0.1));
	json_push(a, json_new_number(NAN));
	json_push(a, NULL);
	json_push(a, json_new_int(INT64_MIN));
	json_set_bool(o, "z", true); /* in its place */
	json_set_number(o, "third", 1.0 / 3);
	copy = json_dup(o);
	assert_true(json_equal(o, copy));
	json_remove(o, "a");
	json_remove(o, "absent");
	assert_null(json_detach(o, "absent"));
	got = print(o);
	assert_string_equal(got, "{\"z\":true,\"none\":null,\"list\":[0.1,null,null,"
			    "-9223372036854775808],\"third\":0.3333333333333333}");
	free(got);
	assert_false(json_equal(o, copy));
	json_free(copy);
	json_free(o);
}

static void a_member_moves(void **state)
{
	struct json *o = parse("{\"a\":{\"k\":1},\"b\":2}"), *a = json_new_array();
	char *got;

	(void)state;
	json_push(a, json_dup(json_get(o, "a")));
	json_push(a, json_detach(o, "b"));
	for (const struct json *m = json_first(a); m; m = json_next(m))
		assert_null(json_key(m));
	json_set(o, "c", json_detach(o, "a"));
	json_set(o, "a", a);
	got = print(o);
	assert_string_equal(got, "{\"c\":{\"k\":1},\"a\":[{\"k\":1},2]}");
	free(got);
	json_free(o);
}

static void doubles_come_back(void **state)
{
	static const double values[] = {
		0, -0.0, 1, 0.1, 1.0 / 3, 1e15, 1e16, 123456789.125, 5e-324, 1.7976931348623157e308,
		9007199254740993.0, 2.2250738585072014e-308, -1e-7, 1e22, 100,
	};

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) {
		struct json *j = json_new_number(values[i]), *again;
		char *text = print(j);
		double back;

		again = parse(text);
		back = json_number(again, NAN);
		assert_memory_equal(&back, &values[i], sizeof(back));
		assert_true(json_number(j, NAN) == values[i]);
		json_free(again);
		json_free(j);
		free(text);
	}
}

static void strings_from_anywhere(void **state)
{
	struct json *j = json_new_stringn("a\0\xFF\xC3\xA9\xE2\x82", 7);

	(void)state;
	assert_string_equal(json_string(j), "a\xEF\xBF\xBD\xEF\xBF\xBD\xC3\xA9"
			    "\xEF\xBF\xBD\xEF\xBF\xBD");
	json_free(j);
	j = json_new_stringn(NULL, 0);
	assert_string_equal(json_string(j), "");
	json_free(j);
}

/* Eight megabytes of nothing but wrong bytes: linear, or this test takes hours. */
static void many_wrong_bytes(void **state)
{
	enum { N = 8 << 20 };
	char *bytes = mem_zalloc(1, N);
	struct json *j = json_new_stringn(bytes, N);

	(void)state;
	assert_int_equal(strlen(json_string(j)), 3 * N);
	json_free(j);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back_as_it_was),
		cmocka_unit_test(long_numbers),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(strings_that_are_refused),
		cmocka_unit_test(keys_stand_once),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(size_is_bounded),
		cmocka_unit_test(values_of_numbers),
		cmocka_unit_test(looking_at_what_is_not_there),
		cmocka_unit_test(building),
		cmocka_unit_test(a_member_moves),
		cmocka_unit_test(doubles_come_back),
		cmocka_unit_test(strings_from_anywhere),
		cmocka_unit_test(many_wrong_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
