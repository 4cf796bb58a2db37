/* Masking of what a terminal would act upon, and complaints in one line. */
#include "unit.h"

#include <unistd.h>

#include "ground/mem.h"
#include "ground/text.h"

static void assert_masked(const char *text, int multiline, const char *wanted)
{
	struct buf b;

	buf_init(&b, 1000);
	text_add_masked(&b, text, strlen(text), multiline);
	assert_string_equal(b.data, wanted);
	buf_release(&b);
}

static void controls_are_masked(void **state)
{
	(void)state;
	assert_masked("\x1B[31mred\x7F", 1, "?[31mred?");
	assert_masked("a\nb\tc\rd", 1, "a\nb\tc?d");
	assert_masked("a\nb\tc\rd", 0, "a b c?d");
	assert_masked("\xC2\x9B" "31m", 1, "?31m");       /* CSI as one character */
	assert_masked("\xC2\xA0\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 1,
		      "\xC2\xA0\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
	assert_masked("a\xE2\x80\xAE" "b\xE2\x81\xA6" "c", 1, "a?b?c"); /* turned text */
}

static void bytes_that_are_no_utf8_are_masked(void **state)
{
	(void)state;
	assert_masked("\x9B" "31m", 1, "?31m");           /* CSI on a terminal without UTF-8 */
	assert_masked("a\xFF\xE2\x82", 1, "a???");
	assert_masked("\xC0\x9B", 1, "??");               /* overlong */
	assert_masked("\xED\xA0\x80", 1, "???");          /* a surrogate */
}

static void a_nul_is_masked(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 10);
	text_add_masked(&b, "a\0b", 3, 0);
	assert_string_equal(b.data, "a?b");
	buf_release(&b);
}

/* What text_complain() writes for a message. */
static char *complaint(const char *message)
{
	int ends[2], kept = dup(STDERR_FILENO);
	char *got = mem_zalloc(1, 20000);

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	text_complain("tool", "%s", message);
	dup2(kept, STDERR_FILENO);
	close(ends[1]);
	assert_true(read(ends[0], got, 19999) > 0);
	close(ends[0]);
	close(kept);
	return got;
}

static void a_complaint_is_one_line(void **state)
{
	char *got = complaint("first\nsecond \x1B[1m");

	(void)state;
	assert_string_equal(got, "tool: first second ?[1m\n");
	free(got);
}

static void of_a_long_complaint_the_beginning_is_said(void **state)
{
	char *message = mem_alloc(9000), *got;

	(void)state;
	memset(message, 'x', 8999);
	message[8999] = '\0';
	got = complaint(message);
	assert_memory_equal(got, "tool: xxxx", 10);
	assert_in_range(strlen(got), 4000, 4200);
	assert_string_equal(got + strlen(got) - 2, "x\n");
	free(got);
	free(message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controls_are_masked),
		cmocka_unit_test(bytes_that_are_no_utf8_are_masked),
		cmocka_unit_test(a_nul_is_masked),
		cmocka_unit_test(a_complaint_is_one_line),
		cmocka_unit_test(of_a_long_complaint_the_beginning_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
