/*
 * The texts are real: what Triton 3.6 (its interpreter, its compiler for gfx942 and
 * sm_90), PyTorch 2.13 and CPython 3.11 said of broken kernels, and what people report of
 * the CUDA and HIP runtimes.
 */
#include "unit.h"

#include "domain/failure.h"
#include "domain/unguarded.h"

#define KERNEL "def k(x, o, n, B: tl.constexpr):\n    i = tl.arange(0, B)\n"

struct sample {
	const char *kind, *status, *class, *message;
	const char *source; /* NULL: one without a fault */
};

static const char guarded[] =
	"@triton.jit\n" KERNEL
	"    tl.store(o + i, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)\n";
static const char bare[] =
	"@triton.jit\n" KERNEL
	"    tl.store(o + i, tl.load(x + i), mask=i < n)\n";

static const struct sample samples[] = {
	{ "no_code", "compile_error", "no_code", "the reply held no code", "" },
	{ "no_kernel", "no_kernel", "NoKernel", "no kernel of its own was launched", NULL },
	{ "no_kernel", "cheat", "Cheat", "the reference was called", NULL },
	{ "timeout", "timeout", "Timeout", "not done after 60 s", NULL },
	{ "syntax", "compile_error", "SyntaxError", "'(' was never closed (candidate.py, line 4)",
	  NULL },
	{ "syntax", "compile_error", "IndentationError", "expected an indented block after "
	  "function definition on line 4 (candidate.py, line 5)", NULL },
	{ "syntax", "compile_error", "TabError", "inconsistent use of tabs and spaces in "
	  "indentation (candidate.py, line 7)", NULL },
	{ "syntax", "compile_error", "UnsupportedLanguageConstruct", "at 7:12:\n" KERNEL
	  "            break\n            ^\nunsupported AST node type: Break", NULL },
	{ "syntax", "compile_error", "CompilationError", "at 4:9:\n" KERNEL
	  "    mm = 0 <= i < n\n         ^\nsimultaneous multiple comparison is not supported",
	  NULL },
	{ "syntax", "compile_error", "CompilationError", "at 5:4:\n" KERNEL "    if v > 0:\n    ^\n"
	  "Boolean value of Tensor with more than one value is ambiguous", NULL },
	{ "syntax", "compile_error", "NotImplementedError", "only tuple comprehensions are "
	  "supported", NULL },
	{ "syntax", "compile_error", "RuntimeError", "error: 'scf.condition' op operand #0 must be "
	  "1-bit signless integer, but got 'tensor<64xi1>'", NULL },
	{ "syntax", "compile_error", "CompilationError", "at 4:10:\n" KERNEL
	  "    def g(z):\n          ^\nStopIteration()", NULL },
	{ "resource_limit", "out_of_memory", "MemoryError", "", NULL },
	{ "resource_limit", "call_error", "OutOfResources", "out of resource: shared memory, "
	  "Required: 131072, Hardware limit: 101376. Reducing block sizes or `num_stages` may "
	  "help.", NULL },
	{ "resource_limit", "compile_error", "OutOfResources", "a workgroup needs more LDS (shared "
	  "memory) or registers than a compute unit has; use smaller blocks, fewer stages or fewer "
	  "warps", NULL },
	{ "resource_limit", "call_error", "OutOfMemoryError", "CUDA out of memory. Tried to "
	  "allocate 20.00 GiB.", NULL },
	{ "resource_limit", "call_error", "RuntimeError", "[enforce fail at alloc_cpu.cpp:127] "
	  "err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate "
	  "4503599627370496 bytes. Error code 12 (Cannot allocate memory)", NULL },
	{ "resource_limit", "call_error", "ValueError", "numel (4194304) exceeds triton maximum "
	  "tensor numel (1048576)", NULL },
	{ "resource_limit", "compile_error", "RuntimeError", "error: <unknown>:0:0: local memory "
	  "(131072) exceeds limit (65536) in function 'k'", NULL },
	{ "mask", "crash", "signal SIGSEGV", "the process was killed by SIGSEGV", bare },
	{ "out_of_bounds", "crash", "signal SIGSEGV", "the process was killed by SIGSEGV", NULL },
	{ "mask", "call_error", "RuntimeError", "CUDA error: an illegal memory access was "
	  "encountered\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
	  bare },
	{ "out_of_bounds", "call_error", "RuntimeError", "Triton Error [CUDA]: an illegal memory "
	  "access was encountered", NULL },
	{ "out_of_bounds", "crash", "signal SIGABRT", "Memory access fault by GPU node-4 (Agent "
	  "handle: 0x152e220) on address (nil). Reason: Page not present or supervisor privilege.",
	  NULL },
	{ "out_of_bounds", "crash", "signal SIGABRT", "Callback: Queue 0x7fa730c00000 aborting "
	  "with error : HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: The agent attempted to access "
	  "memory beyond the largest legal address. code: 0x29", NULL },
	{ "mask", "call_error", "OutOfBounds", "kernel k stores out of bounds of argument o (7x781, "
	  "float32): at element 5467, where its memory ends at element 5467, in program (6, 0, 0)",
	  bare },
	{ "out_of_bounds", "call_error", "OutOfBounds", "kernel k stores out of bounds of argument o "
	  "(5, int32): at element -1, where its memory begins at element 0, in program (0, 0, 0)",
	  NULL },
	{ "out_of_bounds", "call_error", "IndexError", "index 5 is out of bounds for dimension 0 "
	  "with size 3", NULL },
	{ "gpu_runtime", "call_error", "ValueError", "Pointer argument (at 0) cannot be accessed "
	  "from Triton (cpu tensor?)", NULL },
	{ "gpu_runtime", "call_error", "RuntimeError", "Expected all tensors to be on the same "
	  "device, but found at least two devices, cuda:0 and cpu!", NULL },
	{ "gpu_runtime", "call_error", "RuntimeError", "Triton Error [CUDA]: misaligned address",
	  NULL },
	{ "gpu_runtime", "call_error", "RuntimeError", "Triton Error [HIP]:  Code: 719, Messsage: "
	  "unspecified launch failure", NULL },
	{ "constexpr", "call_error", "ValueError", "arange's arguments must be of type "
	  "tl.constexpr", NULL },
	{ "constexpr", "compile_error", "CompilationError", "at 4:8:\n" KERNEL
	  "    v = tl.arange(0, 100)\n        ^\narange's range must be a power of 2", NULL },
	{ "constexpr", "compile_error", "AssertionError", "int32[] used as tl.static_range end "
	  "value is not a constexpr", NULL },
	{ "constexpr", "call_error", "InterpreterError", "TypeError(\"Shape element 0 must have "
	  "type `constexpr[int]`, got `constexpr[<class 'triton.language.core.tensor'>]\")", NULL },
	{ "constexpr", "compile_error", "NameError", "Cannot access global variable SCALE from "
	  "within @jit'ed function. Triton kernels can only access global variables that are "
	  "instanstiated as constexpr (`x = triton.language.constexpr(42)`).", NULL },
	{ "constexpr", "call_error", "TypeError",
	  "triton.runtime.interpreter.InterpretedFunction.run() got multiple values for keyword "
	  "argument 'B'", NULL },
	{ "constexpr", "call_error", "TypeError", "'float' object cannot be interpreted as an "
	  "integer", NULL },
	{ "constexpr", "call_error", "TypeError", "object of type 'int' has no len()", NULL },
	{ "constexpr", "compile_error", "AssertionError", "num_warps must be a power of 2", NULL },
	{ "constexpr", "compile_error", "CompileTimeAssertionFailure", "at 4:4:\n" KERNEL
	  "    tl.static_assert(B > 1000, 'B too small')\n    ^\nB too small", NULL },
	{ "mask", "call_error", "ValueError", "Mask must have boolean scalar type", NULL },
	{ "mask", "call_error", "ValueError", "`other` cannot be provided without `mask`", NULL },
	{ "mask", "compile_error", "CompilationError", "`mask` and `other` arguments cannot be "
	  "specified for loading block pointers", NULL },
	{ "mask", "compile_error", "RuntimeError", "error: 'tt.load' op operand #1 must be 1-bit "
	  "signless integer or ranked tensor of 1-bit signless integer values, but got "
	  "'tensor<64xi32>'", NULL },
	{ "shape", "compile_error", "AssertionError", "Loop-carried variable acc has initial type "
	  "fp32 but is re-assigned to <['64'], fp32> in loop! Please make sure that the type stays "
	  "consistent.", NULL },
	{ "shape", "compile_error", "AssertionError", "Loop-carried variable acc has initial type "
	  "<['1'], fp32> but is re-assigned to <['64'], fp32> in loop! Please make sure that the "
	  "type stays consistent.", NULL },
	{ "dtype", "compile_error", "AssertionError", "Loop-carried variable acc has initial type "
	  "<['64'], fp16> but is re-assigned to <['64'], fp32> in loop! Please make sure that the "
	  "type stays consistent.", NULL },
	{ "dtype", "compile_error", "AssertionError", "Loop-carried variable acc has initial type "
	  "int32 but is re-assigned to fp32 in loop! Please make sure that the type stays "
	  "consistent.", NULL },
	{ "dtype", "compile_error", "AssertionError", "Mismatched type for v between then block "
	  "(<['64'], fp32>) and else block (<['64'], int32>)", NULL },
	{ "dtype", "compile_error", "CompilationError", "at 4:4:\ndef g(z, n):\n    return 1\n    "
	  "^\nTypeError(\"Inconsistent return types: <['64'], fp32> and int32\")", NULL },
	{ "dtype", "compile_error", "CompilationError", "TypeError(\"int() argument must be a "
	  "string, a bytes-like object or a real number, not 'tensor'\")", NULL },
	{ "dtype", "compile_error", "CompilationError", "TypeError(\"cannot convert 3 of type "
	  "<class 'str'> to tensor\")", NULL },
	{ "dtype", "call_error", "AttributeError", "'torch.dtype' object has no attribute 'scalar'",
	  NULL },
	{ "dtype", "call_error", "AssertionError", "Both operands must be same dtype. Got fp16 "
	  "and fp32", NULL },
	{ "dtype", "call_error", "RuntimeError", "expected m1 and m2 to have the same dtype, but "
	  "got: float != c10::Half", NULL },
	{ "dtype", "call_error", "ValueError", "Expected dtype ['fp32', 'fp64'] but got int32",
	  NULL },
	{ "dtype", "call_error", "IncompatibleTypeErrorImpl", "invalid operands of type "
	  "pointer<fp32> and triton.language.float32", NULL },
	{ "dtype", "call_error", "ValueError", "Unsupported ptr type <['64'], int32> in `tl.store`",
	  NULL },
	{ "dtype", "compile_error", "ValueError", "Scalar 1000000000000 is out of range for type "
	  "int32", NULL },
	{ "shape", "call_error", "ValueError", "Cannot make_shape_compatible: incompatible "
	  "dimensions at index 0: 64 and 32", NULL },
	{ "shape", "call_error", "ValueError", "Cannot broadcast, rank mismatch: ['64'], [32, 2]",
	  NULL },
	{ "shape", "call_error", "AssertionError", "input and other must have equal reduction "
	  "dimensions", NULL },
	{ "shape", "call_error", "RuntimeError", "mat1 and mat2 shapes cannot be multiplied (3x4 "
	  "and 3x4)", NULL },
	{ "shape", "call_error", "RuntimeError", "The size of tensor a (4) must match the size of "
	  "tensor b (5) at non-singleton dimension 1", NULL },
	{ "shape", "call_error", "RuntimeError", "shape '[5, -1]' is invalid for input of size 192",
	  NULL },
	{ "shape", "call_error", "ValueError", "Value argument cannot be block type if pointer "
	  "argument is not a block", NULL },
	{ "shape", "call_error", "ValueError", "unsupported tensor index: slice(0, 10, None)",
	  NULL },
	{ "shape", "call_error", "ValueError", "not enough values to unpack (expected 2, got 1)",
	  NULL },
	{ "shape", "call_error", "TypeError", "'tensor' object does not support item assignment",
	  NULL },
	{ "shape", "call_error", "InterpreterError", "ValueError(\"axis 1 out of bounds for shape "
	  "['constexpr[64]']\")", NULL },
	{ "shape", "compile_error", "ValueError", "invalid axis 1. Expected -1 <= axis < 1\n"
	  "at 4:8:\n" KERNEL "    v = tl.sum(tl.load(x + i, mask=m), axis=1)\n        ^\n", NULL },
	{ "unknown_api", "compile_error", "TypeError", "create_reduce(): incompatible function "
	  "arguments. The following argument types are supported:", NULL },
	{ "unknown_api", "call_error", "AttributeError", "module 'triton.language' has no "
	  "attribute 'tanh'", NULL },
	{ "unknown_api", "compile_error", "CompilationError", "at 4:20:\n" KERNEL "               "
	  "     ^\nAttributeError(\"module 'triton.language' has no attribute 'libdevice'\")",
	  NULL },
	{ "unknown_api", "compile_error", "ModuleNotFoundError", "No module named "
	  "'triton.language.libdevice'", NULL },
	{ "unknown_api", "call_error", "NameError", "name 'j' is not defined", NULL },
	{ "unknown_api", "call_error", "TypeError", "load() got an unexpected keyword argument "
	  "'fill'", NULL },
	{ "unknown_api", "compile_error", "RuntimeError", "Unsupported function referenced: "
	  "<built-in method exp of type object at 0x7fcf782cea40>", NULL },
	{ "unknown_api", "call_error", "TypeError", "exp(): argument 'input' (position 1) must be "
	  "Tensor, not tensor", NULL },
	{ "unknown_api", "call_error", "TypeError", "cannot convert None of type <class "
	  "'NoneType'> to tensor", NULL },
	{ "unknown_api", "call_error", "TypeError", "only length-1 arrays can be converted to "
	  "Python scalars", NULL },
	{ "unknown_api", "call_error", "TypeError", "unsupported operand type(s) for ** or pow(): "
	  "'tensor' and 'int'", NULL },
	{ "unknown_api", "call_error", "TypeError", "k() missing 1 required positional argument: "
	  "'B'", NULL },
	{ "unknown_api", "call_error", "RuntimeError", "Cannot call @triton.jit'd outside of the "
	  "scope of a kernel", NULL },
	{ "other", "call_error", "KeyError", "'B'", NULL },
	{ "other", "wrong_answer", "", "", NULL },
	{ "other", "no such status", "", "", NULL },
};

