/* What holds a kernel back, and which advice belongs to it. */
#include "unit.h"

#include "domain/bottleneck.h"
#include "domain/strategy.h"

static struct json *parse(const char *text)
{
	struct err e = ERR_INIT;
	struct json *j = json_parse(text, strlen(text), &e);

	if (!j)
		fail_msg("%s: %s", e.text, text);
	return j;
}

/* 1000 GB/s, 10 TFLOP/s in vectors, 100 on matrix units. */
static const char gpu[] = "{\"memory_gbs\":1000,\"peak_tflops\":{\"fp32\":10,\"fp16\":100}}";

static void expect(const char *record, enum bottleneck_kind kind, const char *why)
{
	struct json *j = parse(record), *arch = parse(gpu);
	struct bottleneck b;

	bottleneck_find(j, arch, &b);
	assert_string_equal(bottleneck_name(b.kind), bottleneck_name(kind));
	if (why && !strstr(b.why, why))
		fail_msg("'%s' is not in '%s'", why, b.why);
	json_free(j);
	json_free(arch);
}

#define TASK(flops, bytes, more) "\"task\":{\"signature\":\"f(x: float16)\",\"cases\":[" \
	"{\"name\":\"tiny\",\"kind\":\"check\",\"flops\":1,\"bytes\":1e15}," \
	"{\"name\":\"big\",\"kind\":\"time\",\"flops\":" #flops ",\"bytes\":" #bytes "}]" more "}"

static void without_figures_the_work_decides(void **state)
{
	(void)state;
	/* 1e9 bytes take 1 ms, 1e9 operations 0.1 ms. */
	expect("{" TASK(1e9, 1e9, "") "}", BOTTLENECK_MEMORY, "big moves at least 1e+09 bytes");
	/* 1e12 operations take 100 ms in vectors, 10 ms on matrix units. */
	expect("{" TASK(1e12, 2e10, "") "}", BOTTLENECK_COMPUTE, NULL);
	expect("{\"source\":\"tl.dot(a, b)\"," TASK(1e12, 2e10, "") "}", BOTTLENECK_MEMORY, NULL);
	expect("{" TASK(1e3, 1e3, "") "}", BOTTLENECK_LAUNCH, NULL);
	expect("{" TASK(1e9, 1e9, ",\"tags\":[\"control-flow\"]") "}", BOTTLENECK_DIVERGENCE, NULL);
	expect("{\"source\":\"def k():\\n    while n > 0:\\n\"," TASK(1e9, 1e9, "") "}",
	       BOTTLENECK_DIVERGENCE, NULL);
}

static void figures_come_first(void **state)
{
	(void)state;
	expect("{" TASK(1e12, 2e10, "") ",\"eval\":{\"perf\":{\"cases\":[{\"case\":\"tiny\","
		"\"ms\":1},{\"case\":\"big\",\"ms\":110,\"gbps\":182,\"tflops\":9.1}]}}}",
		BOTTLENECK_COMPUTE,
	       "the case big: 110 ms, 182 GB/s (18% of the peak), 9.1 TFLOP/s (91% of the peak)");
	expect("{" TASK(1e9, 1e9, "") ",\"eval\":{\"perf\":{\"cases\":[{\"case\":\"big\","
		"\"ms\":2}]}}}",
	       BOTTLENECK_MEMORY, "500 GB/s (50% of the peak)");
	expect("{" TASK(1e5, 1e5, "") ",\"eval\":{\"perf\":{\"cases\":[{\"case\":\"big\","
		"\"ms\":0.01}]}}}",
	       BOTTLENECK_LAUNCH, NULL);
	expect("{" TASK(1e9, 1e9, ",\"tags\":[\"control-flow\"]") ",\"eval\":{\"perf\":{\"cases\":"
	       "[{\"case\":\"big\",\"ms\":20}]}}}", BOTTLENECK_DIVERGENCE, NULL);
}

#define TIMED(ms, share, wall) ",\"eval\":{\"perf\":{\"cases\":[{\"case\":\"big\",\"ms\":" #ms \
	",\"roofline\":" #share ",\"wall\":\"" wall "\"}]}}}"

