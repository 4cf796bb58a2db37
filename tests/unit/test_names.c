/* Names are numbered in the order in which they are first seen. */
#include "unit.h"

#include "ground/names.h"

static void few(void **state)
{
	struct names n;

	(void)state;
	names_init(&n);
	assert_true(names_find(&n, "a") == NAMES_NONE);
	assert_int_equal(names_add(&n, "b"), 0);
	assert_int_equal(names_add(&n, ""), 1);
	assert_int_equal(names_add(&n, "a"), 2);
	assert_int_equal(names_add(&n, "b"), 0);
	assert_int_equal(names_find(&n, ""), 1);
	assert_true(names_find(&n, "c") == NAMES_NONE);
	assert_int_equal(n.count, 3);
	assert_string_equal(n.list[2], "a");
	names_release(&n);
	names_release(&n);
}

static void many(void **state)
{
	struct names n;
	char name[32];

	(void)state;
	names_init(&n);
	for (int twice = 0; twice < 2; twice++) {
		for (size_t i = 0; i < 100000; i++) {
			snprintf(name, sizeof(name), "%zx", i * 2654435761U);
			assert_int_equal(names_add(&n, name), i);
		}
	}
	assert_int_equal(n.count, 100000);
	names_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
