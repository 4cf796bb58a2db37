/*
 * Rules, the most telling first; the first one that matches names the kind. The
 * texts are those of Triton 3.6, its interpreter, PyTorch, CPython and the CUDA and HIP
 * runtimes as they were seen; tests/unit/test_failure.c holds a real one for each kind.
 */
#include "domain/failure.h"

#include <string.h>

#include "domain/failure_signs.h"
#include "domain/pattern.h"

static const char no_code[] = "no_code", syntax[] = "syntax", unknown_api[] = "unknown_api",
		  constexpr_[] = "constexpr", shape[] = "shape",
		  out_of_bounds[] = "out_of_bounds", mask[] = "mask", dtype[] = "dtype",
		  numeric_drift[] = "numeric_drift", race[] = "race",
		  resource_limit[] = "resource_limit", timeout[] = "timeout",
		  gpu_runtime[] = "gpu_runtime", no_kernel[] = "no_kernel", other[] = "other";

static const char *const names[] = {
	no_code, syntax, unknown_api, constexpr_, shape, out_of_bounds, mask, dtype,
	numeric_drift, race, resource_limit, timeout, gpu_runtime, no_kernel, "indexing",
	"accumulation", "formula", other, NULL,
};

/* -- the rules */

struct rule {
	const char *kind;
	/* All that are given must hold. */
	const char *status;
	const char *class;  /* of the exception */
	const char *phrase; /* somewhere in the message */
	bool (*test)(const struct evidence *ev);
};

