/* Descriptors: all of it or an error, and nothing left open. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ground/fd.h"

static void what_is_written_is_read(void **state)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	char text[6] = "";

	(void)state;
	assert_int_equal(fd_write_at(fd, "hello", 5, 3), 0);
	assert_int_equal(fd_read_at(fd, text, 5, 3), 0);
	assert_string_equal(text, "hello");
	assert_int_equal(fd_read_at(fd, text, 5, 4), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(fd_read_at(fd, text, 0, 99), 0);
	fd_close(&fd);
	assert_int_equal(fd, -1);
	fd_close(&fd);
	assert_int_equal(fd_read_at(fd, text, 1, 0), -1);
	assert_int_equal(errno, EBADF);
}

/* A file that may not grow so far takes the first part, and says why at the second. */
static void half_a_write_is_an_error_with_its_reason(void **state)
{
	struct rlimit old, small;
	int fd = memfd_create("test", MFD_CLOEXEC), rc;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){ 3, old.rlim_max };
	setrlimit(RLIMIT_FSIZE, &small);
	rc = fd_write_at(fd, "hello", 5, 0);
	assert_int_equal(rc ? errno : 0, EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, SIG_DFL);
	fd_close(&fd);
}

static void nothing_above_stays_open(void **state)
{
	int status = -1;
	pid_t pid;

	(void)state;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		int high = fcntl(STDERR_FILENO, F_DUPFD, 100);

		fd_close_above(STDERR_FILENO);
		_exit(fcntl(high, F_GETFD) != -1 || fcntl(STDERR_FILENO, F_GETFD) == -1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* A descriptor that this byte can be read from. */
static int holding(char byte)
{
	int ends[2];

	return pipe(ends) == 0 && write(ends[1], &byte, 1) == 1 ? ends[0] : -1;
}

/* In a fork, which needs none of its own: 0, or what was wrong. */
static int change_places(void)
{
	int a = holding('a'), b = holding('b');
	char byte;

	if (dup2(a, 0) != 0 || dup2(b, 1) != 1 || fd_arrange((const int[]){ 1, 0, -1, b }, 4))
		return 1;
	if (read(0, &byte, 1) != 1 || byte != 'b' || read(1, &byte, 1) != 1 || byte != 'a')
		return 2;
	if (read(2, &byte, 1) != 0 || fcntl(3, F_GETFD) != 0)
		return 3;
	return fcntl(4, F_GETFD) == -1 && errno == EBADF ? 0 : 4;
}

static void descriptors_change_places(void **state)
{
	int status = -1;
	pid_t pid;

	(void)state;
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(change_places());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(fd_arrange((const int[]){ 987654 }, 1), -1);
	assert_int_equal(errno, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(half_a_write_is_an_error_with_its_reason),
		cmocka_unit_test(nothing_above_stays_open),
		cmocka_unit_test(descriptors_change_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
