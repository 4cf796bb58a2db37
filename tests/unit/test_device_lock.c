/* The lock of a GPU: among threads, processes and users, and whoever is killed meanwhile. */
#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "outside/device_lock.h"
#include "outside/scratch.h"

#define PCI "0000:c1:00.0"
enum { NOBODY = 65534 };

static char folder[64];

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/geak-test-XXXXXX");
	if (!mkdtemp(folder) || chmod(folder, 01777))
		return -1;
	return setenv("GEAK_LOCK_DIR", folder, 1);
}

static int tear_down(void **state)
{
	(void)state;
	return scratch_remove(folder);
}

static char *path_of(const char *what, char path[128])
{
	snprintf(path, 128, "%s/geak-gpu-" PCI ".%s", folder, what);
	return path;
}

static void pause_ms(long ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* 0, or why it was not had; it is dropped at once. */
static int try_for(bool alone, double seconds)
{
	struct device_lock l = DEVICE_LOCK_INIT;
	struct err e = ERR_INIT;
	int rc = device_lock_take(&l, PCI, alone, seconds, &e);

	device_lock_drop(&l);
	return rc;
}

static void take(struct device_lock *l, bool alone)
{
	struct err e = ERR_INIT;

	if (device_lock_take(l, PCI, alone, 10, &e))
		fail_msg("%s", e.text);
}

/* A child that ends with us, also where a check has failed. */
static pid_t split(void)
{
	pid_t pid = fork();

	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* Another process with the lock; it says so through the pipe and waits to be killed. */
struct other {
	pid_t pid;
	int told;
};

static struct other start(bool alone)
{
	struct other o;
	int pipe_of[2];

	assert_int_equal(pipe(pipe_of), 0);
	o.pid = split();
	if (o.pid == 0) {
		struct device_lock l = DEVICE_LOCK_INIT;
		struct err e = ERR_INIT;

		if (device_lock_take(&l, PCI, alone, 20, &e) == 0 && write(pipe_of[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(pipe_of[1]);
	o.told = pipe_of[0];
	return o;
}

static void has_it(struct other *o)
{
	char c;

	assert_int_equal(read(o->told, &c, 1), 1);
}

static void end(struct other *o)
{
	kill(o->pid, SIGKILL);
	waitpid(o->pid, NULL, 0);
	close(o->told);
}

static void many_together_or_one_alone(void **state)
{
	struct device_lock a = DEVICE_LOCK_INIT, b = DEVICE_LOCK_INIT, c = DEVICE_LOCK_INIT;
	struct err e = ERR_INIT;

	(void)state;
	take(&a, false);
	take(&b, false);
	assert_int_equal(device_lock_take(&c, PCI, true, 0.05, &e), ERR_TEMP);
	assert_non_null(strstr(e.text, "others had the lock of a GPU, "));
	assert_non_null(strstr(e.text, ".room, for 0.05"));
	device_lock_drop(&a);
	device_lock_drop(&b);
	take(&a, true);
	assert_int_equal(try_for(false, 0), ERR_TEMP);
	assert_int_equal(try_for(true, 0), ERR_TEMP);
	device_lock_drop(&a);
	device_lock_drop(&a); /* nothing is held, nothing happens */
	assert_int_equal(try_for(true, 0), 0);
}

static void another_gpu_is_another_lock(void **state)
{
	struct device_lock a = DEVICE_LOCK_INIT, b = DEVICE_LOCK_INIT;
	struct err e = ERR_INIT;

	(void)state;
	take(&a, true);
	assert_int_equal(device_lock_take(&b, "0000:c2:00.0", true, 0, &e), 0);
	device_lock_drop(&a);
	device_lock_drop(&b);
}

static void ends_with_its_holder(void **state)
{
	struct other o = start(true);

	(void)state;
	has_it(&o);
	assert_int_equal(try_for(false, 0.02), ERR_TEMP);
	end(&o);
	assert_int_equal(try_for(true, 0), 0);
}

static void until_one_stands_at_the_door(void)
{
	for (int i = 0; try_for(false, 0) == 0; i++) {
		assert_true(i < 5000);
		pause_ms(1);
	}
}

static void nobody_overtakes_who_wants_it_alone(void **state)
{
	struct other inside = start(false), waiting;

	(void)state;
	has_it(&inside);
	assert_int_equal(try_for(false, 0), 0); /* nobody waits yet */
	waiting = start(true);
	until_one_stands_at_the_door();
	assert_int_equal(try_for(false, 0.1), ERR_TEMP);
	end(&inside);
	has_it(&waiting);
	end(&waiting);
}

static void who_is_killed_at_the_door_leaves_it(void **state)
{
	struct other inside = start(false), waiting;

	(void)state;
	has_it(&inside);
	waiting = start(true);
	until_one_stands_at_the_door();
	end(&waiting);
	assert_int_equal(try_for(false, 0), 0);
	end(&inside);
}

/* -- all at once */

struct room {
	atomic_int together, alone, faults, turns;
};

static void visit(struct room *r, bool alone, long ms)
{
	struct device_lock l = DEVICE_LOCK_INIT;
	struct err e = ERR_INIT;

	if (device_lock_take(&l, PCI, alone, 20, &e)) {
		r->faults++;
		return;
	}
	if (alone ? r->alone || r->together : r->alone)
		r->faults++;
	*(alone ? &r->alone : &r->together) += 1;
	pause_ms(ms);
	*(alone ? &r->alone : &r->together) -= 1;
	r->turns++;
	device_lock_drop(&l);
}

static void *visits(void *room)
{
	for (int i = 0; i < 20; i++)
		visit(room, i % 3 == 0, 1);
	return NULL;
}

static void threads_keep_apart(void **state)
{
	pthread_t t[6];
	struct room r = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(t); i++)
		assert_int_equal(pthread_create(&t[i], NULL, visits, &r), 0);
	for (size_t i = 0; i < COUNT(t); i++)
		pthread_join(t[i], NULL);
	assert_int_equal(r.faults, 0);
	assert_int_equal(r.turns, 20 * (int)COUNT(t));
}

/* Four processes come and go, so that the room is never empty; one wants it alone. */
static void is_not_starved(void **state)
{
	struct room *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pids[4];

	(void)state;
	for (size_t i = 0; i < COUNT(pids); i++) {
		pids[i] = split();
		while (pids[i] == 0)
			visit(r, false, 3 + 2 * (long)i); /* out of step */
	}
	while (r->turns + r->faults < 20)
		pause_ms(1);
	for (int i = 0; i < 5; i++)
		visit(r, true, 1);
	assert_int_equal(r->faults, 0);
	for (size_t i = 0; i < COUNT(pids); i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	assert_int_equal(try_for(true, 0), 0);
	munmap(r, sizeof(*r));
}

/* Processes are killed wherever they are, in the room and at the door. */
static void kills_leave_it_whole(void **state)
{
	(void)state;
	for (int i = 0; i < 60; i++) {
		struct other o = start(i % 2);

		pause_ms(i % 4);
		end(&o);
		assert_int_equal(try_for(i % 3 == 0, 0), 0);
	}
}

/* -- the files */

static bool another_user_gets_it(void)
{
	pid_t pid = split();
	int status;

	if (pid == 0) {
		umask(077);
		_exit(setgid(NOBODY) || setuid(NOBODY) || try_for(true, 0) != 0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void is_every_users(void **state)
{
	mode_t mask = umask(077);
	char path[128];
	struct stat st;

	(void)state;
	assert_int_equal(try_for(true, 0), 0);
	umask(mask);
	assert_int_equal(stat(path_of("room", path), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0444);
	if (getuid() != 0) {
		print_message("# not run as root: no other user was tried\n");
		return;
	}
	assert_true(another_user_gets_it());
	assert_int_equal(unlink(path_of("room", path)) || unlink(path_of("door", path)), 0);
	assert_true(another_user_gets_it());
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, NOBODY);
	assert_int_equal(try_for(true, 0), 0);
}

static void a_file_that_went_away_is_made_anew(void **state)
{
	struct device_lock a = DEVICE_LOCK_INIT;
	struct other o;
	char path[128];

	(void)state;
	take(&a, true);
	o = start(true);
	pause_ms(20);
	/* The one that waits locks the new file, as all do who come later. */
	assert_int_equal(unlink(path_of("room", path)), 0);
	has_it(&o);
	assert_int_equal(try_for(false, 0.02), ERR_TEMP);
	end(&o);
	device_lock_drop(&a);
	assert_int_equal(try_for(true, 0), 0);
}

static void what_is_no_file_is_refused(void **state)
{
	struct device_lock l = DEVICE_LOCK_INIT;
	struct err e = ERR_INIT;
	char path[128];

	(void)state;
	unlink(path_of("door", path));
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(device_lock_take(&l, PCI, true, 1, &e), ERR_SOFTWARE);
	assert_non_null(strstr(e.text, "cannot be opened: "));
	assert_int_equal(unlink(path) || mkfifo(path, 0666), 0);
	assert_int_equal(device_lock_take(&l, PCI, true, 1, &e), ERR_SOFTWARE);
	assert_non_null(strstr(e.text, "is no file: remove it"));
	assert_int_equal(unlink(path), 0);
	setenv("GEAK_LOCK_DIR", "/none", 1);
	assert_int_equal(device_lock_take(&l, PCI, true, 1, &e), ERR_SOFTWARE);
	assert_int_equal(l.fd, -1);
	setenv("GEAK_LOCK_DIR", folder, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_together_or_one_alone),
		cmocka_unit_test(another_gpu_is_another_lock),
		cmocka_unit_test(ends_with_its_holder),
		cmocka_unit_test(nobody_overtakes_who_wants_it_alone),
		cmocka_unit_test(who_is_killed_at_the_door_leaves_it),
		cmocka_unit_test(threads_keep_apart),
		cmocka_unit_test(is_not_starved),
		cmocka_unit_test(kills_leave_it_whole),
		cmocka_unit_test(is_every_users),
		cmocka_unit_test(a_file_that_went_away_is_made_anew),
		cmocka_unit_test(what_is_no_file_is_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