static const struct rule rules[] = {
	{ no_code, .class = "no_code" },
	{ no_kernel, .status = "no_kernel" },
	{ no_kernel, .status = "cheat" },
	{ timeout, .status = "timeout" },

	{ syntax, .class = "SyntaxError" },
	{ syntax, .class = "IndentationError" },
	{ syntax, .class = "TabError" },
	{ syntax, .class = "UnsupportedLanguageConstruct" },
	{ syntax, .phrase = "unsupported AST node type" },
	{ syntax, .phrase = "multiple comparison is not supported" },
	{ syntax, .phrase = "Boolean value of Tensor with more than one value" },
	{ syntax, .phrase = "comprehensions are supported" },
	{ syntax, .phrase = "'scf.condition' op operand #0" }, /* while on a block */
	{ syntax, .phrase = "StopIteration()" }, /* a function defined inside a kernel */

	{ resource_limit, .status = "out_of_memory" },
	{ resource_limit, .class = "OutOfResources" },
	{ resource_limit, .phrase = "out of resource" },
	{ resource_limit, .phrase = "out of memory" },
	{ resource_limit, .phrase = "can't allocate memory" },
	{ resource_limit, .phrase = "exceeds triton maximum tensor numel" },
	{ resource_limit, .phrase = "local memory (" }, /* LLVM: exceeds limit (65536) */
	{ resource_limit, .phrase = "uses too much shared data" }, /* ptxas */
	{ resource_limit, .phrase = "too many resources requested for launch" },
	{ resource_limit, .phrase = "hipErrorLaunchOutOfResources" },

	{ mask, .test = failure_bad_address_unguarded },
	{ out_of_bounds, .test = failure_bad_address },
	{ out_of_bounds, .phrase = "is out of bounds for dimension" },
	{ out_of_bounds, .phrase = "index out of range" },

	{ gpu_runtime, .phrase = "cannot be accessed from Triton (cpu tensor?)" },
	{ gpu_runtime, .phrase = "on the same device" },
	{ gpu_runtime, .phrase = "Triton Error [" },
	{ gpu_runtime, .phrase = "CUDA error" },
	{ gpu_runtime, .phrase = "HIP error" },
	{ gpu_runtime, .phrase = "hipError" },
	{ gpu_runtime, .phrase = "HSA_STATUS_ERROR" },
	{ gpu_runtime, .phrase = "device-side assert" },

	{ constexpr_, .phrase = "must be of type tl.constexpr" },
	{ constexpr_, .phrase = "is not a constexpr" },
	{ constexpr_, .phrase = "non-constexpr" },
	{ constexpr_, .phrase = "must have type `constexpr" },
	{ constexpr_, .phrase = "must be a power of 2" },
	{ constexpr_, .phrase = "Cannot access global variable" },
	{ constexpr_, .phrase = "Conflicting meta-parameters" },
	{ constexpr_, .phrase = "got multiple values for" },
	{ constexpr_, .phrase = "cannot be interpreted as an integer" },
	{ constexpr_, .phrase = "object of type 'int' has no len()" }, /* kernel[n](...) */
	{ constexpr_, .class = "CompileTimeAssertionFailure" },

	{ mask, .phrase = "Mask must have boolean scalar type" },
	{ mask, .phrase = "`other` cannot be provided without `mask`" },
	{ mask, .phrase = "`mask` and `other` arguments cannot be specified" },
	{ mask, .phrase = "must be 1-bit signless integer" },

	{ unknown_api, .phrase = "cannot convert None of type" }, /* libdevice, interpreted */

	{ shape, .phrase = "Loop-carried variable", .test = failure_changes_shape },
	{ dtype, .phrase = "Loop-carried variable" },
	{ dtype, .phrase = "Mismatched type for" },
	{ dtype, .phrase = "Inconsistent return types" },
	{ dtype, .phrase = "> to tensor" }, /* cannot convert 3 of type <class 'str'> to tensor */
	{ dtype, .phrase = "argument must be a string" }, /* int() or float() of a block */
	{ dtype, .phrase = "'torch.dtype' object has no attribute" },
	{ dtype, .phrase = "'dtype' object is not callable" },
	{ dtype, .phrase = "operands must be same dtype" },
	{ dtype, .phrase = "have the same dtype" },
	{ dtype, .phrase = "Expected dtype [" },
	{ dtype, .phrase = "expected scalar type" },
	{ dtype, .phrase = "invalid operands of type" },
	{ dtype, .phrase = "Unsupported ptr type" },
	{ dtype, .phrase = "is out of range for type" },
	{ dtype, .phrase = "not supported in this architecture" }, /* fp8 */
	{ dtype, .phrase = "not implemented for '" },

	{ shape, .phrase = "Cannot make_shape_compatible" },
	{ shape, .phrase = "Cannot broadcast" },
	{ shape, .phrase = "must have equal " }, /* ranks, reduction dimensions: tl.dot */
	{ shape, .phrase = "out of bounds for shape" },
	{ shape, .phrase = "invalid axis" },
	{ shape, .phrase = "Dimension out of range" },
	{ shape, .phrase = "shapes cannot be multiplied" },
	{ shape, .phrase = "must match the size of tensor" },
	{ shape, .phrase = "is invalid for input of size" },
	{ shape, .phrase = "view size is not compatible" },
	{ shape, .phrase = "Value argument cannot be block type" },
	{ shape, .phrase = "argument to have shape" },
	{ shape, .phrase = "unsupported tensor index" },
	{ shape, .phrase = "0- or 1-dimensional tensor" },
	{ shape, .phrase = "may reorder elements" }, /* tl.cat */
	{ shape, .phrase = "to unpack (expected" },
	{ shape, .phrase = "item assignment" },
	{ shape, .phrase = "__setitem__" },
	{ shape, .phrase = "'int' object is not iterable" }, /* block[0], in the interpreter */
	{ shape, .class = "AxisError" },

	{ unknown_api, .class = "AttributeError" },
	{ unknown_api, .class = "ImportError" },
	{ unknown_api, .class = "ModuleNotFoundError" },
	{ unknown_api, .class = "NameError" },
	{ unknown_api, .phrase = "has no attribute" },
	{ unknown_api, .phrase = "is not defined" },
	{ unknown_api, .phrase = "unexpected keyword argument" },
	{ unknown_api, .phrase = "was specified but unrecognised" },
	{ unknown_api, .phrase = "Unsupported function referenced" },
	{ unknown_api, .phrase = "must be Tensor, not tensor" },
	{ unknown_api, .phrase = "Cannot call @triton.jit'd outside" },
	{ unknown_api, .phrase = "only length-1 arrays" }, /* math.exp() of a block */
	{ unknown_api, .phrase = "unsupported operand type(s)" },
	{ unknown_api, .phrase = "positional argument" },
	{ unknown_api, .phrase = "incompatible function arguments" }, /* tl.max(x, 0.0) */
	{ unknown_api, .phrase = "has no len()" },

	{ dtype, .status = "wrong_answer", .test = failure_check_says_dtype },
	{ shape, .status = "wrong_answer", .test = failure_check_says_structure },
	{ .kind = NULL },
};