/* The judge knows what GPU it was, and the type that its peaks are for. */
static void the_judges_wall_comes_before_ours(void **state)
{
	(void)state;
	expect("{" TASK(1e12, 2e10, "") TIMED(110, 0.2, "memory"), BOTTLENECK_MEMORY,
	       "At best that GPU needs 20% of this time.");
	expect("{" TASK(1e9, 1e9, "") TIMED(2, 0.9, "compute"), BOTTLENECK_COMPUTE, "90%");
	expect("{" TASK(1e9, 1e9, "") TIMED(2, 0.1, "launch"), BOTTLENECK_LAUNCH, NULL);
	expect("{" TASK(1e5, 1e5, "") TIMED(0.01, 0.9, "memory"), BOTTLENECK_MEMORY, NULL);
	expect("{" TASK(1e9, 1e9, ",\"tags\":[\"control-flow\"]") TIMED(2, 0.1, "memory"),
	       BOTTLENECK_DIVERGENCE, NULL);
	expect("{" TASK(1e9, 1e9, ",\"tags\":[\"control-flow\"]") TIMED(2, 0.8, "memory"),
	       BOTTLENECK_MEMORY, NULL);
	expect("{" TASK(1e9, 1e9, "") TIMED(2, 0.5, "divergence"), BOTTLENECK_MEMORY, NULL);
	expect("{" TASK(1e9, 1e9, "") TIMED(2, 0.5, "no word of ours"), BOTTLENECK_MEMORY, NULL);
}

#define COUNTED(ms, kernel) ",\"eval\":{\"perf\":{\"cases\":[{\"case\":\"big\",\"ms\":" #ms "}]}," \
	"\"profile\":{\"case\":\"big\",\"kernels\":[{\"ms\":0.1,\"dram_gbps\":999}," kernel "]}}}"

/* The times alone would have it that the first two are held by memory, at half its peak. */
static void counters_say_what_times_cannot(void **state)
{
	(void)state;
	expect("{" TASK(1e9, 1e9, "") COUNTED(2, "{\"ms\":1,\"matrix_percent\":80}"),
	       BOTTLENECK_COMPUTE, "the matrix units at work 80% of the time");
	expect("{" TASK(1e9, 1e9, "") COUNTED(2, "{\"ms\":1,\"active_lanes_percent\":20}"),
	       BOTTLENECK_DIVERGENCE, "20% of the lanes");
	expect("{" TASK(1e12, 2e10, "") COUNTED(900, "{\"ms\":1,\"dram_gbps\":950,"
	       "\"dram_read_bytes\":8e10}"), BOTTLENECK_MEMORY, "move 4 times the bytes");
	expect("{" TASK(1e9, 1e9, ",\"tags\":[\"control-flow\"]")
	       COUNTED(20, "{\"ms\":1,\"active_lanes_percent\":99}"), BOTTLENECK_MEMORY, NULL);
	expect("{" TASK(1e9, 1e9, ",\"tags\":[\"control-flow\"]")
	       COUNTED(20, "{\"ms\":1,\"active_lanes_percent\":75}"), BOTTLENECK_DIVERGENCE, NULL);
	/* What is held by its launch runs too briefly for them to mean much. */
	expect("{" TASK(1e5, 1e5, "") COUNTED(0.01, "{\"ms\":1,\"matrix_percent\":80}"),
	       BOTTLENECK_LAUNCH, NULL);
	expect("{" TASK(1e9, 1e9, "") ",\"eval\":{\"profile\":{\"unavailable\":\"x\"}}}",
	       BOTTLENECK_MEMORY, "Nothing was measured");
	expect("{" TASK(1e9, 1e9, "")
	       ",\"eval\":{\"profile\":{\"kernels\":[{\"matrix_percent\":61}]}}}",
	       BOTTLENECK_COMPUTE, "It was not timed.");
	expect("{" TASK(1e9, 1e9, "")
	       ",\"eval\":{\"profile\":{\"kernels\":[3,\"x\",null]}}}",
	       BOTTLENECK_MEMORY, "Nothing was measured");
}