static struct json *failed(const struct sample *s)
{
	struct json *c = json_new_object(), *eval = json_new_object(), *error = json_new_object();

	json_set_string(error, "class", s->class);
	json_set_string(error, "message", s->message);
	json_set_string(eval, "status", s->status);
	json_set(eval, "error", error);
	json_set_string(c, "source", s->source ? s->source : guarded);
	json_set(c, "eval", eval);
	return c;
}

static void each_real_error_has_its_class(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		struct json *c = failed(&samples[i]);
		const char *kind = failure_class(c);

		if (strcmp(kind, samples[i].kind) != 0)
			fail_msg("'%s' is %s, not %s", samples[i].message, samples[i].kind, kind);
		json_free(c);
	}
}

/* -- wrong answers: eval's checks and the task's cases decide */

static struct json *parse(const char *text)
{
	struct err e = ERR_INIT;
	struct json *j = json_parse(text, strlen(text), &e);

	if (!j)
		fail_msg("%s: %s", e.text, text);
	return j;
}

static const char *class_of_wrong(const char *source, const char *cases, const char *checks,
				  const char *launches)
{
	struct json *c = json_new_object(), *task = json_new_object(), *eval = json_new_object();
	const char *kind;

	json_set(task, "cases", parse(cases));
	json_set_string(eval, "status", "wrong_answer");
	json_set(eval, "checks", parse(checks));
	json_set(eval, "launches", parse(launches));
	json_set(c, "task", task);
	json_set_string(c, "source", source);
	json_set(c, "eval", eval);
	kind = failure_class(c);
	json_free(c);
	return kind;
}

