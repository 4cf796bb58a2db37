/* Values by key in a file: by threads, by processes, after kills, and of files that are no such thing. */
#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "outside/scratch.h"
#include "outside/store.h"

static char folder[] = "/tmp/geak-store-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return scratch_remove(folder);
}

static struct store *opened(const char *path)
{
	struct err e = ERR_INIT;
	struct store *s = store_open(path, &e);

	if (!s)
		fail_msg("%s", e.text);
	return s;
}

static void put(struct store *s, const char *key, const char *value)
{
	struct err e = ERR_INIT;

	if (store_put(s, key, value, strlen(value), &e))
		fail_msg("%s", e.text);
}

/* -1 on failure, 0 for none; 1 when it is there and as wanted. */
static int holds(struct store *s, const char *key, const char *want)
{
	struct err e = ERR_INIT;
	struct buf b;
	int rc;

	buf_init(&b, 1 << 20);
	rc = store_get(s, key, &b, &e);
	if (rc > 0)
		assert_string_equal(b.data, want);
	buf_release(&b);
	return rc < 0 ? -1 : rc;
}

static void keeps_what_is_put(void **state)
{
	struct store *s = opened("plain.db");

	(void)state;
	assert_int_equal(holds(s, "a", ""), 0);
	put(s, "a", "one");
	put(s, "b", "");
	put(s, "a", "two");
	assert_int_equal(holds(s, "a", "two"), 1);
	assert_int_equal(holds(s, "b", ""), 1);
	store_close(s);
	s = opened("plain.db");
	assert_int_equal(holds(s, "a", "two"), 1);
	assert_int_equal(holds(s, "a'; DROP TABLE entry; --", ""), 0);
	store_close(s);
	assert_int_equal(access("plain.db-wal", F_OK), -1);
	store_close(NULL);
}

/* Several at once: its own process sees them, others only when all are there. */
static void keeps_several_together(void **state)
{
	struct store *s = opened("together.db"), *other = opened("together.db");
	struct err e = ERR_INIT;

	(void)state;
	store_begin(s);
	assert_int_equal(store_end(s, &e), 0); /* nothing */
	store_begin(s);
	put(s, "a", "1");
	put(s, "b", "2");
	assert_int_equal(holds(s, "a", "1"), 1);
	assert_int_equal(holds(other, "a", "1"), 0);
	assert_int_equal(store_end(s, &e), 0);
	assert_int_equal(holds(other, "a", "1") + holds(other, "b", "2"), 2);
	put(s, "c", "3");
	assert_int_equal(holds(other, "c", "3"), 1);
	store_begin(s);
	put(s, "d", "4");
	store_close(s); /* as a kill would: what was not ended is not there */
	assert_int_equal(holds(other, "d", "4"), 0);
	store_close(other);
}

