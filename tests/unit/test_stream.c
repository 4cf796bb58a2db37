/*
 * The loop round every stage. A stream owns standard output and ends it, so
 * each stage here runs in a process of its own; what it wrote and how it
 * exited is looked at from outside.
 */
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ground/mem.h"
#include "records/stream.h"

struct result {
	char *out, *err;
	int status;
};

typedef int stage_fn(char *const *inputs);

static char *read_back(FILE *f)
{
	size_t len = (size_t)ftell(f);
	char *text = mem_zalloc(1, len + 1);

	rewind(f);
	assert_int_equal(fread(text, 1, len, f), len);
	fclose(f);
	return text;
}

/* Runs stage with input (may be NULL) on its standard input. */
static struct result run(stage_fn *stage, const char *input, char *const *inputs)
{
	FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
	struct result r;
	pid_t pid;
	int status;

	fputs(input ? input : "", in);
	fflush(in);
	rewind(in);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		dup2(fileno(in), STDIN_FILENO);
		dup2(fileno(out), STDOUT_FILENO);
		dup2(fileno(err), STDERR_FILENO);
		_exit(stage(inputs));
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	r.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	fclose(in);
	fseek(out, 0, SEEK_END);
	fseek(err, 0, SEEK_END);
	r.out = read_back(out);
	r.err = read_back(err);
	return r;
}

static void result_free(struct result *r)
{
	free(r->out);
	free(r->err);
}

static struct stream *open_stream(char *const *inputs, size_t capacity, bool unordered)
{
	struct stream_config config = {
		.tool = "stage", .inputs = inputs, .handles = STREAM_KIND(RECORD_TASK),
		.capacity = capacity, .unordered = unordered,
	};
	struct err e = ERR_INIT;
	struct stream *s = stream_open(&config, &e);

	if (!s) {
		fprintf(stderr, "%s\n", e.text);
		_exit(err_exit_status(e.code));
	}
	return s;
}

/* Marks every task, refuses those named "bad", ends with a summary. */
static int mark(char *const *inputs)
{
	struct stream *s = open_stream(inputs, 1, false);
	struct stream_item item;
	struct json *summary;

	while (stream_next(s, true, &item) == STREAM_ITEM) {
		struct err e = ERR_INIT;

		if (strcmp(record_id(item.record), "bad") == 0) {
			err_set(&e, ERR_RECORD, "it is bad");
			stream_fail(s, &item, &e);
			continue;
		}
		json_set_bool(item.record, "seen", true);
		stream_put(s, &item, item.record);
		stream_done(s, &item);
	}
	stream_trailer(s, &item);
	summary = record_new(RECORD_SUMMARY);
	stream_put(s, &item, summary);
	json_free(summary);
	stream_done(s, &item);
	return stream_close(s);
}

#define SUMMARY "{\"geak\":\"summary/1\"}\n"

static void records_in_records_out(void **state)
{
	struct result r = run(mark, "{\"geak\":\"task/1\",\"id\":\"a\",\"x\":1.0}\n\n \t\r\n"
				    "{\"geak\":\"task/1\",\"id\":\"b\"}", NULL);

	(void)state;
	assert_string_equal(r.out, "{\"geak\":\"task/1\",\"id\":\"a\",\"x\":1.0,\"seen\":true}\n"
			    "{\"geak\":\"task/1\",\"id\":\"b\",\"seen\":true}\n" SUMMARY);
	assert_string_equal(r.err, "");
	assert_int_equal(r.status, 0);
	result_free(&r);
}

static void other_kinds_pass_byte_for_byte(void **state)
{
	static const char text[] = "{ \"geak\" : \"candidate/1\", \"u\":\"\\u00e9\\/\" }\r\n"
				   "{\"x\":1e0,\"geak\":\"mine/7\"}\n{\"geak\":\"error/1\"}\n";
	struct result r = run(mark, text, NULL);

	(void)state;
	assert_memory_equal(r.out, text, strlen(text));
	assert_string_equal(r.out + strlen(text), SUMMARY);
	assert_int_equal(r.status, 0);
	result_free(&r);
}

