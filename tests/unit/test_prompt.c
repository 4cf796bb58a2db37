/* Templates, the choice of an example, facts about GPUs, and what a prompt may name. */
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "domain/arch.h"
#include "domain/prompt.h"
#include "domain/examples.h"
#include "ground/mem.h"

static const char vars_text[] =
	"{\"name\":\"flip\",\"n\":1.50,\"zero\":0,\"yes\":true,\"no\":false,\"null\":null,"
	"\"empty\":\"\",\"none\":[],\"tag\":\"{{name}}\",\"list\":[\"a\",\"b\"],"
	"\"gpu\":{\"name\":\"MI300X\",\"cu\":304},"
	"\"cases\":[{\"name\":\"x\",\"ok\":true},{\"ok\":false}]}";

static char data_dir[] = "/tmp/geak-prompt-XXXXXX";

static int render(const char *text, size_t max, struct buf *out, struct err *e)
{
	struct json *vars = json_parse(vars_text, strlen(vars_text), NULL);
	int rc;

	assert_non_null(vars);
	buf_init(out, max);
	rc = prompt_render_text("t.md", text, vars, out, e);
	json_free(vars);
	return rc;
}

static void gives(const char *text, const char *wanted)
{
	struct err e = ERR_INIT;
	struct buf out;

	if (render(text, 1 << 16, &out, &e))
		fail_msg("%s", e.text);
	assert_string_equal(out.data, wanted);
	buf_release(&out);
}

static void fails(const char *text, const char *sentence)
{
	struct err e = ERR_INIT;
	struct buf out;

	assert_int_equal(render(text, 1 << 16, &out, &e), ERR_SOFTWARE);
	assert_string_equal(e.text, sentence);
	buf_release(&out);
}

