/*
 * The keeper's end of a child. The test is the zygote that is asked for one, and then plays
 * what it would have started: the holder on the leash, the child that talks and prints.
 */
#include "unit.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "domain/part.h"
#include "ground/fd.h"
#include "outside/child.h"
#include "outside/zygote_wire.h"

struct play {
	struct zygote zygote;
	int control;         /* the zygote's end */
	int fds[BOX_FDS];    /* what the holder would have */
	struct child child;
};

/* As in zygote.c: a request's descriptors. */
static void take_descriptors(struct play *p)
{
	struct box_limits limits;
	char space[CMSG_SPACE(sizeof(p->fds))];
	struct iovec iov = { .iov_base = &limits, .iov_len = sizeof(limits) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			    .msg_control = space, .msg_controllen = sizeof(space) };

	assert_int_equal(recvmsg(p->control, &m, 0), sizeof(limits));
	assert_int_equal(limits.cpu_seconds, 7);
	memcpy(p->fds, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(p->fds));
}

static int set_up(void **state)
{
	struct play *p = calloc(1, sizeof(*p));
	const struct box_limits limits = { .cpu_seconds = 7 };
	const int shared[BOX_SHARED] = { -1, -1, -1 };
	struct json *request = json_new_object();
	struct err e = ERR_INIT;
	int pair[2];

	json_set_string(request, "role", "test");
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	p->zygote.control = pair[0];
	p->control = pair[1];
	pthread_mutex_init(&p->zygote.lock, NULL);
	assert_int_equal(child_start(&p->child, &p->zygote, &limits, shared, request, &e), 0);
	json_free(request);
	take_descriptors(p);
	*state = p;
	return 0;
}

static void let_go(struct play *p, int which)
{
	if (p->fds[which] >= 0)
		close(p->fds[which]);
	p->fds[which] = -1;
}

static int tear_down(void **state)
{
	struct play *p = *state;

	for (int i = 0; i < BOX_FDS; i++)
		let_go(p, i);
	child_end(&p->child);
	fd_close(&p->zygote.control);
	fd_close(&p->control);
	pthread_mutex_destroy(&p->zygote.lock);
	free(p);
	return 0;
}

static void put(const struct play *p, int which, const char *text)
{
	assert_int_equal(write(p->fds[which], text, strlen(text)), strlen(text));
}

static void report(struct play *p, int wait_status)
{
	struct box_end end = { .wait_status = wait_status };

	assert_int_equal(write(p->fds[BOX_LEASH], &end, sizeof(end)), sizeof(end));
	for (int i = 0; i < BOX_FDS; i++)
		let_go(p, i);
}

/* What the child has to tell within a while; the message's "n", or -1. */
static enum child_event next_within(struct play *p, double seconds, int64_t *n)
{
	struct child *const one[] = { NULL, &p->child };
	struct json *message;
	size_t which;
	enum child_event event;

	event = child_wait(one, 2, child_clock_ns() + (int64_t)(seconds * 1e9), &which, &message);
	if (event != CHILD_DEADLINE)
		assert_int_equal(which, 1);
	*n = json_get_int(message, "n", -1);
	json_free(message);
	return event;
}

static enum child_event next(struct play *p, int64_t *n)
{
	return next_within(p, 10, n);
}

static void messages_come_line_by_line(void **state)
{
	struct play *p = *state;
	char request[64] = "";
	int64_t n;

	assert_true(read(p->fds[BOX_CONN], request, sizeof(request) - 1) > 0);
	assert_string_equal(request, "{\"role\":\"test\"}\n");
	put(p, BOX_CONN, "{\"n\":1}\n{\"n\":2}\n{\"n\"");
	assert_int_equal(next(p, &n), CHILD_MESSAGE);
	assert_int_equal(n, 1);
	assert_int_equal(next(p, &n), CHILD_MESSAGE);
	assert_int_equal(n, 2);
	assert_int_equal(next_within(p, 0.05, &n), CHILD_DEADLINE);
	put(p, BOX_CONN, ":3}\n{\"n\":4}\n");
	assert_int_equal(next(p, &n), CHILD_MESSAGE);
	assert_int_equal(n, 3);
	assert_true(child_lives(&p->child));
	report(p, 3 << 8);
	assert_int_equal(next(p, &n), CHILD_MESSAGE); /* before its end is told */
	assert_int_equal(n, 4);
	assert_int_equal(next(p, &n), CHILD_ENDED);
	assert_true(p->child.reported);
	assert_int_equal(p->child.end.wait_status, 3 << 8);
	assert_false(child_lives(&p->child));
}

