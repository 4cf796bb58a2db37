/*
 * Whether a GPU still works, and who has it. The test is the zygote that is asked for a child, and
 * plays the child, which answers as it is told.
 */
#include "unit.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "domain/judge.h"
#include "domain/oracle.h"
#include "domain/turn.h"
#include "outside/box_request.h"
#include "outside/scratch.h"

static const char good[] = "{\"works\":true}\n";
static const char bad[] = "{\"error\":{\"message\":\"CUDA error: made up\\nat length\"}}\n";

struct play {
	struct judge judge;
	struct device device;
	int control;                /* the zygote's end */
	const char *const *answers; /* of one child after the other */
	size_t asked;
	pthread_t zygote;
};

static void *zygote(void *arg)
{
	struct play *p = arg;
	struct box_limits limits;
	int fds[BOX_FDS];

	while (box_request_receive(p->control, &limits, fds)) {
		const char *answer = p->answers[p->asked++];

		if (write(fds[BOX_CONN], answer, strlen(answer)) < 0)
			abort();
		for (size_t i = 0; i < BOX_FDS; i++)
			close(fds[i]);
	}
	return NULL;
}

/* Whether a GPU is still there after one doubt, of which the answers are told. */
static bool survives(const char *const *answers, size_t asked)
{
	struct play p = { .answers = answers, .judge.config.use_gpu = true };
	int pair[2];
	bool works;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	p.judge.compiler.control = pair[0];
	p.control = pair[1];
	pthread_mutex_init(&p.judge.compiler.lock, NULL);
	pthread_mutex_init(&p.judge.lock, NULL);
	pthread_cond_init(&p.judge.place, NULL);
	device_init(&p.device, 0, 1);
	p.judge.devices = &p.device;
	p.judge.n_devices = 1;
	assert_int_equal(pthread_create(&p.zygote, NULL, zygote, &p), 0);
	works = device_works(&p.judge, &p.device);
	assert_int_equal(p.device.lost, !works);
	assert_int_equal(p.judge.why.code, works ? 0 : ERR_SOFTWARE);
	close(pair[0]);
	pthread_join(p.zygote, NULL);
	close(pair[1]);
	assert_int_equal(p.asked, asked);
	device_release(&p.device);
	pthread_cond_destroy(&p.judge.place);
	pthread_mutex_destroy(&p.judge.lock);
	pthread_mutex_destroy(&p.judge.compiler.lock);
	return works;
}

static void works(void **state)
{
	(void)state;
	assert_true(survives((const char *const[]){ good }, 1));
}

static void is_reset_meanwhile(void **state)
{
	(void)state;
	assert_true(survives((const char *const[]){ bad, good }, 2));
	assert_true(survives((const char *const[]){ "", good }, 2));
}

static void fails_twice(void **state)
{
	(void)state;
	assert_false(survives((const char *const[]){ bad, bad }, 2));
}

/* -- whoever waits for one that is being tried */

static void *take(void *judge)
{
	struct err e = ERR_INIT;

	return device_take(judge, &e);
}

static void is_not_taken_once_it_is_set_aside(void **state)
{
	struct device devices[2];
	struct judge j = { .devices = devices, .n_devices = 2 };
	pthread_t waiting;
	void *taken;
	long places;

	(void)state;
	pthread_mutex_init(&j.lock, NULL);
	pthread_cond_init(&j.place, NULL);
	device_init(&devices[0], 0, 2);
	device_init(&devices[1], 1, 1);
	pthread_mutex_lock(&devices[0].lock); /* as who tries it does */
	assert_int_equal(pthread_create(&waiting, NULL, take, &j), 0);
	do {
		pthread_mutex_lock(&j.lock);
		places = devices[0].places;
		devices[0].lost = places == 1;
		pthread_mutex_unlock(&j.lock);
	} while (places == 2);
	pthread_mutex_unlock(&devices[0].lock);
	pthread_join(waiting, &taken);
	assert_ptr_equal(taken, &devices[1]);
	assert_int_equal(devices[0].places, 2);
	device_release(&devices[0]);
	device_release(&devices[1]);
	pthread_cond_destroy(&j.place);
	pthread_mutex_destroy(&j.lock);
}

/* -- oracles that are given back */

/* One whose reference failed: its error serves the next candidate as well. */
static struct oracle *new_oracle(struct judge *j)
{
	struct oracle *o = calloc(1, sizeof(*o));

	o->judge = j;
	o->next_alive = j->oracles;
	j->oracles = o;
	o->inputs = o->outputs = o->ablated = -1;
	part_init(&o->part, NULL, NULL);
	o->part.error = json_new_object();
	return o;
}

static void keeps_oracles_while_it_works(void **state)
{
	struct judge j = { .config.jobs = 3 };
	struct device d;
	struct oracle *first, *last = NULL;

	(void)state;
	pthread_mutex_init(&j.lock, NULL);
	device_init(&d, 0, 1);
	first = new_oracle(&j);
	oracle_give(&j, &d, first);
	assert_ptr_equal(d.idle_oracles, first);
	for (size_t i = 0; i < 8; i++)
		oracle_give(&j, &d, last = new_oracle(&j));
	assert_int_equal(d.n_idle_oracles, 8);
	assert_ptr_equal(d.idle_oracles, last);
	for (const struct oracle *o = d.idle_oracles; o; o = o->next)
		assert_ptr_not_equal(o, first);
	devices_empty(&j, &d, 1);
	d.lost = true;
	oracle_give(&j, &d, new_oracle(&j));
	assert_null(d.idle_oracles);
	assert_int_equal(d.n_idle_oracles, 0);
	device_release(&d);
	pthread_mutex_destroy(&j.lock);
}

/* -- turns */

static bool is_free(const struct device *d, bool alone)
{
	struct device_lock turn;
	struct err e = ERR_INIT;
	int rc = turn_try(&turn, d, alone, 0.01, &e);

	turn_end(&turn);
	assert_true(rc == 0 || rc == ERR_TEMP);
	return rc == 0;
}

/* By its address, or by its number where no address is told. */
static void is_timed_alone(void **state)
{
	char address[] = "0000:c1:00.0";
	const struct device gpus[] = {
		{ .number = 0, .gpu.pci = address },
		{ .number = 0 },
		{ .number = 1 },
		{ .number = DEVICE_NONE },
	};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < COUNT(gpus); i++) {
		bool gpu = gpus[i].number != DEVICE_NONE;
		struct device_lock turn;

		assert_int_equal(turn_take(&turn, &gpus[i], true, &e), 0);
		for (size_t k = 0; k < COUNT(gpus); k++)
			assert_int_equal(is_free(&gpus[k], false), !gpu || k != i);
		turn_end(&turn);
		assert_int_equal(turn_take(&turn, &gpus[i], false, &e), 0);
		assert_true(is_free(&gpus[i], false));
		assert_int_equal(is_free(&gpus[i], true), !gpu);
		turn_end(&turn);
	}
}

static char folder[64];

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/geak-test-XXXXXX");
	return mkdtemp(folder) ? setenv("GEAK_LOCK_DIR", folder, 1) : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return scratch_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_oracles_while_it_works),
		cmocka_unit_test(is_timed_alone),
		cmocka_unit_test(works),
		cmocka_unit_test(is_reset_meanwhile),
		cmocka_unit_test(fails_twice),
		cmocka_unit_test(is_not_taken_once_it_is_set_aside),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