static const char cases[] =
	"[{\"name\":\"64x64\",\"params\":{\"M\":64,\"N\":64}},{\"name\":\"64x65\","
	"\"params\":{\"M\":64,\"N\":65}},{\"name\":\"t\",\"params\":{\"M\":64,\"N\":64,"
	"\"a\":\"column\"}},{\"name\":\"s\",\"params\":{\"N\":64},\"layout\":[\"strided\",null]},"
	"{\"name\":\"o\",\"params\":{\"N\":64},\"layout\":\"offset\"}]";
static const char one[] = "[{\"kernel\":\"k\",\"grid\":[1,1,1],\"count\":1}]";
static const char many[] = "[{\"kernel\":\"k\",\"grid\":[4,1,1],\"count\":1}]";

#define WRONG(name, more) "{\"case\":\"" name "\",\"ok\":false," more "}"
#define FAR "\"max_abs\":4.1,\"max_rel\":10,\"mismatch\":{\"count\":9,\"got\":0.5,\"expected\":-2}"

static void a_wrong_tail_with_an_unguarded_access_is_a_mask(void **state)
{
	(void)state;
	assert_string_equal(class_of_wrong(bare, cases, "[{\"case\":\"64x64\",\"ok\":true},"
		WRONG("64x65", FAR) "]", one), "mask");
	/* Full blocks are wrong too: the mask is not what is missing. */
	assert_string_equal(class_of_wrong(bare, cases, "[" WRONG("64x64", FAR) ","
		WRONG("64x65", FAR) "]", one), "other");
	assert_string_equal(class_of_wrong(guarded, cases, "[" WRONG("64x65", FAR) "]", one),
		"other");
}

