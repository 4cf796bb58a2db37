/* Children with pipes, in groups of their own. */
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "ground/proc.h"

static void start(struct proc *p, const char *script, char *const env[])
{
	char *argv[] = { strdup("sh"), strdup("-c"), strdup(script), NULL };
	struct err e = ERR_INIT;

	if (proc_spawn(p, argv, env, &e))
		fail_msg("%s", e.text);
	for (size_t i = 0; argv[i]; i++)
		free(argv[i]);
}

/* Reads both pipes to their ends and waits for the child. */
static int finish(struct proc *p, struct buf *out, struct buf *err)
{
	int status = -1;

	while (p->out >= 0 || p->err >= 0 || !proc_exited(p, &status)) {
		struct pollfd fds[] = { { .fd = p->out, .events = POLLIN },
					{ .fd = p->err, .events = POLLIN } };

		poll(fds, COUNT(fds), p->out >= 0 || p->err >= 0 ? -1 : 10);
		proc_read(&p->out, out);
		proc_read(&p->err, err);
	}
	return status;
}

static void pipes_and_status(void **state)
{
	char name[] = "WHO=me", how[64];
	char *env[] = { name, NULL };
	struct buf out, err;
	struct proc p;
	int status;

	(void)state;
	buf_init(&out, 4096);
	buf_init(&err, 4096);
	start(&p, "cat; echo $WHO >&2; exit 3", env);
	assert_int_equal(proc_write(&p, "hello", 5), 5);
	proc_close_in(&p);
	status = finish(&p, &out, &err);
	proc_describe(status, how, sizeof(how));
	assert_string_equal(out.data, "hello");
	assert_string_equal(err.data, "me\n");
	assert_string_equal(how, "exited with 3");
	proc_end(&p);

	start(&p, "kill -KILL $$", NULL);
	proc_describe(finish(&p, &out, &err), how, sizeof(how));
	assert_string_equal(how, "was killed by SIGKILL");
	proc_end(&p);
	proc_describe(SIGRTMAX, how, sizeof(how));
	assert_string_equal(how, "was killed by SIG64");
	buf_release(&out);
	buf_release(&err);
}

static void a_closed_pipe_raises_no_signal(void **state)
{
	struct proc p;
	struct buf out, err;
	sigset_t pending;

	(void)state;
	buf_init(&out, 4096);
	buf_init(&err, 4096);
	start(&p, "exec <&-", NULL);
	finish(&p, &out, &err);
	assert_int_equal(proc_write(&p, "x", 1), -1);
	assert_int_equal(errno, EPIPE);
	sigpending(&pending);
	assert_false(sigismember(&pending, SIGPIPE));
	proc_end(&p);
	buf_release(&out);
	buf_release(&err);
}

/* Starts script, which tells a process, and ends it: the process is gone as well. */
static void expect_gone(const char *script)
{
	struct proc p;
	struct buf out;
	pid_t told;

	buf_init(&out, 4096);
	start(&p, script, NULL);
	while (!strchr(out.data, '\n'))
		proc_read(&p.out, &out);
	told = (pid_t)atoi(out.data);
	assert_int_equal(kill(told, 0), 0);
	proc_end(&p);
	assert_int_equal(kill(told, 0), -1); /* at once, and reaped */
	assert_int_equal(errno, ESRCH);
	buf_release(&out);
}

static void nothing_is_left(void **state)
{
	(void)state;
	expect_gone("sleep 60 & echo $!; wait");
	expect_gone("setsid sh -c 'echo $$; exec sleep 60' & wait");
	expect_gone("setsid sh -c 'setsid sh -c \"echo \\$\\$; exec sleep 60\" & sleep 60' & sleep 60");
	/* whose parents are gone, the command among them */
	expect_gone("(setsid sh -c 'echo $$; exec sleep 60' &) & exit 3");
	expect_gone("setsid sh -c 'trap \"\" TERM INT HUP; echo $$; while :; do sleep 60; done' &");
}

/* A command's end is told while others of its kind go on. */
static void the_end_is_told_before_all_is_gone(void **state)
{
	struct proc p;
	int status = -1;

	(void)state;
	start(&p, "setsid sleep 60 >/dev/null 2>&1 & exit 5", NULL);
	poll(&(struct pollfd){ .fd = p.exited, .events = POLLIN }, 1, -1);
	assert_true(proc_exited(&p, &status));
	assert_int_equal(status, 5 << 8);
	assert_true(proc_exited(&p, &status)); /* as often as one asks */
	proc_end(&p);
}

/* Whoever kills the keeper kills the command; what that had started is then nobody's. */
static void a_keeper_that_is_killed(void **state)
{
	struct proc p;
	int status = -1;

	(void)state;
	start(&p, "sleep 60", NULL);
	kill(p.pid, SIGKILL);
	poll(&(struct pollfd){ .fd = p.exited, .events = POLLIN }, 1, -1);
	assert_true(proc_exited(&p, &status));
	assert_int_equal(status, SIGKILL);
	proc_end(&p);
}

static void several_at_once(void **state)
{
	struct proc a, b;
	int status = -1;

	(void)state;
	start(&a, "sleep 60", NULL);
	start(&b, "exit 0", NULL);
	proc_end(&a); /* the second one's keeper holds no leash of the first */
	poll(&(struct pollfd){ .fd = b.exited, .events = POLLIN }, 1, -1);
	assert_true(proc_exited(&b, &status));
	assert_int_equal(status, 0);
	proc_end(&b);
}

static void what_does_not_fit_is_dropped(void **state)
{
	struct proc p;
	struct buf out, err;

	(void)state;
	buf_init(&out, 1000);
	buf_init(&err, 1000);
	start(&p, "head -c 200000 /dev/zero | tr '\\0' x", NULL);
	assert_int_equal(finish(&p, &out, &err), 0);
	assert_true(buf_overflowed(&out));
	assert_true(out.len <= 1000);
	proc_end(&p);
	buf_release(&out);
	buf_release(&err);
}

static void no_such_program(void **state)
{
	char name[] = "/no/such/program", how[64];
	char *argv[] = { name, NULL };
	struct proc p;
	struct buf out, err;
	struct err e = ERR_INIT;

	(void)state;
	buf_init(&out, 4096);
	buf_init(&err, 4096);
	assert_int_equal(proc_spawn(&p, argv, NULL, &e), 0);
	proc_describe(finish(&p, &out, &err), how, sizeof(how));
	assert_string_equal(how, "exited with 127");
	assert_string_equal(err.data, "/no/such/program cannot be run: No such file or directory\n");
	proc_end(&p);
	buf_release(&out);
	buf_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipes_and_status),
		cmocka_unit_test(a_closed_pipe_raises_no_signal),
		cmocka_unit_test(nothing_is_left),
		cmocka_unit_test(the_end_is_told_before_all_is_gone),
		cmocka_unit_test(a_keeper_that_is_killed),
		cmocka_unit_test(several_at_once),
		cmocka_unit_test(what_does_not_fit_is_dropped),
		cmocka_unit_test(no_such_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
