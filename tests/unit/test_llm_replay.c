/* Which recorded reply answers what. */
#include "unit.h"

#include <math.h>
#include <unistd.h>

#include "domain/llm.h"

static char path[] = "/tmp/geak-replay.XXXXXX";
static char model[64];
static char got[64];

static void keep(void *ctx, const struct llm_reply *reply)
{
	(void)ctx;
	snprintf(got, sizeof(got), "%s", reply->err.code ? "none" : reply->text);
}

static struct llm *open_lines(const char *lines)
{
	struct llm_config config = { .model = model, .temperature = NAN, .timeout_s = 1,
				     .in_flight = 1 };
	struct err e = ERR_INIT;
	FILE *f = fopen(path, "w");
	struct llm *llm;

	assert_non_null(f);
	fputs(lines, f);
	fclose(f);
	llm = llm_open(&config, &e);
	if (!llm)
		fail_msg("%s", e.text);
	return llm;
}

static const char *ask(struct llm *llm, const char *tool, const char *task, int round, int sample)
{
	struct json *messages = json_new_array();
	struct llm_request req = { tool, task, sample, round, messages, NULL, false };
	struct err e = ERR_INIT;

	strcpy(got, "not told");
	assert_true(llm_has_room(llm));
	llm_ask(llm, &req, keep, NULL);
	assert_false(llm_has_room(llm));
	assert_int_equal(llm_step(llm, -1, 0, &e), 0);
	assert_int_equal(llm_pending(llm), 0);
	json_free(messages);
	return got;
}

#define GEN "geak-gen"
#define REFLECT "geak-reflect"
#define LINE(task, text, more) "{\"task\":\"" task "\",\"text\":\"" text "\"" more "}\n"
#define TOOL(name) ",\"tool\":\"" name "\""
#define ROUND(n) ",\"round\":" #n

static void samples_by_number(void **state)
{
	struct llm *llm = open_lines(LINE("b", "b0", "") LINE("a", "a0", "") "\n"
				     LINE("a", "r", TOOL(REFLECT)) LINE("a", "a1", TOOL(GEN)));

	(void)state;
	assert_string_equal(ask(llm, GEN, "a", 0, 1), "a1");
	assert_string_equal(ask(llm, GEN, "a", 0, 0), "a0");
	assert_string_equal(ask(llm, GEN, "a", 0, 0), "a0");
	assert_string_equal(ask(llm, GEN, "a", 0, 2), "none");
	assert_string_equal(ask(llm, GEN, "b", 0, 0), "b0");
	assert_string_equal(ask(llm, GEN, "c", 0, 0), "none");
	llm_free(llm);
}

static void plain_lines_are_rounds(void **state)
{
	/* each stage of a pipeline is a process of its own and reads the file anew */
	static const char lines[] = LINE("a", "first", "") LINE("a", "second", "")
				    LINE("a", "third", "");
	struct llm *llm = open_lines(lines);

	(void)state;
	assert_string_equal(ask(llm, GEN, "a", 0, 0), "first");
	assert_string_equal(ask(llm, REFLECT, "a", 1, 0), "second");
	llm_free(llm);
	llm = open_lines(lines);
	assert_string_equal(ask(llm, REFLECT, "a", 2, 0), "third");
	assert_string_equal(ask(llm, REFLECT, "a", 2, 0), "none");
	llm_free(llm);
}

static void tools_and_rounds_by_name(void **state)
{
	static const char lines[] = LINE("a", "gen", TOOL(GEN)) LINE("a", "r1", TOOL(REFLECT) ROUND(1))
				    LINE("a", "r2", TOOL(REFLECT) ROUND(2))
				    LINE("a", "o1", TOOL("geak-opt")) LINE("a", "o2", TOOL("geak-opt"))
				    LINE("a", "r2b", ROUND(2));
	struct llm *llm = open_lines(lines);

	(void)state;
	assert_string_equal(ask(llm, REFLECT, "a", 2, 0), "r2");
	assert_string_equal(ask(llm, REFLECT, "a", 2, 0), "r2b");
	assert_string_equal(ask(llm, REFLECT, "a", 2, 0), "none");
	assert_string_equal(ask(llm, REFLECT, "a", 1, 0), "r1");
	assert_string_equal(ask(llm, "geak-opt", "a", 3, 0), "o1");
	assert_string_equal(ask(llm, "geak-opt", "a", 5, 1), "o2");
	assert_string_equal(ask(llm, "geak-opt", "a", 5, 2), "none");
	assert_string_equal(ask(llm, GEN, "a", 0, 0), "gen");
	assert_string_equal(ask(llm, GEN, "a", 0, 1), "none");
	llm_free(llm);
}

static void given_up(void **state)
{
	struct llm *llm = open_lines(LINE("a", "first", ""));
	struct json *messages = json_new_array();
	struct llm_request req = { GEN, "a", 0, 0, messages, NULL, false };

	(void)state;
	strcpy(got, "not told");
	llm_ask(llm, &req, keep, NULL);
	llm_free(llm);
	assert_string_equal(got, "not told");
	json_free(messages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_by_number),
		cmocka_unit_test(plain_lines_are_rounds),
		cmocka_unit_test(tools_and_rounds_by_name),
		cmocka_unit_test(given_up),
	};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	snprintf(model, sizeof(model), "replay:%s", path);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
