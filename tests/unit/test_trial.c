/* What a trial says of the device that it took place on. */
#include "unit.h"

#include "domain/trial.h"

static struct json *error(const char *message)
{
	struct json *e = json_new_object();

	json_set_string(e, "class", "RuntimeError");
	json_set_string(e, "message", message);
	return e;
}

static bool doubted_after(enum part_end end, const char *message)
{
	struct trial t = { .run = { .end = end }, .frontend = { .end = PART_STOPPED } };
	bool doubted;

	t.run.error = message ? error(message) : NULL;
	doubted = trial_doubts_device(&t);
	json_free(t.run.error);
	return doubted;
}

static void a_device_is_doubted_for_a_reason(void **state)
{
	(void)state;
	assert_false(doubted_after(PART_DONE, NULL));
	assert_false(doubted_after(PART_DONE, "the candidate's own")); /* its front end was dismissed */
	assert_true(doubted_after(PART_DONE, "CUDA error: an illegal memory access was encountered"));
	assert_true(doubted_after(PART_STOPPED, NULL));
	assert_true(doubted_after(PART_DEADLINE, NULL));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_is_doubted_for_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
