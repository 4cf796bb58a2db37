/* Parts of a reply that was cut, put together. */
#include "unit.h"

#include "domain/sequel.h"

static void expect(const char *text, const char *part, const char *wanted)
{
	struct buf b;

	buf_init(&b, 4096);
	buf_adds(&b, text);
	sequel_join(&b, part);
	assert_string_equal(b.data, wanted);
	buf_release(&b);
}

static void parts_are_joined(void **state)
{
	(void)state;
	expect("def f(", "x):\n", "def f(x):\n");
	expect("", "def f(x):\n", "def f(x):\n");
	expect("def f(x):\n", "", "def f(x):\n");
}

static void a_fence_is_opened_once(void **state)
{
	(void)state;
	expect("```python\ndef f(", "```python\nx):\n```\n", "```python\ndef f(x):\n```\n");
	expect("So:\n```python\ndef f(", "```python\nx):\n```\n", "So:\n```python\ndef f(x):\n```\n");
	/* one that closes, and one that opens where none is open */
	expect("```python\ndef f(): 1\n", "```\nDone.", "```python\ndef f(): 1\n```\nDone.");
	expect("Here it is:\n", "```python\ndef f(): 1\n```\n", "Here it is:\n```python\ndef f(): 1\n```\n");
	expect("```\na\n```\nAnd:\n", "```python\nb\n```\n", "```\na\n```\nAnd:\n```python\nb\n```\n");
}

static void what_is_repeated_is_left_out(void **state)
{
	(void)state;
	expect("    mask = offsets < n\n    x = tl.load(", "    mask = offsets < n\n    x = tl.load(p)\n",
	       "    mask = offsets < n\n    x = tl.load(p)\n");
	/* too little to be sure, and blanks, which code has many of */
	expect("x = 1\n", "x = 1\ny = 2\n", "x = 1\nx = 1\ny = 2\n");
	expect("\n                    ", "                    y = 2\n",
	       "\n                                        y = 2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_joined),
		cmocka_unit_test(a_fence_is_opened_once),
		cmocka_unit_test(what_is_repeated_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