static void zeros_in_a_maximum_are_a_mask(void **state)
{
	static const char zeros[] = "v = tl.load(x + i, mask=i < n, other=0.0)\n"
		"v = tl.exp(v - tl.max(v, 0))\ntl.store(y + i, v, mask=i < n)\n";

	(void)state;
	assert_string_equal(class_of_wrong(zeros, cases, "[" WRONG("64x65", FAR) "]", one), "mask");
	/* Near in one case and far in another: no drift. */
	assert_string_equal(class_of_wrong(zeros, cases, "[" WRONG("64x64", "\"max_rel\":0.01,"
		"\"mismatch\":{\"count\":3,\"got\":1.01,\"expected\":1.0}") ","
		WRONG("64x65", FAR) "]", one), "mask");
}

static void odd_strides_alone_wrong_is_a_shape(void **state)
{
	(void)state;
	assert_string_equal(class_of_wrong(guarded, cases, "[{\"case\":\"64x64\",\"ok\":true},"
		WRONG("t", FAR) "]", one), "shape");
	assert_string_equal(class_of_wrong(guarded, cases, "[{\"case\":\"64x64\",\"ok\":true},"
		WRONG("s", FAR) "]", one), "shape");
	assert_string_equal(class_of_wrong(guarded, cases, "[{\"case\":\"64x64\",\"ok\":true},"
		WRONG("o", FAR) "]", one), "other");
	assert_string_equal(class_of_wrong(guarded, cases, "[" WRONG("t", FAR) "]", one), "other");
}

