/* Which name was meant by one that nobody knows. */
#include "unit.h"

#include "ground/slip.h"

static const char *const known[] = { "id", "tags", "tests", "layout", "tolerance", "tolerates" };

static const char *of(const char *name)
{
	return slip_of(name, known, sizeof(known) / sizeof(*known));
}

static void one_slip(void **state)
{
	(void)state;
	assert_string_equal(of("tag"), "tags");
	assert_string_equal(of("taags"), "tags");
	assert_string_equal(of("togs"), "tags");
	assert_string_equal(of("tgas"), "tags");
	assert_string_equal(of("ib"), "id");
}

static void two_slips(void **state)
{
	(void)state;
	assert_string_equal(of("layuots"), "layout");
	assert_string_equal(of("tolerense"), "tolerance");
	assert_null(of("tosg")); /* too short for two */
	assert_null(of("tolarensy"));
}

static void the_nearest(void **state)
{
	(void)state;
	assert_string_equal(of("toleratse"), "tolerates");
	assert_string_equal(of("tolerate"), "tolerates");
}

static void no_slip(void **state)
{
	char longest[200];

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_null(of("tests"));
	assert_null(of("tolerance"));
	assert_null(of("difficulty"));
	assert_null(of(longest));
	assert_null(slip_of("id", NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_slip),
		cmocka_unit_test(two_slips),
		cmocka_unit_test(the_nearest),
		cmocka_unit_test(no_slip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
