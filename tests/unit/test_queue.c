/* Which of the candidates that wait is judged next. */
#include "unit.h"

#include "domain/queue.h"

static struct queue queue;
static struct queue_worker workers[2];
static char order[4096]; /* the ids in the order in which they were taken */
static double cost, now; /* of another oracle; on the clock */

static double cost_of(void *judge, const char task[HASH_HEX])
{
	(void)judge;
	(void)task;
	return cost;
}

static size_t length = 100; /* of a record */

static void add(const char *id, const char *task)
{
	struct stream_item item = { .record = json_new_object(), .line_len = length };
	char digest[HASH_HEX] = "";

	strcpy(digest, task);
	json_set_string(item.record, "id", id);
	assert_true(queue_has_room(&queue));
	queue_add(&queue, &item, digest);
}

/* They come as "a1 a2 b1": a letter for the task. */
static void add_all(const char *ids)
{
	char id[3] = "";

	memset(&queue, 0, sizeof(queue));
	queue.oracle_cost = cost_of;
	cost = now = 0;
	memset(workers, 0, sizeof(workers));
	*order = '\0';
	for (; strlen(ids) >= 2; ids += ids[2] ? 3 : 2) {
		memcpy(id, ids, 2);
		add(id, (const char[]){ id[0], '\0' });
	}
}

static void take(size_t who)
{
	struct stream_item item;

	assert_true(queue_take(&queue, workers, 2, who, now, &item));
	snprintf(order + strlen(order), sizeof(order) - strlen(order), "%s%s", *order ? " " : "",
		 json_get_string(item.record, "id"));
	json_free(item.record);
}

static void in_order_where_all_are_of_one_task(void **state)
{
	(void)state;
	add_all("a1 a2 a3 a4");
	take(0);
	take(1);
	take(1);
	take(0);
	assert_string_equal(order, "a1 a2 a3 a4");
}

static void in_order_where_each_is_of_its_own(void **state)
{
	(void)state;
	add_all("a1 b1 c1 d1");
	take(0);
	take(1);
	take(1);
	take(0);
	assert_string_equal(order, "a1 b1 c1 d1");
}

static void who_is_at_a_task_goes_on_with_it(void **state)
{
	(void)state;
	add_all("a1 b1 c1 a2 b2 c2");
	take(0); /* a1 */
	take(1); /* b1 */
	take(0);
	take(1);
	take(1);
	take(1);
	assert_string_equal(order, "a1 b1 a2 b2 c1 c2");
}

static void nobody_joins_where_there_is_other_work(void **state)
{
	(void)state;
	add_all("a1 a2 b1 b2");
	take(0);
	take(1);
	take(1);
	take(1);
	assert_string_equal(order, "a1 b1 b2 a2");
	assert_int_equal(queue.n, 0);
	assert_int_equal(queue.bytes, 0);
}

static void nothing_is_taken_of_nothing(void **state)
{
	struct stream_item item;

	(void)state;
	add_all("");
	assert_false(queue_take(&queue, workers, 2, 0, now, &item));
	queue.in_order = true;
	assert_false(queue_take(&queue, workers, 2, 0, now, &item));
}

static void few_are_left_to_who_has_a_dear_oracle(void **state)
{
	struct stream_item item;

	(void)state;
	add_all("a1 a2 a3 b1");
	cost = 30;
	take(0);
	take(1);
	assert_false(queue_take(&queue, workers, 2, 1, now, &item));
	take(0);
	take(0);
	assert_string_equal(order, "a1 b1 a2 a3");
}

static void slow_ones_are_not_left_to_one(void **state)
{
	struct stream_item item;

	(void)state;
	add_all("a1 a2 a3 a4 a5");
	cost = 30;
	take(0);
	now = 32;
	take(0); /* a2, with the oracle there */
	now = 41;
	assert_false(queue_take(&queue, workers, 2, 1, now, &item));
	now = 43; /* three that take eleven seconds each */
	take(1);
	assert_string_equal(order, "a1 a2 a3");
	take(0);
	now = 44;
	take(1); /* one that took eleven, whoever judged it */
	assert_int_equal(queue.n, 0);
}

