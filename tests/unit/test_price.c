#include "unit.h"

#include <unistd.h>

#include "domain/price.h"

static int find(const char *text, const char *model, const char *day, struct price *p, struct err *e)
{
	char path[] = "/tmp/geak-test-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	int rc;

	fputs(text, f);
	fclose(f);
	*e = (struct err)ERR_INIT;
	rc = price_find(path, model, day, p, e);
	unlink(path);
	return rc;
}

static void the_longest_name_counts(void **state)
{
	static const char list[] = "{\"models\":["
		"{\"model\":\"a:*\",\"input\":1,\"output\":1},"
		"{\"model\":\"a:big*\",\"input\":2,\"output\":1},"
		"{\"model\":\"a:big\",\"input\":3,\"output\":1}]}";
	struct price p;
	struct err e;

	(void)state;
	assert_int_equal(find(list, "a:small", "2026-01-01", &p, &e), 1);
	assert_true(p.input == 1 && p.cached_input == 1);
	assert_int_equal(find(list, "a:bigger", "2026-01-01", &p, &e), 1);
	assert_true(p.input == 2);
	assert_int_equal(find(list, "a:big", "2026-01-01", &p, &e), 1);
	assert_true(p.input == 3);
	assert_int_equal(find(list, "b:big", "2026-01-01", &p, &e), 0);
}

static void the_day_counts(void **state)
{
	static const char list[] = "{\"models\":["
		"{\"model\":\"a\",\"since\":\"2026-03-01\",\"input\":3,\"output\":1},"
		"{\"model\":\"a\",\"input\":1,\"output\":1},"
		"{\"model\":\"a\",\"since\":\"2026-02-01\",\"input\":2,\"output\":1}]}";
	struct price p;
	struct err e;

	(void)state;
	find(list, "a", "2026-01-31", &p, &e);
	assert_true(p.input == 1);
	find(list, "a", "2026-02-01", &p, &e);
	assert_true(p.input == 2);
	find(list, "a", "2027-01-01", &p, &e);
	assert_true(p.input == 3);
}

static void costs(void **state)
{
	const struct price p = { .input = 2, .cached_input = 0.5, .cache_write = 4, .output = 10 };

	(void)state;
	assert_true(price_of(&p, 1000000, 0, -1, 0) == 2);
	assert_true(price_of(&p, 1000000, 500000, 0, 100000) == 1 + 0.25 + 1);
	assert_true(price_of(&p, 1000000, 5000000, -1, 0) == 0.5); /* no more than there were */
	assert_true(price_of(&p, 1000000, -1, 500000, 0) == 1 + 2);
	assert_true(price_of(&p, 1000000, 750000, 5000000, 0) == 0.375 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_name_counts),
		cmocka_unit_test(the_day_counts),
		cmocka_unit_test(costs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
