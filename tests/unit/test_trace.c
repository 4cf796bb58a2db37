/* Tracebacks as CPython 3.11 and Triton's interpreter write them. */
#include "unit.h"

#include <stdlib.h>

#include "domain/trace.h"
#include "ground/mem.h"

static const char source[] =
	"import torch\nimport triton.language as tl\n@triton.jit\ndef k(x, o, n, B: "
	"tl.constexpr):\n    v = tl.zeros((2048, 2048), tl.float32)\n    tl.store(o, v)\n"
	"\ndef f(x):\n    k[(1,)](x, x, 3, B=4)\n    return x\n";

static void expect(const char *trace, const char *wanted)
{
	struct buf out;

	buf_init(&out, 64 * 1024);
	trace_trim(trace, source, &out);
	assert_string_equal(out.data, wanted);
	buf_release(&out);
}

static void only_the_frames_of_the_candidate_are_left(void **state)
{
	(void)state;
	expect("Traceback (most recent call last):\n"
	       "  File \"/opt/triton/runtime/interpreter.py\", line 1357, in __call__\n"
	       "    self.fn(**args)\n  File \"/tmp/box.x/candidate.py\", line 5, in k\n"
	       "    v = tl.zeros((2048, 2048), tl.float32)\n        "
	       "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n  File \"/opt/triton/runtime/interpreter.py\","
	       " line 1492, in __call__\n    raise InterpreterError(repr(e)) from e\n"
	       "triton.runtime.errors.InterpreterError: ValueError('numel (4194304) exceeds')\n"
	       "\nThe above exception was the direct cause of the following exception:\n"
	       "\nTraceback (most recent call last):\n  File \"/tmp/box.x/candidate.py\", line 9, "
	       "in f\n    k[(1,)](x, x, 3, B=4)\n  File \"/tmp/box.x/candidate.py\", line 5, in k\n"
	       "    v = tl.zeros((2048, 2048), "
	       "tl.float32)\ntriton.runtime.errors.InterpreterError: again\n",
	       "line 5, in k:\n     3 | @triton.jit\n     4 | def k(x, o, n, B: tl.constexpr):\n"
	       ">    5 |     v = tl.zeros((2048, 2048), tl.float32)\n     6 |     tl.store(o, v)\n"
	       "     7 | \nline 9, in f:\n     7 | \n     8 | def f(x):\n>    9 |     k[(1,)](x, "
	       "x, 3, B=4)\n    10 |     return x\n");
}

static void a_syntax_error_has_no_function(void **state)
{
	(void)state;
	expect("  File \"candidate.py\", line 1\n    import torch\n    ^\nSyntaxError: invalid "
		"syntax\n",
	       "line 1:\n>    1 | import torch\n     2 | import triton.language as tl\n"
	       "     3 | @triton.jit\n");
}

static void a_file_of_another_name_is_known_by_its_line(void **state)
{
	(void)state;
	expect("  File \"/elsewhere/kernel_7.py\", line 10, in f\n    return x\n",
	       "line 10, in f:\n     8 | def f(x):\n     9 |     k[(1,)](x, x, 3, B=4)\n"
	       ">   10 |     return x\n");
	expect("  File \"/elsewhere/kernel_7.py\", line 10, in f\n    return y\n", "");
	expect("  File \"/elsewhere/not_candidate.py\", line 1, in f\n", "");
}

static void whatever_is_no_frame_gives_nothing(void **state)
{
	static const char *const traces[] = {
		"", "\n\n", "  File \"", "  File \"candidate.py", "  File \"candidate.py\"",
		"  File \"candidate.py\", line ", "  File \"candidate.py\", line x, in f\n",
		"  File \"candidate.py\", line 0, in f\n",
		"  File \"candidate.py\", line 11, in f\n",
		"  File \"candidate.py\", line 99999999999999999999999, in f\n",
		"  File \"\n\", line 1, in f\n", "signal SIGSEGV",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(traces) / sizeof(*traces); i++)
		expect(traces[i], "");
}

static void of_many_frames_and_long_lines_little_is_left(void **state)
{
	size_t size = 10 * 1024 * 1024;
	char *trace = mem_alloc(size + 200), *at = trace, *wide = mem_alloc(100001);
	struct buf out;

	(void)state;
	for (int i = 0; at < trace + size; i++)
		at += sprintf(at, "  File \"candidate.py\", line %d, in f%d\n", i % 10 + 1, i);
	buf_init(&out, SIZE_MAX / 2);
	trace_trim(trace, source, &out);
	assert_true(out.len > 100 && out.len < 3000);
	buf_reset(&out);
	memset(wide, 'x', 100000);
	wide[100000] = '\0';
	trace_trim("  File \"candidate.py\", line 1, in f\n", wide, &out);
	assert_int_equal(out.len, strlen("line 1, in f:\n>    1 |  ...\n") + 200);
	buf_release(&out);
	free(trace);
	free(wide);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_frames_of_the_candidate_are_left),
		cmocka_unit_test(a_syntax_error_has_no_function),
		cmocka_unit_test(a_file_of_another_name_is_known_by_its_line),
		cmocka_unit_test(whatever_is_no_frame_gives_nothing),
		cmocka_unit_test(of_many_frames_and_long_lines_little_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