static void spills_are_named(void **state)
{
	(void)state;
	expect("{" TASK(1e9, 1e9, "") ",\"eval\":{\"target\":\"gfx942\",\"compile\":["
	       "{\"target\":\"gfx942\",\"spill\":7},{\"target\":\"sm_90\",\"spill\":9}]}}",
	       BOTTLENECK_MEMORY, "spills 7 registers");
}

static void what_tells_nothing_is_unknown(void **state)
{
	static const char *const records[] = {
		"{}", "[]", "3", "{\"task\":{\"cases\":{\"a\":1}},\"eval\":{\"perf\":[],"
		"\"compile\":7}}",
		("{\"task\":{\"cases\":[1,{\"flops\":\"a\",\"bytes\":[]}],\"tags\":[3]},"
		 "\"eval\":{\"perf\":{\"cases\":[{\"ms\":\"x\"},null]}}}"),
	};
	struct bottleneck b;

	(void)state;
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
		expect(records[i], BOTTLENECK_UNKNOWN, "Nothing was measured");
	bottleneck_find(NULL, NULL, &b);
	assert_int_equal(b.kind, BOTTLENECK_UNKNOWN);
}

/* -- strategies */

static void a_strategy_file_is_read(void **state)
{
	struct strategy s;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(strategy_parse("/x/10-wide-loads.md", "---\ntitle: Wide loads\n"
		"bottlenecks: memory launch\nvendor: AMD\n---\nDo it.\n", &s, &e), 0);
	assert_string_equal(s.name, "wide-loads");
	assert_string_equal(s.title, "Wide loads");
	assert_string_equal(s.vendor, "AMD");
	assert_string_equal(s.text, "Do it.\n");
	assert_int_equal(s.for_kinds, 1U << BOTTLENECK_MEMORY | 1U << BOTTLENECK_LAUNCH);
	strategy_release(&s);
}

static void a_broken_strategy_file_is_named(void **state)
{
	static const char *const texts[] = {
		"", "---", "---\n", "---\ntitle: x", "---\ntitle: x\n---\n",
		"---\nbottlenecks: memory\n---\n",
		"---\ntitle: x\nbottlenecks: memroy\n---\n", "---\nno colon\n---\n",
		"---\ncolour: x\n---\n",
		"title: x\n", "---\n:\n---\n", "---\ntitle:\nbottlenecks: memory\n---\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct strategy s;
		struct err e = ERR_INIT;

		assert_int_equal(strategy_parse("bad.md", texts[i], &s, &e), ERR_SOFTWARE);
		assert_non_null(strstr(e.text, "bad.md cannot be used: "));
	}
}

static void each_bottleneck_has_several_strategies(void **state)
{
	struct err e = ERR_INIT;
	struct strategies *s;

	(void)state;
	setenv("GEAK_DATADIR", ".", 0); /* tests run in the tree's root */
	s = strategies_load(&e);
	if (!s)
		fail_msg("%s", e.text);
	for (int kind = 0; kind <= BOTTLENECK_UNKNOWN; kind++) {
		const struct strategy *first = strategy_pick(s, kind, "AMD", 0), *next;
		size_t n = 1;

		assert_non_null(first);
		while ((next = strategy_pick(s, kind, "AMD", n)) != first)
			n++;
		assert_true(n >= 4); /* the four children of a geak-opt get one each */
		for (size_t i = 0; i < n; i++)
			assert_string_not_equal(strategy_pick(s, kind, NULL, i)->vendor, "AMD");
	}
	for (size_t i = 0; strategies_at(s, i); i++)
		assert_true(strlen(strategies_at(s, i)->text) > 100);
	strategies_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_figures_the_work_decides),
		cmocka_unit_test(figures_come_first),
		cmocka_unit_test(the_judges_wall_comes_before_ours),
		cmocka_unit_test(counters_say_what_times_cannot),
		cmocka_unit_test(spills_are_named),
		cmocka_unit_test(what_tells_nothing_is_unknown),
		cmocka_unit_test(a_strategy_file_is_read),
		cmocka_unit_test(a_broken_strategy_file_is_named),
		cmocka_unit_test(each_bottleneck_has_several_strategies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