/* Of a wrong answer, where its values themselves do not tell. */
static const struct rule suspicions[] = {
	{ shape, .test = failure_only_odd_layouts },
	{ mask, .test = failure_reads_outside_unguarded },
	{ out_of_bounds, .test = failure_reads_outside },
	{ numeric_drift, .test = failure_drifted },
	{ mask, .test = failure_wrong_tail_unguarded },
	{ mask, .test = failure_reduces_zeros },
	{ race, .test = failure_races },
	{ numeric_drift, .test = failure_not_finite },
	{ .kind = NULL },
};

/* -- gathering */

static const char *text_of(const struct json *obj, const char *key)
{
	const char *text = json_get_string(obj, key);

	return text ? text : "";
}

const struct json *failure_check(const struct json *candidate)
{
	const struct json *k = json_first(json_get(json_get(candidate, "eval"), "checks"));

	while (k && json_get_bool(k, "ok", true))
		k = json_next(k);
	return k;
}

static const char *compiler_says(const struct json *eval)
{
	const struct json *k = json_first(json_get(eval, "compile"));

	for (; k; k = json_next(k))
		if (!json_get_bool(k, "ok", true))
			return text_of(json_get(k, "error"), "message");
	return "";
}

static const char *first_match(const struct evidence *ev, const struct rule *r)
{
	for (; r->kind; r++)
		if ((!r->status || strcmp(r->status, ev->status) == 0)
		    && (!r->class || strcmp(r->class, ev->class) == 0)
		    && (!r->phrase || failure_says(ev, r->phrase)) && (!r->test || r->test(ev)))
			return r->kind;
	return NULL;
}

const char *failure_class(const struct json *candidate)
{
	const struct json *eval = json_get(candidate, "eval"), *error = json_get(eval, "error");
	struct evidence ev = {
		.status = text_of(eval, "status"),
		.class = text_of(error, "class"),
		.message = text_of(error, "message"),
		.log = text_of(eval, "log"),
		.source = text_of(candidate, "source"),
		.compiled = "",
		.check = failure_check(candidate),
		.checks = json_get(eval, "checks"),
		.launches = json_get(eval, "launches"),
		.task = json_get(candidate, "task"),
	};
	const char *kind;

	if (strcmp(ev.status, "compile_error") == 0)
		ev.compiled = compiler_says(eval);
	kind = first_match(&ev, rules);
	if (!kind && strcmp(ev.status, "wrong_answer") == 0) {
		kind = pattern_of_values(ev.check);
		kind = kind ? kind : first_match(&ev, suspicions);
		kind = kind ? kind : pattern_of_places(ev.check);
	}
	return kind ? kind : other;
}

const char *failure_class_name(size_t index)
{
	return index < sizeof(names) / sizeof(*names) ? names[index] : NULL;
}

bool failure_can_be_repaired(const char *status)
{
	static const char *const own[] = {
		"compile_error", "call_error", "wrong_answer", "timeout", "out_of_memory",
		"crash", "no_kernel", "cheat",
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (strcmp(status, own[i]) == 0)
			return true;
	return false;
}
