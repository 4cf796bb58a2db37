/* A scratch folder goes whole, and nothing else goes with it. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outside/scratch.h"

enum { DEEP = 3000 }; /* far more than a path may have */

static char top[64];

static int set_up(void **state)
{
	(void)state;
	snprintf(top, sizeof(top), "/tmp/geak-test-XXXXXX");
	return mkdtemp(top) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return rmdir(top);
}

/* A folder or a file below top. */
static void make(const char *name, mode_t mode, bool file)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	if (!file) {
		assert_int_equal(mkdir(path, mode), 0);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT, mode);
	assert_true(fd >= 0);
	close(fd);
}

static void whatever_the_mode(void **state)
{
	char path[128];

	(void)state;
	make("run", 0700, false);
	make("run/moved-0", 0700, false); /* as removing itself would name one */
	make("run/moved-0/file", 0, true);
	make("run/a", 0700, false);
	make("run/a/b", 0700, false);
	make("run/a/b/file", 0400, true);
	snprintf(path, sizeof(path), "%s/run/a/b", top);
	assert_int_equal(chmod(path, 0), 0);
	snprintf(path, sizeof(path), "%s/run", top);
	assert_int_equal(scratch_remove(path), 0);
	assert_int_equal(scratch_remove(path), -1);
	assert_int_equal(errno, ENOENT);
}

static void however_deep(void **state)
{
	char path[128];
	int fd;

	(void)state;
	make("run", 0700, false);
	snprintf(path, sizeof(path), "%s/run", top);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < DEEP; i++) {
		int next;

		assert_int_equal(mkdirat(fd, "folder", 0700), 0);
		next = openat(fd, "folder", O_RDONLY | O_DIRECTORY);
		assert_true(next >= 0);
		close(fd);
		fd = next;
	}
	close(fd);
	assert_int_equal(scratch_remove(path), 0);
}

static void links_are_not_followed(void **state)
{
	char path[128], link[128];
	struct stat st;

	(void)state;
	make("kept", 0500, false);
	make("run", 0700, false);
	make("run/a", 0700, false);
	snprintf(path, sizeof(path), "%s/kept", top);
	snprintf(link, sizeof(link), "%s/run/a/link", top);
	assert_int_equal(symlink(path, link), 0);
	snprintf(link, sizeof(link), "%s/run/link", top);
	assert_int_equal(symlink(path, link), 0);
	snprintf(link, sizeof(link), "%s/run", top);
	assert_int_equal(scratch_remove(link), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0500);
	assert_int_equal(rmdir(path), 0);
}

static void it_goes_with_its_owner(void **state)
{
	struct err e = ERR_INIT;
	struct scratch s;
	char path[128];

	(void)state;
	setenv("TMPDIR", top, 1);
	assert_int_equal(scratch_init(&s, &e), 0);
	assert_null(s.path);
	assert_int_equal(scratch_make(&s, &e), 0);
	snprintf(path, sizeof(path), "%s", s.path);
	assert_int_equal(access(path, W_OK), 0);
	scratch_release(&s);
	assert_int_equal(access(path, F_OK), -1);
	scratch_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(whatever_the_mode, set_up, tear_down),
		cmocka_unit_test_setup_teardown(however_deep, set_up, tear_down),
		cmocka_unit_test_setup_teardown(links_are_not_followed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_goes_with_its_owner, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
