/* Which sizes of a KernelBench reference are made smaller, and how far. */
#include "unit.h"

#include "domain/py_sizes.h"
#include "domain/shrink.h"
#include "ground/buf.h"
#include "ground/mem.h"

#define INIT(list) "def get_init_inputs():\n    return [" list "]\n"
#define INPUT(list) "def get_inputs():\n    return [torch.rand(" list ")]\n"

static void what_is_read(void **state)
{
	static const struct {
		const char *text;
		size_t count;
		long value[3];
	} all[] = {
		{ "a = 7", 1, { 7 } },
		{ "a = 16 * 64 # and so on", 1, { 1024 } },
		{ "b = a = 9\n", 1, { 9 } },
		{ "b, a = 3, 4", 1, { 4 } },
		{ "a = (3, 4,)", 2, { 3, 4 } },
		{ "a = [5, 2 * 3]\r\n", 2, { 5, 6 } },
		{ "a = 7\na = 8", 1, { 8 } },
		{ "a = 7\na = f()", 0, { 0 } },
		{ "a = 7 + 1", 0, { 0 } },
		{ "a = 7.5", 0, { 0 } },
		{ "a = 2 ** 4", 0, { 0 } },
		{ "a = -7", 0, { 0 } },
		{ "a = 1000000 * 1000000 * 1000000", 0, { 0 } },
		{ "a = (1, 2, 3, 4, 5, 6, 7, 8, 9)", 0, { 0 } },
		{ "a, b = 7", 0, { 0 } },
		{ "a, b = f(), 7", 0, { 0 } },
		{ "if x:\n    a = 7\n", 0, { 0 } },
		{ "'''\na = 7\n'''\n", 0, { 0 } },
		{ "a == 7", 0, { 0 } },
		{ "a =", 0, { 0 } },
	};
	struct py_sizes *sizes = mem_alloc(sizeof(*sizes));

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		const struct py_size *a = NULL;

		py_sizes_read(sizes, all[i].text);
		for (size_t k = 0; k < sizes->count; k++)
			if (py_name_is(&sizes->all[k].name, "a"))
				a = &sizes->all[k];
		if (!all[i].count) {
			assert_true(!a || !a->literal);
			continue;
		}
		assert_non_null(a);
		assert_true(a->literal);
		assert_int_equal(a->count, all[i].count);
		assert_memory_equal(a->value, all[i].value, a->count * sizeof(*a->value));
	}
	free(sizes);
}

static void shrinks(const char *reference, const char *wanted)
{
	struct json *params = shrink_sizes(reference);
	struct buf text;

	buf_init(&text, 1000);
	if (params)
		json_print(params, &text);
	assert_string_equal(text.data, wanted);
	buf_release(&text);
	json_free(params);
}

static void what_becomes_smaller(void **state)
{
	(void)state;
	shrinks("", "");
	shrinks("n = 16\n" INPUT("n"), "");
	shrinks("n = 1000\n" INPUT("n") INIT(""), "");
	shrinks("batch_size = 4096\ndim = 393216\n" INPUT("batch_size, dim") INIT(""),
		"{\"batch_size\":4,\"dim\":12288}");
	shrinks("N = 4096\n" INPUT("N, N") INIT(""), "{\"N\":256}");
	/* odd sizes stay odd */
	shrinks("n = 1000001\n" INPUT("n") INIT(""), "{\"n\":62501}");
	/* what nobody uses stays */
	shrinks("n = 100000\nm = 100000\n" INPUT("n") INIT(""), "{\"n\":50000}");
	/* tuples, and names that follow from others */
	shrinks("shape = (1024, 1024)\n" INPUT("*shape") INIT(""), "{\"shape\":[256,256]}");
	shrinks("n = 1000000\nshape = (n, 3)\n" INPUT("shape") INIT(""), "{\"n\":62500}");
}

static void what_belongs_together(void **state)
{
	(void)state;
	/* parameters keep their proportions; a window's width is no size */
	shrinks("batch_size = 64\nwide = 8192\ngroups = 512\nkernel_size = 3\n" INPUT("batch_size, wide")
		INIT("wide, groups, kernel_size"), "{\"batch_size\":4,\"wide\":256,\"groups\":16}");
	/* heads go on to divide what they divided */
	shrinks("heads = 12\ndim = 768\n" INPUT("4, dim") INIT("dim, heads"), "{\"dim\":192}");
	shrinks("patch_size = 16\nimage = 224\n" INPUT("image, image, image") INIT("patch_size"),
		"{\"image\":112}");
	/* sizes that are equal stay so, and others stay different */
	shrinks("M = N = 8192\n" INPUT("M, N") INIT(""), "{\"M\":256,\"N\":256}");
	shrinks("M, N = 8192, 4096\n" INPUT("M, N") INIT(""), "{\"M\":256,\"N\":128}");
	/* a number that the class takes from outside stays; a parameter may have the same name */
	shrinks("class Model:\n    def __init__(self):\n        self.x = f(n)\n"
		"n = 100000\nm = 100000\n" INPUT("n, m") INIT(""), "{\"m\":13}");
	shrinks("class Model:\n    def f(self, x):\n        k, n = x.shape\n        return n\n"
		"n = 100000\n" INPUT("n") INIT(""), "{\"n\":50000}");
	shrinks("class Model:\n    def f(self, x: int = (1), n=2):\n        return n + g(m=x.m)\n"
		"n = 100000\nm = 100000\n" INPUT("n, m") INIT(""), "{\"n\":195,\"m\":195}");
	/* a batch that must fit another side is a size like any */
	shrinks("batch_size = 32768\nn = 32768\ndef get_inputs():\n"
		"    return [torch.rand(batch_size, n), torch.rand(batch_size)]\n" INIT(""),
		"{\"batch_size\":128,\"n\":128}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read),
		cmocka_unit_test(what_becomes_smaller),
		cmocka_unit_test(what_belongs_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