static void nor_is_the_next_to_a_slow_first_one(void **state)
{
	struct stream_item item;

	(void)state;
	add_all("a1 a2");
	cost = 3;
	take(0);
	now = 5; /* three of the oracle's, two of the candidate's */
	assert_false(queue_take(&queue, workers, 2, 1, now, &item));
	now = 6;
	take(1);
	assert_string_equal(order, "a1 a2");
}

static void who_waits_is_not_slow(void **state)
{
	struct stream_item item;

	(void)state;
	add_all("a1 a2");
	cost = 30;
	take(0);
	take(0);
	now = 1;
	assert_false(queue_take(&queue, workers, 2, 0, now, &item));
	now = 100;
	add("a3", "a");
	assert_false(queue_take(&queue, workers, 2, 1, now, &item));
	take(0);
}

static void of_many_a_dear_oracle_is_worth_it(void **state)
{
	(void)state;
	add_all("a1");
	cost = 30;
	for (int i = 0; i < 16; i++)
		add("a2", "a");
	take(0);
	take(1);
	assert_string_equal(order, "a1 a2");
	while (queue.n)
		take(1);
}

static void long_ones_begin_first(void **state)
{
	(void)state;
	add_all("a1 b1");
	length = 300;
	add("c1", "c");
	add("a2", "a");
	length = 100;
	take(0); /* of a the first that came is not the longest */
	take(0);
	take(1);
	take(0);
	assert_string_equal(order, "c1 a2 b1 a1");
}

static void in_order_nobody_is_passed_over(void **state)
{
	(void)state;
	add_all("a1 b1 a2 b2");
	queue.in_order = true;
	take(0);
	take(0);
	take(0);
	take(1);
	assert_string_equal(order, "a1 b1 a2 b2");
}

static void nobody_is_passed_over_for_ever(void **state)
{
	(void)state;
	add_all("a1 b1");
	take(0);
	for (int i = 0; i < QUEUE_MAX; i++) {
		add("a2", "a");
		take(0);
	}
	add("a3", "a");
	*order = '\0';
	take(0);
	take(0);
	assert_string_equal(order, "b1 a3");
}

static void room_is_bounded(void **state)
{
	struct stream_item large = { .line_len = QUEUE_BYTES_MAX };

	(void)state;
	add_all("a1");
	queue_add(&queue, &large, (const char[HASH_HEX]){ "b" });
	assert_false(queue_has_room(&queue));
	strcpy(workers[0].task, "a");
	take(0);
	assert_false(queue_has_room(&queue));
	assert_true(queue_take(&queue, workers, 2, 0, now, &large));
	assert_true(queue_has_room(&queue));
	for (int i = 0; i < QUEUE_MAX; i++)
		add("a1", "a");
	assert_false(queue_has_room(&queue));
	while (queue.n)
		take(0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order_where_all_are_of_one_task),
		cmocka_unit_test(in_order_where_each_is_of_its_own),
		cmocka_unit_test(who_is_at_a_task_goes_on_with_it),
		cmocka_unit_test(nobody_joins_where_there_is_other_work),
		cmocka_unit_test(nothing_is_taken_of_nothing),
		cmocka_unit_test(few_are_left_to_who_has_a_dear_oracle),
		cmocka_unit_test(slow_ones_are_not_left_to_one),
		cmocka_unit_test(nor_is_the_next_to_a_slow_first_one),
		cmocka_unit_test(who_waits_is_not_slow),
		cmocka_unit_test(of_many_a_dear_oracle_is_worth_it),
		cmocka_unit_test(long_ones_begin_first),
		cmocka_unit_test(in_order_nobody_is_passed_over),
		cmocka_unit_test(nobody_is_passed_over_for_ever),
		cmocka_unit_test(room_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
