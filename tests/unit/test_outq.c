/* Results in the order of the questions, bounded, from several threads. */
#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "ground/outq.h"

struct out {
	int fd;
	char text[4096]; /* what is there, once it was read */
};

static void out_open(struct out *o)
{
	o->fd = memfd_create("out", MFD_CLOEXEC);
	assert_true(o->fd >= 0);
}

static void out_close(struct out *o)
{
	close(o->fd);
}

static const char *out_read(struct out *o)
{
	ssize_t n = pread(o->fd, o->text, sizeof(o->text) - 1, 0);

	assert_true(n >= 0);
	o->text[n] = '\0';
	return o->text;
}

static void assert_written(struct out *o, const char *wanted)
{
	assert_string_equal(out_read(o), wanted);
}

static void order_of_the_questions(void **state)
{
	struct outq *q;
	struct out o;
	uint64_t a, b, c;

	(void)state;
	out_open(&o);
	q = outq_new(o.fd, 3, true);
	a = outq_open(q);
	b = outq_open(q);
	c = outq_open(q);
	assert_false(outq_has_room(q));
	outq_put(q, c, "c", 1);
	outq_close(q, c);
	outq_put(q, b, "b1", 2);
	assert_written(&o, "");
	outq_put(q, a, "a1", 2); /* the oldest writes at once */
	assert_written(&o, "a1\n");
	outq_put(q, a, "a2", 2);
	outq_close(q, a);
	assert_written(&o, "a1\na2\nb1\n");
	assert_true(outq_has_room(q));
	outq_put(q, b, "", 0);
	outq_close(q, b);
	assert_written(&o, "a1\na2\nb1\n\nc\n");
	assert_int_equal(outq_check(q, NULL), 0);
	outq_free(q);
	out_close(&o);
}

static void unordered_a_slow_one_holds_back_nobody(void **state)
{
	struct outq *q;
	struct out o;
	uint64_t slow, quick;

	(void)state;
	out_open(&o);
	q = outq_new(o.fd, 2, false);
	slow = outq_open(q);
	for (int i = 0; i < 5; i++) {
		assert_true(outq_has_room(q));
		quick = outq_open(q);
		assert_false(outq_has_room(q));
		outq_put(q, quick, "q", 1);
		outq_close(q, quick);
	}
	assert_written(&o, "q\nq\nq\nq\nq\n");
	outq_put(q, slow, "s", 1);
	assert_written(&o, "q\nq\nq\nq\nq\ns\n");
	outq_close(q, slow);
	outq_free(q);
	out_close(&o);
}

struct worker {
	struct outq *q;
	uint64_t ticket;
};

static void *answer(void *arg)
{
	struct worker *w = arg;
	char text[32];

	nanosleep(&(struct timespec){ .tv_nsec = (long)(w->ticket * 7919 % 13) * 200000 }, NULL);
	snprintf(text, sizeof(text), "%u", (unsigned)w->ticket);
	outq_put(w->q, w->ticket, text, strlen(text));
	outq_close(w->q, w->ticket);
	return NULL;
}

static void many_threads(void **state)
{
	enum { N = 200 };
	static struct worker workers[N];
	static pthread_t threads[N];
	struct outq *q;
	struct out o;
	const char *p;
	char *end;

	(void)state;
	out_open(&o);
	q = outq_new(o.fd, 8, true);
	for (int i = 0; i < N; i++) {
		workers[i] = (struct worker){ q, outq_open(q) }; /* waits for room */
		assert_int_equal(pthread_create(&threads[i], NULL, answer, &workers[i]), 0);
	}
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	p = out_read(&o);
	for (int i = 0; i < N; i++) {
		assert_int_equal(strtol(p, &end, 10), i);
		assert_int_equal(*end, '\n');
		p = end + 1;
	}
	assert_int_equal(*p, '\0');
	outq_free(q);
	out_close(&o);
}

static void a_failed_write_is_told_once_and_for_all(void **state)
{
	int full = open("/dev/full", O_WRONLY);
	struct outq *q = outq_new(full, 1, true);
	struct err e = ERR_INIT;
	uint64_t t = outq_open(q);

	(void)state;
	outq_put(q, t, "x", 1);
	outq_close(q, t);
	assert_int_equal(outq_check(q, &e), ERR_IO);
	assert_string_equal(e.text, "standard output cannot be written: No space left on device");
	outq_free(q);
	close(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_of_the_questions),
		cmocka_unit_test(unordered_a_slow_one_holds_back_nobody),
		cmocka_unit_test(many_threads),
		cmocka_unit_test(a_failed_write_is_told_once_and_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
