/* Texts found by what a query has in common with them. */
#include "unit.h"

#include "ground/buf.h"
#include "outside/store_search.h"

static const char *const texts[] = {
	"matrix product, gemm, rows of a matrix", "softmax of rows, exponentials",
	"top-k values of rows", "softmax of rows, exponentials",
};

static struct store_search *filled(void)
{
	struct err e = ERR_INIT;
	struct store_search *s = store_search_new(&e);

	if (!s)
		fail_msg("%s", e.text);
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_int_equal(store_search_add(s, texts[i], &e), 0);
	return s;
}

/* The first of those that are most like the query; -1 when none is. */
static int best(struct store_search *s, const char *query, double score[COUNT(texts)])
{
	struct err e = ERR_INIT;
	int found = -1;

	for (size_t i = 0; i < COUNT(texts); i++)
		score[i] = 0;
	if (store_search_rank(s, query, 1, score, &e))
		fail_msg("%s", e.text);
	for (size_t i = 0; i < COUNT(texts); i++)
		if (score[i] > (found < 0 ? 0 : score[found]))
			found = (int)i;
	return found;
}

static void finds(void **state)
{
	struct store_search *s = filled();
	double score[COUNT(texts)], again[COUNT(texts)];

	(void)state;
	assert_int_equal(best(s, "Multiply a MATRIX by another: GEMM", score), 0);
	assert_int_equal(best(s, "the exponential of each row", score), 1);
	assert_true(score[1] == score[3]);
	assert_int_equal(best(s, "k", score), -1); /* a letter says nothing */
	assert_int_equal(best(s, "zyzzyva", score), -1);
	assert_int_equal(best(s, "", score), -1);
	best(s, "gemm", score);
	best(s, "gemm GEMM gemm_gemm", again);
	assert_true(score[0] == again[0]);
	store_search_free(s);
}

/* A query is words and nothing else: no operator of the search's language. */
static void takes_any_text(void **state)
{
	static const char *const queries[] = {
		"\"", "gemm\" OR \"", "NOT gemm", "a* ^b NEAR(c, 2)", "{words}: -gemm", "\xFF\xC3(", "OR AND NOT",
		"'; DROP TABLE text; --", "\\",
	};
	struct store_search *s = filled();
	double score[COUNT(texts)];
	struct buf many;

	(void)state;
	for (size_t i = 0; i < COUNT(queries); i++)
		best(s, queries[i], score);
	buf_init(&many, 1 << 20);
	for (int i = 0; i < 5000; i++)
		buf_addf(&many, "word%d ", i);
	for (int i = 0; i < 500; i++)
		buf_adds(&many, "long");
	buf_adds(&many, " gemm");
	best(s, many.data, score);
	buf_release(&many);
	assert_int_equal(best(s, "gemm", score), 0);
	store_search_free(s);
}

static void adds_up(void **state)
{
	struct store_search *s = filled();
	struct err e = ERR_INIT;
	double once[COUNT(texts)], thrice[COUNT(texts)] = { 0 };

	(void)state;
	best(s, "softmax", once);
	assert_int_equal(store_search_rank(s, "softmax", 1, thrice, &e), 0);
	assert_int_equal(store_search_rank(s, "softmax", 2, thrice, &e), 0);
	assert_true(thrice[1] > 2.99 * once[1] && thrice[1] < 3.01 * once[1]);
	assert_int_equal(store_search_add(s, "softmax softmax softmax", &e), 0); /* later, too */
	store_search_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds),
		cmocka_unit_test(takes_any_text),
		cmocka_unit_test(adds_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
