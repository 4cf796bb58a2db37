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

static void the_whole_group_dies(void **state)
{
	const struct timespec tick = { 0, 10 * 1000 * 1000 };
	struct proc p;
	struct buf out, err;
	pid_t grandchild;
	int tries = 0;

	(void)state;
	buf_init(&out, 4096);
	buf_init(&err, 4096);
	start(&p, "sleep 60 & echo $!; wait", NULL);
	while (!strchr(out.data, '\n'))
		proc_read(&p.out, &out);
	grandchild = (pid_t)atoi(out.data);
	assert_int_equal(kill(grandchild, 0), 0);
	proc_end(&p);
	/* Once dead it may stay a zombie for whoever adopted it to reap. */
	for (;;) {
		char path[64], line[256] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)grandchild);
		f = fopen(path, "r");
		if (!f)
			break;
		if (!fgets(line, sizeof(line), f))
			line[0] = '\0';
		fclose(f);
		if (strstr(line, ") Z") || !line[0])
			break;
		assert_true(++tries < 500);
		nanosleep(&tick, NULL);
	}
	buf_release(&out);
	buf_release(&err);
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
		cmocka_unit_test(the_whole_group_dies),
		cmocka_unit_test(what_does_not_fit_is_dropped),
		cmocka_unit_test(no_such_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