static void a_result_of_another_form(void **state)
{
	(void)state;
	assert_string_equal(class_of_wrong(guarded, cases, "[" WRONG("64x64", "\"error\":"
		"\"result: dtype float16 was expected, not float32\"") "]", one), "dtype");
	assert_string_equal(class_of_wrong(guarded, cases, "[" WRONG("64x64", "\"error\":"
		"\"result: shape [4, 3] was expected, not [3, 4]\"") "]", one), "shape");
}

static void a_load_that_the_log_tells_of_is_out_of_bounds(void **state)
{
	static const char record[] = "{\"eval\":{\"status\":\"wrong_answer\",\"log\":\"geak-eval: "
		"kernel k loads out of bounds of argument x (5, float32): at element 5\\n\"}}";
	struct json *c = parse(record);

	(void)state;
	assert_string_equal(failure_class(c), "out_of_bounds");
	json_set_string(c, "source", bare);
	assert_string_equal(failure_class(c), "mask");
	json_free(c);
}

static void near_misses_are_drift_and_so_is_nan(void **state)
{
	(void)state;
	assert_string_equal(class_of_wrong(guarded, cases, "[" WRONG("64x64", "\"max_rel\":0.02,"
		"\"mismatch\":{\"count\":3,\"got\":1.01,\"expected\":1.0}") "]", one),
		"numeric_drift");
	assert_string_equal(class_of_wrong(guarded, cases, "[" WRONG("64x64", "\"max_rel\":0,"
		"\"mismatch\":{\"count\":3,\"got\":\"nan\",\"expected\":1.0,\"nan\":3}") "]", one),
		"numeric_drift");
}

