/* When a service may be asked, on a clock of the test's own. */
#include "unit.h"

#include "domain/llm_pace.h"

static void without_limits_at_once(void **state)
{
	const struct llm_config c = { .requests_per_minute = 0 };
	struct llm_pace p;

	(void)state;
	llm_pace_init(&p);
	for (int i = 0; i < 3; i++)
		assert_true(llm_pace_slot(&p, &c, 100, 1000) == 100);
}

static void one_after_another(void **state)
{
	const struct llm_config c = { .requests_per_minute = 60 };
	struct llm_pace p;

	(void)state;
	llm_pace_init(&p);
	assert_true(llm_pace_slot(&p, &c, 100, 1000) == 100);
	assert_true(llm_pace_slot(&p, &c, 100, 1000) == 101);
	assert_true(llm_pace_slot(&p, &c, 100.5, 1000) == 102);
	assert_true(llm_pace_slot(&p, &c, 200, 1000) == 200);
}

static void by_their_tokens(void **state)
{
	const struct llm_config c = { .tokens_per_minute = 6000 };
	const struct llm_usage took = { .prompt_tokens = 300, .completion_tokens = 200 };
	struct llm_pace p;

	(void)state;
	llm_pace_init(&p);
	assert_true(llm_pace_slot(&p, &c, 100, 1000) == 100);
	llm_pace_settle(&p, &c, 1000, &took);
	assert_true(llm_pace_slot(&p, &c, 101, 1000) == 105);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_limits_at_once),
		cmocka_unit_test(one_after_another),
		cmocka_unit_test(by_their_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