static void refused(const char *path, const char *words)
{
	struct err e = ERR_INIT;

	assert_null(store_open(path, &e));
	assert_int_equal(e.code, ERR_USAGE);
	if (!strstr(e.text, words))
		fail_msg("'%s' does not say '%s'", e.text, words);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void leaves_other_files_alone(void **state)
{
	const char *letter = "Dear Sir or Madam, this file is a letter and longer than the header of a "
			     "database, which has a hundred bytes.\n";
	char text[256] = "";
	sqlite3 *db;
	FILE *f;

	(void)state;
	write_file("letter", letter);
	refused("letter", "was not made by geak");
	f = fopen("letter", "r");
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_string_equal(text, letter);
	assert_int_equal(sqlite3_open("music.db", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE song (title TEXT)", NULL, NULL, NULL), 0);
	sqlite3_close(db);
	refused("music.db", "was not made by geak");
	assert_int_equal(sqlite3_open("later.db", &db), SQLITE_OK);
	sqlite3_exec(db, "PRAGMA application_id = 1734697323; PRAGMA user_version = 999", NULL, NULL, NULL);
	sqlite3_close(db);
	refused("later.db", "another version");
	refused("missing/x.db", "cannot be used");
	refused(".", "cannot be used");
	write_file("empty.db", "");
	store_close(opened("empty.db"));
}

static void what_another_holds_may_be_tried_again(void **state)
{
	struct err e = ERR_INIT;
	sqlite3 *db;

	(void)state;
	store_close(opened("held.db"));
	assert_int_equal(sqlite3_open("held.db", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE", NULL,
				      NULL, NULL), 0);
	assert_null(store_open("held.db", &e));
	assert_int_equal(e.code, ERR_TEMP);
	assert_non_null(strstr(e.text, "held.db is held by another process; try again"));
	sqlite3_close(db);
	store_close(opened("held.db"));
}

static void a_full_disk_is_no_wrong_call(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_null(store_open("/dev/full", &e));
	assert_int_equal(e.code, ERR_IO);
}

/* One byte of the value is another one. */
static void never_returns_another_value(void **state)
{
	struct store *s = opened("bits.db");
	struct err e = ERR_INIT;
	char bytes[1 << 16];
	struct buf b;
	ssize_t n;
	char *at;
	int fd;

	(void)state;
	put(s, "k", "{\"status\":\"wrong_answer\"}");
	store_close(s);
	fd = open("bits.db", O_RDWR);
	n = read(fd, bytes, sizeof(bytes));
	at = memmem(bytes, (size_t)n, "wrong_answer", 12);
	assert_non_null(at);
	assert_int_equal(pwrite(fd, "right", 5, at - bytes), 5);
	close(fd);
	s = opened("bits.db");
	buf_init(&b, 1 << 16);
	assert_int_equal(store_get(s, "k", &b, &e), ERR_IO);
	assert_non_null(strstr(e.text, "is damaged"));
	assert_int_equal(b.len, 0);
	buf_release(&b);
	store_close(s);
}

/* -- several at once */

enum { EACH = 200, THREADS = 4, PROCESSES = 8 };

struct writer {
	struct store *store;
	int number;
};

static void *write_many(void *arg)
{
	struct writer *w = arg;
	char key[32], value[32];

	for (int i = 0; i < EACH; i++) {
		snprintf(key, sizeof(key), "%d-%d", w->number, i);
		snprintf(value, sizeof(value), "value %d-%d", w->number, i);
		put(w->store, key, value);
		if (holds(w->store, key, value) != 1)
			abort();
	}
	return NULL;
}

static void all_there(const char *path, int writers)
{
	struct store *s = opened(path);
	char key[32], value[32];

	for (int n = 0; n < writers; n++) {
		for (int i = 0; i < EACH; i++) {
			snprintf(key, sizeof(key), "%d-%d", n, i);
			snprintf(value, sizeof(value), "value %d-%d", n, i);
			assert_int_equal(holds(s, key, value), 1);
		}
	}
	store_close(s);
}

static void serves_threads(void **state)
{
	struct store *s = opened("threads.db");
	struct writer w[THREADS];
	pthread_t t[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++) {
		w[i] = (struct writer){ s, i };
		assert_int_equal(pthread_create(&t[i], NULL, write_many, &w[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	store_close(s);
	all_there("threads.db", THREADS);
}

/* All find a file that is not there yet, and at the same time. */
static void serves_processes(void **state)
{
	int status, go[2];

	(void)state;
	assert_int_equal(pipe(go), 0);
	for (int i = 0; i < PROCESSES; i++) {
		if (fork() == 0) {
			struct err e = ERR_INIT;
			struct writer w = { NULL, i };
			char c;

			close(go[1]);
			if (read(go[0], &c, 1) < 0 || !(w.store = store_open("shared.db", &e))) {
				fprintf(stderr, "# %s\n", e.text);
				_exit(1);
			}
			write_many(&w);
			store_close(w.store);
			_exit(0);
		}
	}
	close(go[0]);
	close(go[1]);
	for (int i = 0; i < PROCESSES; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	all_there("shared.db", PROCESSES);
}

static void survives_kills(void **state)
{
	struct store *s;
	char key[32];
	int told = -1, line[2];

	(void)state;
	for (int round = 0; round < 20; round++) {
		const struct timespec a_little = { 0, round * 300000L };
		pid_t pid;
		int last;

		assert_int_equal(pipe(line), 0);
		pid = fork();
		if (pid == 0) {
			s = opened("killed.db");
			for (int i = told + 1;; i++) {
				snprintf(key, sizeof(key), "%d", i);
				put(s, key, key);
				if (write(line[1], &i, sizeof(i)) < 0)
					_exit(1);
			}
		}
		close(line[1]);
		assert_int_equal(read(line[0], &told, sizeof(told)), sizeof(told));
		nanosleep(&a_little, NULL);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		while (read(line[0], &last, sizeof(last)) == (ssize_t)sizeof(last))
			told = last;
		close(line[0]);
		s = opened("killed.db");
		for (int i = 0; i <= told; i++) {
			snprintf(key, sizeof(key), "%d", i);
			assert_int_equal(holds(s, key, key), 1);
		}
		store_close(s);
	}
	assert_true(told > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_what_is_put),
		cmocka_unit_test(keeps_several_together),
		cmocka_unit_test(leaves_other_files_alone),
		cmocka_unit_test(what_another_holds_may_be_tried_again),
		cmocka_unit_test(a_full_disk_is_no_wrong_call),
		cmocka_unit_test(never_returns_another_value),
		cmocka_unit_test(serves_threads),
		cmocka_unit_test(serves_processes),
		cmocka_unit_test(survives_kills),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