static void what_is_no_message_ends_the_talk(void **state)
{
	struct play *p = *state;
	int64_t n;

	put(p, BOX_CONN, "{\"n\":1}\n{\"n\":2,}\n{\"n\":3}\n");
	assert_int_equal(next(p, &n), CHILD_MESSAGE);
	assert_int_equal(next(p, &n), CHILD_GARBLED);
	report(p, 0);
	assert_int_equal(next(p, &n), CHILD_ENDED);
}

static void *talk(void *arg)
{
	static char text[64 * 1024];
	int fd = *(int *)arg;

	memset(text, ' ', sizeof(text));
	while (send(fd, text, sizeof(text), MSG_NOSIGNAL) > 0)
		continue;
	return NULL;
}

static void one_without_end_is_no_message(void **state)
{
	struct play *p = *state;
	pthread_t talker;
	int64_t n;

	assert_int_equal(pthread_create(&talker, NULL, talk, &p->fds[BOX_CONN]), 0);
	assert_int_equal(next(p, &n), CHILD_GARBLED);
	assert_true(p->child.pending.cap <= 2 * CHILD_MESSAGE_MAX);
	pthread_join(talker, NULL);
}

static void a_long_one_is(void **state)
{
	struct play *p = *state;
	char *text = malloc(CHILD_MESSAGE_MAX / 8 + 32);
	int64_t n;

	/* As much as a socket takes while nobody reads. */
	snprintf(text, CHILD_MESSAGE_MAX / 8 + 32, "{\"n\":5,\"s\":\"%0*d\"}\n",
		 CHILD_MESSAGE_MAX / 8, 0);
	put(p, BOX_CONN, text);
	assert_int_equal(next(p, &n), CHILD_MESSAGE);
	assert_int_equal(n, 5);
	free(text);
}