static void bad_lines_become_errors_and_the_rest_goes_on(void **state)
{
	struct result r = run(mark, "{\"geak\":\"task/1\",\"id\":\"bad\"}\nnot json\n"
				    "{\"geak\":\"task/1\",\"id\":\"b\"}\n{\"geak\":\"ta", NULL);

	(void)state;
	assert_string_equal(r.out,
		"{\"geak\":\"error/1\",\"tool\":\"stage\",\"input\":\"standard input\",\"line\":1,"
		"\"reason\":\"it is bad\",\"record\":{\"geak\":\"task/1\",\"id\":\"bad\"}}\n"
		"{\"geak\":\"error/1\",\"tool\":\"stage\",\"input\":\"standard input\",\"line\":2,"
		"\"reason\":\"not valid JSON: an unexpected character at byte 1\","
		"\"text\":\"not json\",\"bytes\":8}\n"
		"{\"geak\":\"task/1\",\"id\":\"b\",\"seen\":true}\n"
		"{\"geak\":\"error/1\",\"tool\":\"stage\",\"input\":\"standard input\",\"line\":4,"
		"\"reason\":\"the last line is cut off: not valid JSON: a string without an end at "
		"byte 12\",\"text\":\"{\\\"geak\\\":\\\"ta\",\"bytes\":11}\n" SUMMARY);
	assert_string_equal(r.err,
		"stage: standard input:1: it is bad\n"
		"stage: standard input:2: not valid JSON: an unexpected character at byte 1\n"
		"stage: standard input:4: the last line is cut off: not valid JSON: a string "
		"without an end at byte 12\n");
	assert_int_equal(r.status, 1);
	result_free(&r);
}

static void wrong_names_show_at_once(void **state)
{
	char standard_input[] = "-", none[] = "/nonexistent/x.jsonl", root[] = "/";
	char *missing[] = { standard_input, none, NULL }, *folder[] = { root, NULL };
	struct result r = run(mark, "{\"geak\":\"task/1\"}\n", missing);

	(void)state;
	assert_string_equal(r.out, "");
	assert_string_equal(r.err, "/nonexistent/x.jsonl cannot be read: "
			    "No such file or directory\n");
	assert_int_equal(r.status, 64);
	result_free(&r);
	r = run(mark, NULL, folder);
	assert_string_equal(r.err, "/ is a folder; name files of records\n");
	assert_int_equal(r.status, 64);
	result_free(&r);
}

static void several_inputs(void **state)
{
	char path[] = "/tmp/geak-test-XXXXXX";
	char standard_input[] = "-", *inputs[] = { path, standard_input, path, NULL };
	int fd = mkstemp(path);
	struct result r;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "\n{", 2), 2);
	close(fd);
	r = run(mark, "{\"geak\":\"x\"}\n", inputs);
	/* The half line does not run into the next file, and lines count anew in each. */
	assert_non_null(strstr(r.out, "\"line\":2,\"reason\":\"the last line is cut off"));
	assert_non_null(strstr(r.out, "\n{\"geak\":\"x\"}\n{\"geak\":\"error/1\""));
	assert_int_equal(r.status, 1);
	unlink(path);
	result_free(&r);
}

/* Puts a record that the next stage could not read. */
static int too_large(char *const *inputs)
{
	struct stream *s = open_stream(inputs, 1, false);
	struct stream_item item;
	char *big = mem_alloc(JSON_MAX_BYTES);

	memset(big, 'x', JSON_MAX_BYTES - 1);
	big[JSON_MAX_BYTES - 1] = '\0';
	while (stream_next(s, true, &item) == STREAM_ITEM) {
		struct json *child = json_dup(item.record);

		json_set_string(child, "big", big);
		stream_put(s, &item, child);
		json_free(child);
		stream_done(s, &item);
	}
	free(big);
	return stream_close(s);
}

