/* Growth, maximum and sticky overflow of struct buf. */
#include "unit.h"

#include "ground/buf.h"

static void an_empty_buffer_is_a_string(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 10);
	assert_string_equal(b.data, "");
	buf_consume(&b, 5);
	buf_truncate(&b, 5);
	assert_int_equal(b.len, 0);
	buf_release(&b);
	assert_string_equal(b.data, "");
}

static void every_append_is_terminated(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(buf_adds(&b, "ab"), 0);
	assert_int_equal(buf_addc(&b, 'c'), 0);
	assert_int_equal(buf_addf(&b, "%d%s", 42, ""), 0);
	assert_int_equal(buf_add(&b, "", 0), 0);
	assert_int_equal(buf_addf(&b, "%s", ""), 0);
	assert_string_equal(b.data, "abc42");
	for (int i = 0; i < 100000; i++)
		buf_addc(&b, 'x');
	assert_int_equal(b.len, 100005);
	assert_int_equal(strlen(b.data), b.len);
	buf_release(&b);
}

static void what_does_not_fit_is_left_out_whole(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 4);
	assert_int_equal(buf_adds(&b, "abc"), 0);
	assert_int_equal(buf_adds(&b, "de"), -1);
	assert_string_equal(b.data, "abc");
	assert_int_equal(buf_addf(&b, "%d", 12), -1);
	assert_int_equal(buf_addc(&b, 'd'), -1); /* else what was left out would not show */
	assert_string_equal(b.data, "abc");
	assert_true(buf_overflowed(&b));
	buf_reset(&b);
	assert_false(buf_overflowed(&b));
	assert_string_equal(b.data, "");
	buf_release(&b);
}

static void a_maximum_of_nothing(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	assert_int_equal(buf_adds(&b, ""), 0);
	assert_int_equal(buf_addc(&b, 'x'), -1);
	assert_string_equal(b.data, "");
	buf_release(&b);
}

static void reserve_gives_room_that_is_not_yet_used(void **state)
{
	struct buf b;
	char *end;

	(void)state;
	buf_init(&b, 100);
	buf_adds(&b, "ab");
	end = buf_reserve(&b, 98);
	assert_non_null(end);
	assert_ptr_equal(end, b.data + 2);
	assert_string_equal(b.data, "ab");
	memset(end, 'x', 98);
	assert_null(buf_reserve(&b, 99));
	assert_null(buf_reserve(&b, SIZE_MAX));
	buf_release(&b);
}

static void consume_and_truncate(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 100);
	buf_adds(&b, "abcdef");
	buf_consume(&b, 2);
	assert_string_equal(b.data, "cdef");
	buf_truncate(&b, 3);
	assert_string_equal(b.data, "cde");
	buf_truncate(&b, 30);
	assert_string_equal(b.data, "cde");
	buf_consume(&b, 30);
	assert_string_equal(b.data, "");
	buf_release(&b);
}

static void detached_bytes_are_the_callers(void **state)
{
	struct buf b;
	char *text;

	(void)state;
	buf_init(&b, 100);
	text = buf_detach(&b);
	assert_string_equal(text, "");
	free(text);
	buf_adds(&b, "abc");
	text = buf_detach(&b);
	assert_string_equal(text, "abc");
	assert_int_equal(b.len, 0);
	buf_adds(&b, "d");
	assert_string_equal(text, "abc");
	free(text);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_buffer_is_a_string),
		cmocka_unit_test(every_append_is_terminated),
		cmocka_unit_test(what_does_not_fit_is_left_out_whole),
		cmocka_unit_test(a_maximum_of_nothing),
		cmocka_unit_test(reserve_gives_room_that_is_not_yet_used),
		cmocka_unit_test(consume_and_truncate),
		cmocka_unit_test(detached_bytes_are_the_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