static void of_a_long_log_both_ends_are_kept(void **state)
{
	struct play *p = *state;
	struct buf log;
	char text[3 * CHILD_LOG_HALF];
	int64_t n;

	memset(text, '.', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	put(p, BOX_LOG, "begin\033[2J\n");
	put(p, BOX_LOG, text);
	put(p, BOX_LOG, "\nend\n");
	report(p, 0);
	assert_int_equal(next(p, &n), CHILD_ENDED);
	buf_init(&log, sizeof(text));
	child_log(&p->child, &log);
	assert_memory_equal(log.data, "begin?[2J\n", 10);
	assert_non_null(strstr(log.data, "bytes left out]\n"));
	assert_string_equal(log.data + log.len - 5, "\nend\n");
	assert_true(log.len < 2 * CHILD_LOG_HALF + 64);
	child_forget(&p->child);
	buf_reset(&log);
	child_log(&p->child, &log);
	assert_int_equal(log.len, 0);
	buf_release(&log);
}

static void one_that_nobody_reports_has_ended_all_the_same(void **state)
{
	struct play *p = *state;
	int64_t n;

	for (int i = 0; i < BOX_FDS; i++)
		let_go(p, i);
	assert_int_equal(next(p, &n), CHILD_ENDED);
	assert_false(p->child.reported);
}

/* The holder sees the end of its socket, and can still report. */
static void letting_go_of_the_leash(void **state)
{
	struct play *p = *state;
	char byte;
	int64_t n;

	child_kill(&p->child);
	assert_int_equal(read(p->fds[BOX_LEASH], &byte, 1), 0);
	report(p, 9);
	assert_int_equal(next(p, &n), CHILD_ENDED);
	assert_true(p->child.reported);
	assert_int_equal(p->child.end.wait_status, 9);
}

/* A part of a trial that hears one message and then another. */
struct hearing {
	struct play *play;
	int64_t n;
	bool stopped; /* while the first is heard the judge stands still for longer than there is time */
};

static void hear_after_a_stop(void *listener, const struct json *message)
{
	struct hearing *h = listener;

	h->n = json_get_int(message, "n", -1);
	if (!h->stopped)
		return;
	h->stopped = false;
	usleep(3500000);
	put(h->play, BOX_CONN, "{\"n\":2}\n");
}

static bool has_heard_2(const void *what)
{
	return ((const struct hearing *)what)->n == 2;
}

/* Reports when the leash is let go. */
static void *hold(void *play)
{
	struct play *p = play;
	char byte;

	assert_int_equal(read(p->fds[BOX_LEASH], &byte, 1), 0);
	report(p, 9);
	return NULL;
}

/* How a part ends that has half a second for its two messages. */
static enum part_end end_of_part(struct play *p, bool stopped)
{
	struct hearing h = { .play = p, .stopped = stopped };
	struct part part;
	pthread_t holder;
	enum part_end end;

	part_init(&part, hear_after_a_stop, &h);
	part.child = p->child;
	part.running = true;
	put(p, BOX_CONN, "{\"n\":1}\n");
	assert_int_equal(pthread_create(&holder, NULL, hold, p), 0);
	part_serve(&part, NULL, part_deadline(0.5), has_heard_2, &h);
	end = part.end;
	part_finish(&part);
	p->child = part.child;
	part_release(&part);
	pthread_join(holder, NULL);
	return end;
}

static void time_in_which_the_judge_is_stopped_is_nobodys(void **state)
{
	assert_int_equal(end_of_part(*state, true), PART_NOT_RUN);
}

static void time_is_up_for_one_that_says_no_more(void **state)
{
	assert_int_equal(end_of_part(*state, false), PART_DEADLINE);
}

/* -- whether the zygote is there */

static void *answer_call(void *play)
{
	const struct play *p = play;
	char call[ZYGOTE_CALL_SIZE + 1];

	assert_int_equal(recv(p->control, call, sizeof(call), 0), ZYGOTE_CALL_SIZE);
	assert_int_equal(send(p->control, call, ZYGOTE_CALL_SIZE, 0), ZYGOTE_CALL_SIZE);
	return NULL;
}

static void *close_after_call(void *play)
{
	struct play *p = play;
	char call;

	assert_int_equal(recv(p->control, &call, sizeof(call), MSG_PEEK), sizeof(call));
	close(p->control);
	p->control = -1;
	return NULL;
}

/* The zygote's process, as a zygote's handle would know it. */
static pid_t revive(struct play *p, void *(*zygote)(void *play))
{
	struct err e = ERR_INIT;
	pthread_t other;
	pid_t pid = fork();

	if (pid == 0) {
		fd_close_above(-1); /* the socket as well, which somebody else is to hold */
		for (;;)
			pause();
	}
	p->zygote.pid = pid;
	assert_int_equal(pthread_create(&other, NULL, zygote, p), 0);
	assert_int_equal(zygote_revive(&p->zygote, &e), 0);
	pthread_join(other, NULL);
	return pid;
}

static void a_zygote_that_answers_stays(void **state)
{
	struct play *p = *state;
	pid_t pid = revive(p, answer_call);

	assert_int_equal(p->zygote.pid, pid);
	assert_int_equal(kill(pid, 0), 0);
	zygote_stop(&p->zygote);
}

/* As when it was killed, and a fork of it holds the socket for a moment yet. */
static void for_one_that_takes_a_call_and_is_silent_another_is_started(void **state)
{
	struct play *p = *state;
	pid_t pid = revive(p, close_after_call);

	assert_int_not_equal(p->zygote.pid, pid);
	assert_int_equal(kill(pid, 0), -1);
	assert_string_equal(json_get_string(p->zygote.versions, "of"), "the next one");
	zygote_stop(&p->zygote);
}

/* The next one: this program again. */
static int greet(void)
{
	static const char greeting[] = "{\"versions\":{\"of\":\"the next one\"},\"boxed\":true}";
	char byte;

	return send(ZYGOTE_CONTROL_FD, greeting, strlen(greeting), 0) < 0
	       || recv(ZYGOTE_CONTROL_FD, &byte, sizeof(byte), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(messages_come_line_by_line, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_no_message_ends_the_talk, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_without_end_is_no_message, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_long_one_is, set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_a_long_log_both_ends_are_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_nobody_reports_has_ended_all_the_same, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(letting_go_of_the_leash, set_up, tear_down),
		cmocka_unit_test_setup_teardown(time_in_which_the_judge_is_stopped_is_nobodys, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(time_is_up_for_one_that_says_no_more, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_zygote_that_answers_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			for_one_that_takes_a_call_and_is_silent_another_is_started, set_up, tear_down),
	};

	if (argc > 1 && strcmp(argv[1], ZYGOTE_ARGUMENT) == 0)
		return greet();

	return cmocka_run_group_tests(tests, NULL, NULL);
}
