/* What makes one candidate better than another. */
#include "unit.h"

#include "domain/rank.h"

static struct json *parse(const char *text)
{
	struct err e = ERR_INIT;
	struct json *j = json_parse(text, strlen(text), &e);

	if (!j)
		fail_msg("%s: %s", text, e.text);
	return j;
}

static int compare(const char *a, const char *b)
{
	struct json *x = parse(a), *y = parse(b);
	int order = rank_compare(x, y);

	assert_int_equal(order < 0, rank_compare(y, x) > 0);
	assert_int_equal(rank_compare(x, x), 0);
	json_free(x);
	json_free(y);
	return order;
}

#define assert_better(a, b) assert_true(compare(a, b) < 0)

#define EVAL(rest) "{\"id\":\"b\",\"round\":1,\"eval\":{" rest "}}"
#define FOR(target, rest) "{\"target\":\"" target "\",\"ok\":true," rest "}"
#define PASS(kernels) EVAL("\"status\":\"pass\",\"target\":\"gfx942\",\"compile\":[" kernels "]")

static void status_comes_first(void **state)
{
	static const char *const best_to_worst[] = {
		EVAL("\"status\":\"pass\""), EVAL("\"status\":\"unverified\""),
		EVAL("\"status\":\"wrong_answer\""),
		EVAL("\"status\":\"timeout\""), EVAL("\"status\":\"compile_error\""),
		"{\"id\":\"a\",\"round\":0}", EVAL("\"status\":\"cheat\""),
	};
	size_t n = sizeof(best_to_worst) / sizeof(*best_to_worst);

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			assert_better(best_to_worst[i], best_to_worst[k]);
	assert_better(EVAL("\"status\":\"pass\""),
		      EVAL("\"status\":\"wrong_answer\",\"perf\":{\"speedup\":9}"));
}

static void more_cases_right_is_nearer(void **state)
{
	(void)state;
	assert_better(EVAL("\"status\":\"wrong_answer\",\"checks\":[{\"ok\":true},{\"ok\":false}]"),
		      EVAL("\"status\":\"wrong_answer\",\"checks\":[{\"ok\":false},{\"ok\":false}]"));
	/* A pass is a pass, whether or not its harness tells of cases. */
	assert_int_equal(compare(EVAL("\"status\":\"pass\",\"checks\":[{\"ok\":true}]"),
				 EVAL("\"status\":\"pass\"")), 0);
}

static void a_measured_speedup_beats_figures(void **state)
{
	(void)state;
	assert_better(EVAL("\"status\":\"pass\",\"perf\":{\"speedup\":2.5}"),
		      EVAL("\"status\":\"pass\",\"perf\":{\"speedup\":1.5}"));
	assert_better(EVAL("\"status\":\"pass\",\"perf\":{\"speedup\":0.5}"),
		      PASS(FOR("gfx942", "\"spill\":0,\"occupancy\":8,\"mfma\":64,\"vgpr\":10")));
}

static void figures_of_the_code_object(void **state)
{
	(void)state;
	assert_better(PASS(FOR("gfx942", "\"spill\":0,\"occupancy\":1")),
		      PASS(FOR("gfx942", "\"spill\":4,\"occupancy\":8")));
	assert_better(PASS(FOR("gfx942", "\"spill\":0,\"sgpr_spill\":0")),
		      PASS(FOR("gfx942", "\"spill\":0,\"sgpr_spill\":1")));
	assert_better(PASS(FOR("gfx942", "\"spill\":0,\"occupancy\":8,\"mfma\":0")),
		      PASS(FOR("gfx942", "\"spill\":0,\"occupancy\":4,\"mfma\":9")));
	assert_better(PASS(FOR("gfx942", "\"spill\":0,\"occupancy\":8,\"mfma\":2,\"vgpr\":90")),
		      PASS(FOR("gfx942", "\"spill\":0,\"occupancy\":8,\"mfma\":0,\"vgpr\":10")));
	assert_better(PASS(FOR("gfx942", "\"spill\":0,\"occupancy\":8,\"mfma\":0,\"vgpr\":10")),
		      PASS(FOR("gfx942", "\"spill\":0,\"occupancy\":8,\"mfma\":0,\"vgpr\":11")));
	/* Another target's kernels do not count, nor does one that failed to compile. */
	assert_better(PASS(FOR("gfx942", "\"spill\":1")),
		      PASS(FOR("gfx942", "\"spill\":2") "," FOR("sm_90", "\"spill\":0")));
	assert_better(PASS(FOR("gfx942", "\"spill\":9")),
		      PASS("{\"target\":\"gfx942\",\"ok\":false,\"error\":{\"class\":\"x\"}}"));
}

static void several_kernels(void **state)
{
	(void)state;
	/* The worst one counts; more specialisations of the same are no worse. */
	assert_better(PASS(FOR("gfx942", "\"spill\":3") "," FOR("gfx942", "\"spill\":3")),
		      PASS(FOR("gfx942", "\"spill\":5") "," FOR("gfx942", "\"spill\":0")));
	assert_better(PASS(FOR("gfx942", "\"spill\":0,\"occupancy\":5")),
		      PASS(FOR("gfx942", "\"spill\":0,\"occupancy\":4") ","
			   FOR("gfx942", "\"spill\":0,\"occupancy\":8")));
	/* An unknown figure is not a small one. */
	assert_better(PASS(FOR("gfx942", "\"spill\":99")), PASS(FOR("gfx942", "\"spill\":null")));
}

static void round_then_id(void **state)
{
	(void)state;
	assert_better("{\"id\":\"z\",\"round\":0,\"eval\":{\"status\":\"pass\"}}",
		      "{\"id\":\"a\",\"round\":1,\"eval\":{\"status\":\"pass\"}}");
	assert_better("{\"id\":\"a\",\"round\":1,\"eval\":{\"status\":\"pass\"}}",
		      "{\"id\":\"b\",\"round\":1,\"eval\":{\"status\":\"pass\"}}");
}

static void wrong_types_are_like_absent(void **state)
{
	(void)state;
	assert_int_equal(compare("{\"eval\":7}", "{\"eval\":{\"status\":3,\"compile\":{},"
				 "\"checks\":5,\"perf\":[]},\"id\":null,\"round\":\"x\"}"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_comes_first),
		cmocka_unit_test(more_cases_right_is_nearer),
		cmocka_unit_test(a_measured_speedup_beats_figures),
		cmocka_unit_test(figures_of_the_code_object),
		cmocka_unit_test(several_kernels),
		cmocka_unit_test(round_then_id),
		cmocka_unit_test(wrong_types_are_like_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
