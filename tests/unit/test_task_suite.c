/* What is read out of Python files without running them. */
#include "unit.h"

#include "domain/py_names.h"
#include "domain/task_suite.h"
#include "ground/buf.h"

#define MARKS_46 "##############################################"
#define MARKS_146 MARKS_46 MARKS_46 MARKS_46 "########"

static void names(void **state)
{
	static const struct {
		const char *text, *names;
	} all[] = {
		{ "", "" },
		{ "a b.c 9d 0x1F e1", "a b c e1" },
		{ "x = 'no \\' no' + y # no\nz", "x y z" },
		{ "\"\"\"no 'no'\n\" no\"\"\" yes", "yes" },
		{ "r'no' Rb\"no\" f'no' rather 'no'", "rather" },
		{ "'never closed no\nyes", "yes" },
		{ "'''never closed no\nno", "" },
		{ "\\", "" },
		{ "'\\", "" },
		{ "na\xC3\xAFve", "na\xC3\xAFve" },
		{ "# no\r\n\tyes", "yes" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		struct py_names p;
		struct py_name n;
		struct buf seen;

		buf_init(&seen, 1000);
		py_names_init(&p, all[i].text);
		while (py_names_next(&p, &n)) {
			if (seen.len)
				buf_addc(&seen, ' ');
			buf_add(&seen, n.text, n.len);
		}
		assert_string_equal(seen.data, all[i].names);
		buf_release(&seen);
	}
}

static void where_a_name_stands(void **state)
{
	struct py_names p;
	struct py_name n;

	(void)state;
	py_names_init(&p, "@a.b\nc = d == e\n  f(g=1)");
	assert_true(py_names_next(&p, &n) && py_name_is(&n, "a") && n.decorator && n.column == 1);
	assert_true(py_names_next(&p, &n) && py_name_is(&n, "b") && n.attribute && !n.first);
	assert_true(py_names_next(&p, &n) && py_name_is(&n, "c") && n.first && n.assigned);
	assert_true(py_names_next(&p, &n) && py_name_is(&n, "d") && !n.assigned);
	assert_true(py_names_next(&p, &n) && py_name_is(&n, "e"));
	assert_true(py_names_next(&p, &n) && py_name_is(&n, "f") && n.first && n.column == 2);
	assert_true(py_names_next(&p, &n) && py_name_is(&n, "g") && !n.first && n.assigned);
	assert_false(py_names_next(&p, &n));
}

static void entry_is(const char *kernel, const char *tests, const char *want)
{
	char *entry = suite_entry(kernel, tests);

	if (want)
		assert_string_equal(entry ? entry : "(none)", want);
	else
		assert_null(entry);
	free(entry);
}

#define KERNEL "import triton\n\n@triton.jit\ndef k(x): pass\n\n"

static void entry(void **state)
{
	(void)state;
	entry_is("", NULL, NULL);
	entry_is(KERNEL, NULL, NULL);
	entry_is(KERNEL "def f(x):\n    k[1](x)\n", NULL, "f");
	/* A helper is used, a function beside it is not; a private one counts less. */
	entry_is(KERNEL "def h(): pass\ndef f(x):\n    h()\n", NULL, "f");
	entry_is(KERNEL "def f(): pass\ndef _g(): pass\n", NULL, "f");
	entry_is(KERNEL "def f(): pass\ndef g(): pass\n", NULL, NULL);
	/* The tests decide where they are at hand, as long as they decide. */
	entry_is(KERNEL "def f(): pass\ndef g(): pass\n", "def test_g():\n    g()\n", "g");
	entry_is(KERNEL "def f(): pass\ndef g(): pass\n", "f(); g()", NULL);
	entry_is(KERNEL "def f():\n  k\n", "k[(1,)](x)", "k");
	entry_is("class C(torch.autograd.Function):\n  pass\nop = C.apply\n", "y = op(x)", "op");
	entry_is("class C:\n  pass\n", "C.apply(x)", "C");
	/* Not what the tests name in a string or a comment, define anew, or reach by a dot. */
	entry_is("def f(): pass\ndef g(): pass\n", "g()\n# f()\n'f()'\nx.f()", "g");
	entry_is("def f(): pass\ndef g(): pass\n", "def f(): pass\nf()\ng()", "g");
	entry_is("async def f(): pass\n", NULL, "f");
	entry_is("def", NULL, NULL);
	entry_is("@", NULL, NULL);
}

static void result(void **state)
{
	static const struct {
		const char *tests, *result;
	} all[] = {
		{ "result_gold = test_x()", "result_gold" },
		{ "def test_x(): pass\na = test_x()\nb = test_y(1)\n", "b" },
		{ "def test_x():\n    a = test_y()\n", NULL },
		{ "test_x()", NULL },
		{ "# a = test_x()", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		char *name = suite_result(all[i].tests);

		if (all[i].result)
			assert_string_equal(name, all[i].result);
		else
			assert_null(name);
		free(name);
	}
}

static void split(void **state)
{
	static const char *const none[] = {
		"", "kernel", MARKS_46, "#" MARKS_146 "\n", "x " MARKS_146 "\n", MARKS_146 " x",
	};
	struct err e = ERR_INIT;
	char *kernel, *tests;

	(void)state;
	assert_int_equal(suite_split("kernel\n" MARKS_146 " \t\r\ntests\n" MARKS_146 "\n", &kernel, &tests,
				     &e), 0);
	assert_string_equal(kernel, "kernel\n");
	assert_string_equal(tests, "\ntests\n" MARKS_146 "\n");
	free(kernel);
	free(tests);
	assert_int_equal(suite_split(MARKS_146, &kernel, &tests, &e), 0);
	assert_string_equal(kernel, "");
	assert_string_equal(tests, "");
	free(kernel);
	free(tests);
	for (size_t i = 0; i < COUNT(none); i++) {
		assert_int_equal(suite_split(none[i], &kernel, &tests, &e), ERR_RECORD);
		assert_string_equal(e.text, "the kernel cannot be told from its tests: no line of 146 '#' "
				    "stands between them");
	}
}

static void id(void **state)
{
	static const char *const bad[] = { "", "a/b.py", "../x.py" };
	struct err e = ERR_INIT;
	char *name;

	(void)state;
	name = suite_id("softmax.py", &e);
	assert_string_equal(name, "softmax");
	free(name);
	name = suite_id("softmax.txt", &e);
	assert_string_equal(name, "softmax.txt");
	free(name);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_null(suite_id(bad[i], &e));
	assert_string_equal(e.text, "the \"file\" must be the plain name of a Python file, not "
			    "\"../x.py\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names), cmocka_unit_test(where_a_name_stands),
		cmocka_unit_test(entry), cmocka_unit_test(result), cmocka_unit_test(split),
		cmocka_unit_test(id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
