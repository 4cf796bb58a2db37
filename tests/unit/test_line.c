/* Lines from a descriptor: whole, cut, too long, with NUL, and without waiting. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "ground/line.h"
#include "ground/mem.h"

struct feed {
	int fd;
	const char *data;
	size_t len, piece;
	long pause_ns;
};

/* Writes in pieces from a thread of its own, since a pipe holds only so much. */
static void *write_pieces(void *arg)
{
	struct feed *f = arg;

	for (size_t at = 0; at < f->len; at += f->piece) {
		size_t n = f->len - at < f->piece ? f->len - at : f->piece;

		if (f->pause_ns)
			nanosleep(&(struct timespec){ .tv_nsec = f->pause_ns }, NULL);
		if (write(f->fd, f->data + at, n) != (ssize_t)n)
			break;
	}
	close(f->fd);
	return NULL;
}

static pthread_t feed(struct feed *f, int *read_end)
{
	pthread_t thread;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	*read_end = ends[0];
	f->fd = ends[1];
	assert_int_equal(pthread_create(&thread, NULL, write_pieces, f), 0);
	return thread;
}

static void assert_line(struct line_reader *r, const char *text, bool complete)
{
	struct line line;

	assert_int_equal(line_next(r, true, &line), LINE_OK);
	assert_string_equal(line.text, text);
	assert_int_equal(line.len, strlen(text));
	assert_int_equal(line.full_len, line.len);
	assert_int_equal(line.complete, complete);
}

static void assert_end(struct line_reader *r)
{
	struct line line;

	assert_int_equal(line_next(r, true, &line), LINE_EOF);
	assert_int_equal(line_next(r, true, &line), LINE_EOF);
}

static void whole_and_cut_lines(void **state)
{
	static const char text[] = "one\n\nthree\r\nlast";

	(void)state;
	for (size_t piece = 1; piece < sizeof(text); piece++) {
		struct feed f = { .data = text, .len = sizeof(text) - 1, .piece = piece };
		struct line_reader r;
		int fd;
		pthread_t t = feed(&f, &fd);

		line_init(&r, fd, 100);
		assert_line(&r, "one", true);
		assert_line(&r, "", true);
		assert_line(&r, "three\r", true);
		assert_line(&r, "last", false);
		assert_end(&r);
		pthread_join(t, NULL);
		line_release(&r);
		close(fd);
	}
}

static void nothing_at_all(void **state)
{
	struct feed f = { .data = "", .len = 0, .piece = 1 };
	struct line_reader r;
	int fd;
	pthread_t t = feed(&f, &fd);

	(void)state;
	line_init(&r, fd, 100);
	assert_end(&r);
	pthread_join(t, NULL);
	line_release(&r);
	close(fd);
}

static void a_nul_does_not_end_a_line(void **state)
{
	struct feed f = { .data = "a\0b\nc\n", .len = 6, .piece = 6 };
	struct line_reader r;
	struct line line;
	int fd;
	pthread_t t = feed(&f, &fd);

	(void)state;
	line_init(&r, fd, 100);
	assert_int_equal(line_next(&r, true, &line), LINE_OK);
	assert_int_equal(line.len, 3);
	assert_memory_equal(line.text, "a\0b", 4);
	assert_line(&r, "c", true);
	pthread_join(t, NULL);
	line_release(&r);
	close(fd);
}

/* A line of length, then "next": what becomes of it under a maximum? */
static void check_length(size_t length, size_t max, bool newline)
{
	char *data = mem_alloc(length + 10);
	struct feed f = { .data = data, .piece = 100000 };
	struct line_reader r;
	struct line line;
	pthread_t t;
	int fd;

	memset(data, 'x', length);
	strcpy(data + length, newline ? "\nnext\n" : "");
	f.len = length + (newline ? 6 : 0);
	t = feed(&f, &fd);
	line_init(&r, fd, max);
	assert_int_equal(line_next(&r, true, &line), length > max ? LINE_TOO_LONG : LINE_OK);
	assert_int_equal(line.full_len, length);
	assert_int_equal(line.complete, newline);
	assert_int_equal(line.len, length > max && length > LINE_KEPT ? LINE_KEPT : length);
	assert_int_equal(strlen(line.text), line.len);
	if (newline)
		assert_line(&r, "next", true);
	assert_end(&r);
	assert_true(r.pending.cap <= max + 2 * 65536 + 1);
	pthread_join(t, NULL);
	line_release(&r);
	close(fd);
	free(data);
}

static void lengths_round_the_maximum(void **state)
{
	static const size_t max[] = { 10, LINE_KEPT, 65536, 200000 };

	(void)state;
	for (size_t i = 0; i < COUNT(max); i++) {
		for (size_t d = 0; d < 3; d++) {
			check_length(max[i] - 1 + d, max[i], true);
			check_length(max[i] - 1 + d, max[i], false);
		}
		check_length(20 * max[i], max[i], true);
		check_length(2000000, max[i], true);
		check_length(2000000, max[i], false);
	}
}

static void without_waiting_it_never_blocks(void **state)
{
	struct line_reader r;
	struct line line;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	line_init(&r, ends[0], 100);
	assert_int_equal(line_next(&r, false, &line), LINE_AGAIN);
	assert_int_equal(write(ends[1], "a\nb", 3), 3);
	assert_int_equal(line_next(&r, false, &line), LINE_OK);
	assert_string_equal(line.text, "a");
	assert_int_equal(line_next(&r, false, &line), LINE_AGAIN);
	assert_int_equal(write(ends[1], "c\n", 2), 2);
	assert_int_equal(line_next(&r, false, &line), LINE_OK);
	assert_string_equal(line.text, "bc");
	close(ends[1]);
	assert_int_equal(line_next(&r, false, &line), LINE_EOF);
	line_release(&r);
	close(ends[0]);
}

static void it_waits_on_a_descriptor_that_does_not(void **state)
{
	struct feed f = { .data = "a\nb\n", .len = 4, .piece = 2, .pause_ns = 20000000 };
	struct line_reader r;
	int fd;
	pthread_t t = feed(&f, &fd);

	(void)state;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	line_init(&r, fd, 100);
	assert_line(&r, "a", true);
	assert_line(&r, "b", true);
	assert_end(&r);
	pthread_join(t, NULL);
	line_release(&r);
	close(fd);
}

static void an_error_is_told(void **state)
{
	int fd = open("/", O_RDONLY);
	struct line_reader r;
	struct line line;

	(void)state;
	line_init(&r, fd, 100);
	assert_int_equal(line_next(&r, true, &line), LINE_ERROR);
	assert_int_equal(errno, EISDIR);
	line_release(&r);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_and_cut_lines),
		cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(a_nul_does_not_end_a_line),
		cmocka_unit_test(lengths_round_the_maximum),
		cmocka_unit_test(without_waiting_it_never_blocks),
		cmocka_unit_test(it_waits_on_a_descriptor_that_does_not),
		cmocka_unit_test(an_error_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