static void a_record_that_grew_too_large(void **state)
{
	struct result r = run(too_large, "{\"geak\":\"task/1\",\"id\":\"a\"}\n", NULL);

	(void)state;
	assert_string_equal(r.out, "{\"geak\":\"error/1\",\"tool\":\"stage\",\"input\":"
		"\"standard input\",\"line\":1,\"reason\":\"the resulting record is larger or deeper "
		"than the next stage would read: at most 16 MiB and 128 levels\","
		"\"record\":{\"geak\":\"task/1\",\"id\":\"a\"}}\n");
	assert_int_equal(r.status, 1);
	result_free(&r);
}

/* An error of the trailer's own carries no record. */
static int late_error(char *const *inputs)
{
	struct stream *s = open_stream(inputs, 1, false);
	struct stream_item item;
	struct err e = ERR_INIT;

	while (stream_next(s, true, &item) == STREAM_ITEM)
		stream_done(s, &item);
	stream_trailer(s, &item);
	err_set(&e, ERR_RECORD, "nothing to sum up");
	stream_fail(s, &item, &e);
	return stream_close(s);
}

static void an_error_at_the_end(void **state)
{
	struct result r = run(late_error, "", NULL);

	(void)state;
	assert_string_equal(r.out, "{\"geak\":\"error/1\",\"tool\":\"stage\",\"input\":"
			    "\"standard input\",\"line\":0,\"reason\":\"nothing to sum up\"}\n");
	assert_int_equal(r.status, 1);
	result_free(&r);
}

struct job {
	struct stream *s;
	struct stream_item item;
	pthread_t thread;
};

static void *finish(void *arg)
{
	struct job *j = arg;

	nanosleep(&(struct timespec){ .tv_nsec = (long)(j->item.from.line * 31 % 7) * 1000000 },
		  NULL);
	stream_put(j->s, &j->item, j->item.record);
	stream_done(j->s, &j->item);
	return NULL;
}

static int in_threads(char *const *inputs)
{
	static struct job jobs[64];
	struct stream *s = open_stream(inputs, 4, false);
	size_t n = 0;

	while (stream_next(s, true, &jobs[n].item) == STREAM_ITEM) {
		jobs[n].s = s;
		pthread_create(&jobs[n].thread, NULL, finish, &jobs[n]);
		n++;
	}
	while (n > 0)
		pthread_join(jobs[--n].thread, NULL);
	return stream_close(s);
}

static void many_open_items_keep_their_order(void **state)
{
	struct buf in;
	struct result r;

	(void)state;
	buf_init(&in, 1 << 20);
	for (int i = 0; i < 60; i++)
		buf_addf(&in, "{\"geak\":\"%s/1\",\"id\":%d}\n", i % 3 ? "task" : "other", i);
	r = run(in_threads, in.data, NULL);
	assert_string_equal(r.out, in.data);
	assert_int_equal(r.status, 0);
	result_free(&r);
	buf_release(&in);
}

/* Without wait: STREAM_AGAIN while there is no room, then the rest. */
static int no_waiting(char *const *inputs)
{
	struct stream *s = open_stream(inputs, 1, false);
	struct stream_item first, second;

	if (stream_next(s, false, &first) != STREAM_ITEM)
		return 101;
	if (stream_next(s, false, &second) != STREAM_AGAIN || stream_fd(s) != -1)
		return 102;
	stream_done(s, &first);
	if (stream_fd(s) != STDIN_FILENO || stream_next(s, false, &second) != STREAM_ITEM)
		return 103;
	stream_done(s, &second);
	if (stream_next(s, false, &second) != STREAM_END)
		return 104;
	return stream_close(s);
}

static void without_waiting(void **state)
{
	struct result r = run(no_waiting, "{\"geak\":\"task/1\"}\n{\"geak\":\"task/1\"}\n", NULL);

	(void)state;
	assert_int_equal(r.status, 0);
	result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_in_records_out),
		cmocka_unit_test(other_kinds_pass_byte_for_byte),
		cmocka_unit_test(bad_lines_become_errors_and_the_rest_goes_on),
		cmocka_unit_test(wrong_names_show_at_once),
		cmocka_unit_test(several_inputs),
		cmocka_unit_test(a_record_that_grew_too_large),
		cmocka_unit_test(an_error_at_the_end),
		cmocka_unit_test(many_open_items_keep_their_order),
		cmocka_unit_test(without_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
