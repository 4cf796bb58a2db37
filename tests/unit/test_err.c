/* Messages: cut without harm, prefixed, and the exit status they lead to. */
#include "unit.h"

#include <errno.h>
#include <unistr.h>

#include "ground/err.h"
#include "ground/mem.h"

static void codes_become_exit_statuses(void **state)
{
	(void)state;
	assert_int_equal(err_exit_status(0), 0);
	assert_int_equal(err_exit_status(ERR_RECORD), 1);
	assert_int_equal(err_exit_status(ERR_USAGE), 64);
	assert_int_equal(err_exit_status(ERR_SERVICE), 69);
	assert_int_equal(err_exit_status(ERR_SOFTWARE), 70);
	assert_int_equal(err_exit_status(ERR_IO), 74);
	assert_int_equal(err_exit_status(ERR_TEMP), 75);
}

static void nobody_has_to_listen(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, ERR_IO, "x"), ERR_IO);
	assert_int_equal(err_errno(NULL, ERR_IO, "x"), ERR_IO);
	assert_int_equal(err_prefix(NULL, "x"), 0);
}

static void errno_in_words(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	errno = ENOENT;
	assert_int_equal(err_errno(&e, ERR_USAGE, "%s cannot be read", "x.jsonl"), ERR_USAGE);
	assert_string_equal(e.text, "x.jsonl cannot be read: No such file or directory");
	assert_int_equal(err_prefix(&e, "task %d", 7), ERR_USAGE);
	assert_string_equal(e.text, "task 7: x.jsonl cannot be read: No such file or directory");
}

static void the_reason_survives_a_long_name(void **state)
{
	char *name = mem_alloc(5000);
	struct err e = ERR_INIT;

	(void)state;
	memset(name, 'x', 4999);
	name[4999] = '\0';
	errno = ENOENT;
	err_errno(&e, ERR_USAGE, "%s cannot be read", name);
	assert_non_null(strstr(e.text, ": No such file or directory"));
	free(name);
}

static void a_cut_falls_between_characters(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	for (size_t shift = 0; shift < 4; shift++) {
		char text[1000], *p = text;

		memset(text, 'x', shift);
		for (p += shift; p < text + sizeof(text) - 8; p += 4)
			memcpy(p, "\xF0\x9F\x98\x80", 4);
		*p = '\0';
		err_set(&e, ERR_RECORD, "%s", text);
		assert_null(u8_check((const uint8_t *)e.text, strlen(e.text)));
		assert_true(strlen(e.text) > sizeof(e.text) - 9);
		err_prefix(&e, "a prefix");
		assert_null(u8_check((const uint8_t *)e.text, strlen(e.text)));
		errno = EACCES;
		err_errno(&e, ERR_IO, "%s", text);
		assert_null(u8_check((const uint8_t *)e.text, strlen(e.text)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_become_exit_statuses),
		cmocka_unit_test(nobody_has_to_listen),
		cmocka_unit_test(errno_in_words),
		cmocka_unit_test(the_reason_survives_a_long_name),
		cmocka_unit_test(a_cut_falls_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
