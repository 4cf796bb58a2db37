/* A key that a service sends back, in any of the ways in which it may be written. */
#include "unit.h"

#include "domain/secret.h"

#define KEY "sk-test/0123"

static void expect_of(const char *secret, const char *text, const char *wanted)
{
	char *copy = strdup(text);

	secret_hide(secret, copy, strlen(copy));
	assert_string_equal(copy, wanted);
	free(copy);
}

static void expect(const char *text, const char *wanted)
{
	expect_of(KEY, text, wanted);
}

static void as_it_is(void **state)
{
	char behind[] = "a\0" KEY;

	(void)state;
	expect(KEY, "************");
	expect("x" KEY KEY "y", "x************************y");
	expect("sk-test/012", "sk-test/012");
	expect("", "");
	secret_hide(KEY, behind, sizeof(behind) - 1);
	assert_memory_equal(behind, "a\0************", sizeof(behind));
	expect_of("se\\cret\"s", "my se\\cret\"s", "my *********");
	expect_of("********", "x********y", "x********y");
}

static void as_json_writes_it(void **state)
{
	(void)state;
	expect("\"\\u0073k-test\\u002F0123\"", "\"\\u002a******\\u002a****\"");
	expect("\"sk-test\\/0123\"", "\"*******\\/****\"");
	expect_of("se:cret\"s", "\"se:cret\\\"s\"", "\"*******\\\"*\"");
	/* a JSON text within another */
	expect("\"{\\\"key\\\":\\\"\\\\u0073k-test\\\\\\/0123\\\"}\"",
	       "\"{\\\"key\\\":\\\"\\\\u002a******\\\\\\/****\\\"}\"");
	expect("\\\\sk-test\\/0123", "\\\\*******\\/****");
}

static void what_is_none(void **state)
{
	(void)state;
	expect("\\sk-tes\\t/0123", "\\sk-tes\\t/0123");
	expect("\\u0173k-test/0123", "\\u0173k-test/0123");
	expect("\\u007", "\\u007");
	expect("sk-test\\", "sk-test\\");
	expect("\\u00zzk-test/0123", "\\u00zzk-test/0123");
	expect_of("none", "none", "none");
	expect_of(NULL, KEY, KEY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_it_is),
		cmocka_unit_test(as_json_writes_it),
		cmocka_unit_test(what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
