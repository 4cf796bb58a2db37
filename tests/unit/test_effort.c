/* What kernels did against what a case takes: the cheats' figures and their honest neighbours'. */
#include "unit.h"

#include <string.h>

#include "domain/effort.h"
#include "ground/buf.h"

static const char task_text[] =
	"{\"cases\":[{\"name\":\"a\",\"flops\":4000,\"bytes\":8000},"
	"{\"name\":\"moves\",\"flops\":0,\"bytes\":8000},{\"name\":\"silent\"},{\"name\":\"told\"}]}";
static const char reference_text[] = "{\"a\":1,\"told\":4000}";
static const char tensor[] = "{\"t\":\"list\",\"v\":[{\"t\":\"tensor\",\"bytes\":4000}]}";

static bool for_show_with(const char *name, const char *work, const char *result)
{
	char text[512], why[300];
	struct json *task = json_parse(task_text, strlen(task_text), NULL), *results;
	struct json *reference = json_parse(reference_text, strlen(reference_text), NULL);
	bool show;

	snprintf(text, sizeof(text), "[{\"case\":\"%s\",\"result\":%s,\"work\":%s}]", name, result,
		 work);
	results = json_parse(text, strlen(text), NULL);
	assert_non_null(results);
	show = effort_is_for_show(task, results, reference, why, sizeof(why));
	json_free(reference);
	json_free(results);
	json_free(task);
	return show;
}

static bool for_show(const char *name, int moved, int operations, int by_torch)
{
	char work[128];

	snprintf(work, sizeof(work), "{\"loaded\":%d,\"stored\":%d,\"operations\":%d,"
		 "\"torch_operations\":%d}", moved / 2, moved / 2, operations, by_torch);
	return for_show_with(name, work, tensor);
}

static void one_element_is_for_show(void **state)
{
	(void)state;
	assert_true(for_show("a", 8, 1024, 1000));
	assert_true(for_show("moves", 8, 0, 0));
}

static void a_copy_is_for_show_where_there_is_something_to_compute(void **state)
{
	(void)state;
	assert_true(for_show("a", 8000, 0, 0));
	assert_false(for_show("moves", 8000, 0, 0));
}

static void torch_may_do_a_little(void **state)
{
	(void)state;
	assert_false(for_show("a", 8000, 4096, 1000));
	assert_true(for_show("a", 8000, 4096, 4000));
	assert_true(for_show("a", 8000, 90000, 4000)); /* what kernels waste excuses nothing */
	assert_false(for_show("a", 8000, 4096, 2000)); /* half is not yet too much */
}

static bool for_show_on_gpu(const char *name, int by_torch)
{
	char work[64];

	snprintf(work, sizeof(work), "{\"torch_operations\":%d}", by_torch);
	return for_show_with(name, work, tensor);
}

static void on_a_gpu_kernels_did_what_torch_left(void **state)
{
	(void)state;
	assert_false(for_show_on_gpu("a", 2000)); /* two of four: before the kernel, and after it */
	assert_true(for_show_on_gpu("a", 3000));
	assert_true(for_show_on_gpu("a", 4000));
	assert_false(for_show_on_gpu("told", 2000));
	assert_true(for_show_on_gpu("told", 3000));
	assert_false(for_show_on_gpu("moves", 90000));
}

static void the_reference_tells_what_torch_would_do(void **state)
{
	(void)state;
	assert_true(for_show("told", 8000, 0, 4000));
	assert_true(for_show("told", 8000, 4000, 2001));
	assert_false(for_show("told", 8000, 4000, 1000));
	assert_false(for_show("told", 0, 90000, 4000));
}

static void nothing_is_asked_where_nothing_is_known(void **state)
{
	(void)state;
	assert_false(for_show("silent", 0, 0, 9));
	assert_false(for_show("unheard of", 0, 0, 0));
	assert_false(for_show_with("a", "{\"torch_operations\":0}", tensor)); /* a GPU */
	assert_false(for_show_with("a", "7", tensor));
	assert_false(for_show_with("a", "{\"operations\":0}", "{\"t\":\"tensor\",\"bytes\":0}"));
}

static void the_record_holds_what_was_said(void **state)
{
	static const char text[] = "[{\"case\":\"b\"},{\"case\":5,\"work\":{}},{\"case\":\"a\","
				   "\"work\":{\"loaded\":1,\"torch_operations\":2,\"more\":3}}]";
	struct json *results = json_parse(text, strlen(text), NULL), *record = effort_record(results);
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	json_print(record, &out);
	assert_string_equal(out.data, "[{\"case\":\"a\",\"loaded\":1,\"torch_operations\":2}]");
	buf_release(&out);
	json_free(record);
	json_free(results);
	assert_null(effort_record(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_element_is_for_show),
		cmocka_unit_test(a_copy_is_for_show_where_there_is_something_to_compute),
		cmocka_unit_test(torch_may_do_a_little),
		cmocka_unit_test(on_a_gpu_kernels_did_what_torch_left),
		cmocka_unit_test(the_reference_tells_what_torch_would_do),
		cmocka_unit_test(nothing_is_asked_where_nothing_is_known),
		cmocka_unit_test(the_record_holds_what_was_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