static void write_template(const char *name, const char *text)
{
	char *path = mem_printf("%s/prompts/%s", data_dir, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	free(path);
}

static void values(void **state)
{
	(void)state;
	gives("", "");
	gives("a {{name}}, {{ n }} {{yes}} {{empty}}!", "a flip, 1.50 true !");
	gives("{{gpu.name}} {{gpu.cu}} {{list}} {{gpu}}",
	      "MI300X 304 [\"a\",\"b\"] {\"name\":\"MI300X\",\"cu\":304}");
	gives("{{tag}} } {x}", "{{name}} } {x}");
}

static void sections(void **state)
{
	(void)state;
	gives("{{#yes}}1{{/yes}}{{#no}}2{{/no}}{{#null}}3{{/null}}{{#zero}}4{{/zero}}"
	      "{{#empty}}5{{/empty}}{{#none}}6{{/none}}{{#absent}}7{{/absent}}{{#n}}8{{/n}}", "18");
	gives("{{^yes}}1{{/yes}}{{^no}}2{{/no}}{{^none}}6{{/none}}{{^absent}}7{{/absent}}", "267");
	gives("{{#list}}<{{.}}>{{/list}}", "<a><b>");
	gives("{{#gpu}}{{name}} {{cu}} {{n}}{{/gpu}} {{name}}", "MI300X 304 1.50 flip");
	gives("{{#cases}}{{name}}{{#ok}}+{{/ok}} {{/cases}}", "x+ flip ");
	gives("{{#yes}}{{#yes}}a{{/yes}}b{{/yes}}c", "abc");
	gives("{{#gpu.cu}}{{.}}{{/gpu.cu}}", "304");
}

static void lines(void **state)
{
	(void)state;
	gives("a\n{{#yes}}\nb\n{{/yes}}\nc\n", "a\nb\nc\n");
	gives("a\n  {{#no}}  \nb\n\t{{/no}}\nc", "a\nc");
	gives("a\n{{! a remark,\nof two lines }}\nb\n", "a\nb\n");
	gives("{{#list}}\n- {{.}}\n{{/list}}\n", "- a\n- b\n");
	gives("a {{#yes}}\nb{{/yes}}\n", "a \nb\n");
}

static void includes(void **state)
{
	struct err e = ERR_INIT;
	struct buf out;

	(void)state;
	write_template("a.md", "[{{name}}\n{{> b.md}}\n]");
	write_template("b.md", "{{#gpu}}{{name}}{{/gpu}}\n");
	write_template("bad.md", "one\ntwo {{oops}}\n");
	write_template("loop.md", "{{> loop2.md}}");
	write_template("loop2.md", "\n{{> loop.md}}");
	gives("{{> a.md}}.", "[flip\nMI300X\n].");
	gives("{{#no}}{{> absent.md}}{{/no}}", "");
	fails("\n{{> bad.md}}", "prompts/bad.md:2: {{oops}} stands for nothing here");
	fails("{{> loop.md}}", "prompts/loop2.md:2: {{loop.md}} includes itself");
	fails("{{> ../secret}}",
	      "prompts/t.md:1: {{../secret}} cannot be included: name a file under prompts/");
	fails("{{> /etc/passwd}}",
	      "prompts/t.md:1: {{/etc/passwd}} cannot be included: name a file under prompts/");
	assert_int_equal(render("a\n{{> absent.md}}", 100, &out, &e), ERR_IO);
	assert_non_null(strstr(e.text, "prompts/t.md:2: {{> absent.md}} cannot be included: "));
	assert_non_null(strstr(e.text, "/prompts/absent.md cannot be opened: No such file"));
	buf_release(&out);
	buf_init(&out, 100);
	assert_int_equal(prompt_render("b.md", NULL, &out, &e), 0);
	assert_int_equal(prompt_render("absent.md", NULL, &out, &e), ERR_IO);
	buf_release(&out);
}

static void faults(void **state)
{
	struct err e = ERR_INIT;
	struct buf out, deep;

	(void)state;
	fails("a\n\n{{oops}}", "prompts/t.md:3: {{oops}} stands for nothing here");
	fails("{{null}}", "prompts/t.md:1: {{null}} stands for nothing here");
	fails("{{gpu.oops}}", "prompts/t.md:1: {{gpu.oops}} stands for nothing here");
	fails("{{name.x}}", "prompts/t.md:1: {{name.x}} stands for nothing here");
	fails("a\n{{#yes}}\nb\n", "prompts/t.md:2: {{yes}} begins a section that nothing closes");
	fails("{{#no}}\n{{#yes}}\n{{/no}}\n{{/yes}}", "prompts/t.md:3: {{/no}} where {{/yes}} was "
	      "expected, for the section that begins in line 2");
	fails("{{/yes}}", "prompts/t.md:1: {{yes}} closes a section that is not open");
	fails("a\nb {{name", "prompts/t.md:2: \"{{\" is not closed");
	fails("{{}}", "prompts/t.md:1: {{}} is no tag: a name is made of letters, digits, "
	      "'_', '-', '.' and '/'");
	fails("{{a b}}", "prompts/t.md:1: {{a b}} is no tag: a name is made of letters, digits, "
	      "'_', '-', '.' and '/'");
	buf_init(&deep, 1 << 16);
	for (int i = 0; i < 100; i++)
		buf_adds(&deep, "{{#yes}}");
	fails(deep.data, "prompts/t.md:1: {{yes}} is nested too deep");
	buf_release(&deep);
	assert_int_equal(render("{{name}}{{name}}{{list}}", 12, &out, &e), ERR_RECORD);
	assert_string_equal(e.text,
			    "the prompt is too long: prompts/t.md makes it more than 12 bytes");
	buf_release(&out);
}

static void use_own_data(void)
{
	const char *root = getenv("ROOT");

	setenv("GEAK_DATADIR", root ? root : ".", 1);
}

static void arch(void **state)
{
	static const char *const targets[][2] = {
		{ "gfx942", "AMD Instinct MI300X" }, { "MI300X", "AMD Instinct MI300X" },
		{ "mi325x", "AMD Instinct MI325X" }, { "gfx950", "AMD Instinct MI355X" },
		{ "gfx90a", "AMD Instinct MI250X (one of its two dies)" },
		{ "gfx1100", "AMD Radeon RX 7900 XTX" }, { "sm_90", "NVIDIA H100 SXM" },
		{ "H200", "NVIDIA H200 SXM" },
	};
	static const char *const numbers[] = {
		"compute_units", "dies", "simds_per_cu", "wavefront", "max_waves_per_simd",
		"max_threads_per_block", "vgprs_per_lane", "vgpr_bytes_per_cu", "lds_bytes_per_cu",
		"lds_bytes_per_block", "l1_bytes_per_cu", "l2_bytes_per_die",
		"last_level_cache_bytes", "memory_bytes", "memory_gbs", "clock_mhz",
	};
	struct err e = ERR_INIT;
	struct json *facts;

	(void)state;
	use_own_data();
	for (size_t i = 0; i < COUNT(targets); i++) {
		if (arch_load(targets[i][0], &facts, &e))
			fail_msg("%s", e.text);
		assert_string_equal(json_get_string(facts, "name"), targets[i][1]);
		for (size_t k = 0; k < COUNT(numbers); k++)
			if (!(json_get_number(facts, numbers[k], 0) > 0))
				fail_msg("%s lacks %s", targets[i][0], numbers[k]);
		assert_true(json_get_number(json_get(facts, "peak_tflops"), "fp16", 0) > 100);
		assert_true(json_len(json_get(facts, "advice")) >= 3);
		assert_non_null(json_get_string(facts, "source"));
		json_free(facts);
	}
	assert_int_equal(arch_load("gfx9", &facts, &e), ERR_USAGE);
	assert_string_equal(e.text, "the target gfx9 is not known; known are h100 (sm_90), "
			    "h200 (sm_90), mi250x (gfx90a), mi300x (gfx942), mi325x (gfx942), "
			    "mi355x (gfx950), rx7900xtx (gfx1100)");
	setenv("GEAK_DATADIR", data_dir, 1);
	write_template("arch/x.json", "{\"name\":\"X\",\"arch\":\"gfx942\"");
	assert_int_equal(arch_load("x", &facts, &e), ERR_SOFTWARE);
	assert_non_null(strstr(e.text, "prompts/arch/x.json: not valid JSON"));
	write_template("arch/x.json", "{\"name\":\"X\"}");
	assert_int_equal(arch_load("x", &facts, &e), ERR_SOFTWARE);
	assert_non_null(strstr(e.text, "prompts/arch/x.json: \"name\" or \"arch\" is missing"));
}

static void add_example(const struct json *task, struct json *vars, struct err *e)
{
	struct examples *x = examples_open(NULL, e);

	assert_non_null(x);
	assert_int_equal(examples_add(x, task, vars, e), 0);
	examples_free(x);
}

static struct json *task_vars(const char *text, const char *target, struct err *e)
{
	struct json *task = json_parse(text, strlen(text), e), *vars;

	assert_non_null(task);
	vars = prompt_task_vars(task, target, e);
	if (vars)
		add_example(task, vars, e);
	json_free(task);
	return vars;
}

static void task(void **state)
{
	struct err e = ERR_INIT;
	struct json *vars;
	const struct json *one;

	(void)state;
	use_own_data();
	vars = task_vars("{\"id\":\"s\",\"prompt\":\"\\nA softmax.\\n\",\"entry\":\"f\","
			 "\"harness\":\"script\",\"tolerance\":{\"atol\":1e-8,\"rtol\":0.010,"
			 "\"equal_nan\":true},\"cases\":[{\"name\":\"c\",\"kind\":\"time\","
			 "\"params\":{\"M\":3,\"t\":\"f16\"},\"tolerance\":"
			 "{\"atol\":0,\"rtol\":1}},{\"name\":\"d\",\"values\":[\"nan\",\"ties\"],"
			 "\"layout\":[null,\"offset\"]}],\"strides\":\"same\"}",
			 "gfx942", &e);
	assert_non_null(vars);
	assert_string_equal(json_get_string(vars, "prompt"), "A softmax.");
	assert_string_equal(json_get_string(vars, "title"), "f");
	assert_string_equal(json_get_string(vars, "signature"), "");
	assert_true(json_get_bool(vars, "script", false) && !json_get_bool(vars, "function", true));
	assert_string_equal(json_get_string(json_get(vars, "tolerance"), "text"),
			    "atol 1e-8 and rtol 0.010; NaN equals NaN");
	one = json_first(json_get(vars, "cases"));
	assert_string_equal(json_get_string(one, "text"), "M=3, t=f16 (atol 0 and rtol 1)");
	assert_string_equal(json_get_string(json_next(one), "kind"), "check");
	assert_string_equal(json_get_string(json_next(one), "text"),
			    "values: nan, ties; layout: none, offset");
	assert_true(json_get_bool(vars, "same_strides", false) && json_get_bool(vars, "same_bits", false));
	assert_string_equal(json_get_string(json_get(vars, "arch"), "name"), "AMD Instinct MI300X");
	assert_true(json_get_bool(vars, "amd", false) && !json_get_bool(vars, "nvidia", true));
	assert_non_null(strstr(json_get_string(json_get(vars, "example"), "source"), "tl.exp"));
	json_free(vars);

	vars = task_vars("{\"prompt\":\"x\"}", NULL, &e);
	assert_true(json_is(json_get(vars, "arch"), JSON_NULL));
	assert_true(json_is(json_get(vars, "tolerance"), JSON_NULL));
	assert_false(json_get_bool(vars, "has_cases", true));
	json_free(vars);

	assert_null(task_vars("{\"id\":\"x\"}", NULL, &e));
	assert_int_equal(e.code, ERR_RECORD);
	assert_string_equal(e.text, "the task has no \"prompt\": nothing to ask a model for");
	assert_null(task_vars("{\"prompt\":\"x\"}", "gfx1", &e));
	assert_int_equal(e.code, ERR_USAGE);
}

static int make_data_dir(void **state)
{
	static const char *const folders[] = { "prompts", "prompts/arch" };

	(void)state;
	assert_non_null(mkdtemp(data_dir));
	for (size_t i = 0; i < COUNT(folders); i++) {
		char *path = mem_printf("%s/%s", data_dir, folders[i]);

		assert_int_equal(mkdir(path, 0700), 0);
		free(path);
	}
	return setenv("GEAK_DATADIR", data_dir, 1);
}

static int remove_data_dir(void **state)
{
	static const char *const names[] = {
		"a.md", "b.md", "bad.md", "loop.md", "loop2.md", "arch/x.json", "arch", "",
	};
	char *path;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		path = mem_printf("%s/prompts/%s", data_dir, names[i]);
		remove(path);
		free(path);
	}
	return rmdir(data_dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(sections),
		cmocka_unit_test(lines),
		cmocka_unit_test(includes),
		cmocka_unit_test(faults),
		cmocka_unit_test(arch),
		cmocka_unit_test(task),
	};

	return cmocka_run_group_tests(tests, make_data_dir, remove_data_dir);
}