static void programs_that_write_the_same_place_race(void **state)
{
	static const char atomic[] = "o = torch.empty(1)\n"
		"tl.atomic_add(o, tl.load(x + i, mask=i < n))\n";
	static const char cleared[] = "o = torch.zeros(1)\n"
		"tl.atomic_add(o, tl.load(x + i, mask=i < n))\n";
	const char *checks = "[" WRONG("64x64", FAR) "]";

	(void)state;
	assert_string_equal(class_of_wrong(guarded, cases, checks, many), "race");
	assert_string_equal(class_of_wrong(guarded, cases, checks, one), "other");
	assert_string_equal(class_of_wrong(atomic, cases, checks, many), "race");
	assert_string_equal(class_of_wrong(cleared, cases, checks, many), "other");
}

static void patterns_tell_the_kind(void **state)
{
	static const struct { const char *pattern, *kind; } meanings[] = {
		{ "transposed", "indexing" }, { "shifted", "indexing" }, { "every-kth", "indexing" },
		{ "partial-sum", "accumulation" }, { "carry-lost", "accumulation" },
		{ "factor", "formula" }, { "argument-missing", "formula" },
		{ "rounded", "numeric_drift" }, { "wrapped", "numeric_drift" },
		{ "last-tile", "mask" }, { "diagonal", "mask" }, { "undercounted", "race" },
		{ "everywhere", "other" }, { "somebody's-own", "other" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++) {
		char checks[400];

		snprintf(checks, sizeof(checks), "[" WRONG("64x64", "\"max_rel\":3,\"mismatch\":"
			"{\"count\":9,\"got\":3,\"expected\":1,\"patterns\":[{\"name\":"
			"\"everywhere\"},{\"name\":\"%s\"}]}") "]", meanings[i].pattern);
		assert_string_equal(class_of_wrong(guarded, cases, checks, one), meanings[i].kind);
	}
}

static void the_compiler_is_heard_and_so_is_glibc(void **state)
{
	struct json *c = parse("{\"source\":\"\",\"eval\":{\"status\":\"compile_error\","
		"\"compile\":[{\"target\":\"gfx942\",\"ok\":true},{\"target\":\"sm_90\","
		"\"ok\":false,\"error\":{\"message\":\"ptxas error   : Entry function 'k' uses "
		"too much shared data\"}}]}}");

	(void)state;
	assert_string_equal(failure_class(c), "resource_limit");
	json_free(c);
	c = parse("{\"source\":\"\",\"eval\":{\"status\":\"crash\",\"error\":{\"class\":"
		"\"signal SIGABRT\"},\"log\":\"free(): invalid next size (normal)\\n\"}}");
	assert_string_equal(failure_class(c), "out_of_bounds");
	json_free(c);
}

static void anything_else_is_other(void **state)
{
	static const char *const texts[] = {
		"{}", "[]", "null", "3", "{\"eval\":[]}", "{\"eval\":{\"status\":3,\"error\":[1]}}",
		"{\"eval\":{\"status\":\"wrong_answer\",\"checks\":{\"a\":{\"ok\":false}}},"
		"\"source\":[]}",
		("{\"eval\":{\"status\":\"wrong_answer\",\"checks\":[3,null,{\"ok\":false,"
		 "\"case\":7,\"mismatch\":[]}],\"launches\":[[],3]},\"task\":{\"cases\":[1,"
		 "{\"params\":3}]}}"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct json *c = parse(texts[i]);

		assert_string_equal(failure_class(c), "other");
		json_free(c);
	}
	assert_string_equal(failure_class(NULL), "other");
}

static void every_class_has_a_sample_and_a_name(void **state)
{
	size_t n = 0;

	(void)state;
	while (failure_class_name(n))
		n++;
	assert_int_equal(n, 18);
	assert_null(failure_class_name(1000));
	assert_true(failure_can_be_repaired("wrong_answer"));
	assert_false(failure_can_be_repaired("pass"));
	assert_false(failure_can_be_repaired("reference_error"));
	assert_false(failure_can_be_repaired("sandbox_error"));
	assert_false(failure_can_be_repaired("unverified"));
	assert_false(failure_can_be_repaired("somebody's own"));
}

static void unguarded_accesses_are_found(void **state)
{
	static const struct { size_t line; const char *source; } tries[] = {
		{ 0, "" },
		{ 0, "x = 1\n" },
		{ 0, guarded },
		{ 4, bare },
		{ 1, "tl.load(p)" },
		{ 0, "tl.load(p, m)" },
		{ 0, "tl.load(p, m, 0.0)" },
		{ 1, "tl.load(p, other=0.0)" },
		{ 0, "tl.load(p, boundary_check=(0, 1))" },
		{ 0, "tl.load(\n    p,\n    mask = m,\n)" },
		{ 2, "tl.load(p, m)\ntl.store(p, v)" },
		{ 0, "tl.store(p, v, m)" },
		{ 1, "tl.store(p, f(v, m))" },
		{ 1, "tl.store(p, v, cache_modifier=\".cs\")" },
		{ 1, "tl.load(p, eviction_policy='mask=')" },
		{ 1, "tl.load(p # mask=m\n)" },
		{ 0, "# tl.load(p)\n" },
		{ 0, "s = 'tl.load(p)'\n" },
		{ 0, "\"\"\"\ntl.load(p)\n\"\"\"\n" },
		{ 0, "s = 'it\\'s tl.load(p)'\n" },
		{ 0, "my_tl.load(p)\nx.tl.load(p)\n" },
		{ 1, "tl.load(p, mask_of=m)" },
		{ 0, "tl.load(p, (a, b))" },
		{ 0, "tl.load(" },
		{ 0, ")))]]" },
		{ 3, "tl.store(p,\n tl.load(q, m) +\n tl.load(q), mask=m)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++)
		if (unguarded_line(tries[i].source) != tries[i].line)
			fail_msg("line %zu, not %zu, in: %s", unguarded_line(tries[i].source),
				 tries[i].line, tries[i].source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_real_error_has_its_class),
		cmocka_unit_test(a_wrong_tail_with_an_unguarded_access_is_a_mask),
		cmocka_unit_test(zeros_in_a_maximum_are_a_mask),
		cmocka_unit_test(odd_strides_alone_wrong_is_a_shape),
		cmocka_unit_test(a_result_of_another_form),
		cmocka_unit_test(a_load_that_the_log_tells_of_is_out_of_bounds),
		cmocka_unit_test(near_misses_are_drift_and_so_is_nan),
		cmocka_unit_test(programs_that_write_the_same_place_race),
		cmocka_unit_test(patterns_tell_the_kind),
		cmocka_unit_test(the_compiler_is_heard_and_so_is_glibc),
		cmocka_unit_test(anything_else_is_other),
		cmocka_unit_test(every_class_has_a_sample_and_a_name),
		cmocka_unit_test(unguarded_accesses_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
