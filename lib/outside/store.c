#include "outside/store.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ground/mem.h"
#include "records/hash.h"

#define APPLICATION_ID 1734697323 /* "geak": where file(1) and sqlite3 look for whose it is */
#define FORMAT 1                  /* of the table below; SQLite's user_version */
#define BUSY_MS 10000             /* for other processes to finish what they write */
#define BUSY_LOOK_MS 10

#define WORDS(number) WORDS_(number)
#define WORDS_(number) #number

static const char make_table[] =
	"CREATE TABLE entry (key TEXT PRIMARY KEY, value BLOB NOT NULL, digest TEXT NOT NULL);"
	"PRAGMA application_id = " WORDS(APPLICATION_ID) ";"
	"PRAGMA user_version = " WORDS(FORMAT);
static const char get_entry[] = "SELECT value, digest FROM entry WHERE key = ?";
static const char put_entry[] =
	"INSERT OR REPLACE INTO entry (key, value, digest) VALUES (?, ?, ?)";

struct store {
	char *path;
	sqlite3 *db;
	sqlite3_stmt *get, *put;
	pthread_mutex_t lock; /* the statements are shared */
	bool together, open;  /* puts make one transaction, which has begun */
};

/* -- opening; these return SQLite's own codes */

static int run(struct store *s, const char *sql)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL);
}

/* For a statement at which SQLite itself does not wait, whatever its timeout. */
static int run_patiently(struct store *s, const char *sql)
{
	int rc;

	for (int waited = 0; (rc = run(s, sql)) == SQLITE_BUSY && waited < BUSY_MS; waited += BUSY_LOOK_MS)
		sqlite3_sleep(BUSY_LOOK_MS);
	return rc;
}

static int integer_of(struct store *s, const char *sql, int *out)
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);

	if (rc == SQLITE_OK && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		*out = sqlite3_column_int(q, 0);
		rc = SQLITE_OK;
	}
	sqlite3_finalize(q);
	return rc;
}

/* Whose file it is. A new one becomes ours, inside the caller's transaction, so that
 * of several processes only one finds it new. */
static int claim(struct store *s, bool *ours)
{
	int id = 0, format = 0, tables = 0, rc;

	if ((rc = integer_of(s, "PRAGMA application_id", &id))
	    || (rc = integer_of(s, "PRAGMA user_version", &format))
	    || (rc = integer_of(s, "SELECT count(*) FROM sqlite_master", &tables)))
		return rc;
	*ours = id == APPLICATION_ID && format == FORMAT;
	if (id || format || tables)
		return SQLITE_OK;
	*ours = true;
	return run(s, make_table);
}

static int set_up(struct store *s, bool *ours)
{
	int rc;

	sqlite3_busy_timeout(s->db, BUSY_MS);
	if ((rc = run(s, "BEGIN IMMEDIATE")) || (rc = claim(s, ours))
	    || (rc = run(s, *ours ? "COMMIT" : "ROLLBACK")) || !*ours)
		return rc;
	/* Readers and the writer do not wait for each other, and a put not for the disk, but where
	 * the log has grown to 32 MiB. */
	if ((rc = run_patiently(s, "PRAGMA journal_mode = WAL"))
	    || (rc = run(s, "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8192"))
	    || (rc = sqlite3_prepare_v2(s->db, get_entry, -1, &s->get, NULL)))
		return rc;
	return sqlite3_prepare_v2(s->db, put_entry, -1, &s->put, NULL);
}

static int refuse(const struct store *s, int rc, bool ours, struct err *e)
{
	const char *path = s->path;

	if (rc == SQLITE_NOTADB || (rc == SQLITE_OK && !ours))
		return err_set(e, ERR_USAGE, "%s was not made by geak, or by another version of it; "
			       "name another file, or delete this one", path);
	if (rc == SQLITE_CORRUPT)
		return err_set(e, ERR_USAGE, "%s is damaged; delete it", path);
	if (rc == SQLITE_BUSY)
		return err_set(e, ERR_TEMP, "%s is held by another process; try again when that has "
			       "ended, or name another file", path);
	return err_set(e, rc == SQLITE_FULL || rc == SQLITE_IOERR ? ERR_IO : ERR_USAGE,
		       "%s cannot be used: %s; name a file that can be written", path,
		       sqlite3_errmsg(s->db));
}

struct store *store_open(const char *path, struct err *e)
{
	struct store *s = mem_zalloc(1, sizeof(*s));
	bool ours = false;
	int rc;

	s->path = mem_strdup(path);
	pthread_mutex_init(&s->lock, NULL);
	rc = sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
			     | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc == SQLITE_OK)
		rc = set_up(s, &ours);
	if (rc == SQLITE_OK && ours)
		return s;
	refuse(s, rc, ours, e);
	store_close(s);
	return NULL;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	sqlite3_finalize(s->get);
	sqlite3_finalize(s->put);
	sqlite3_close(s->db);
	pthread_mutex_destroy(&s->lock);
	free(s->path);
	free(s);
}

/* -- entries */

static void digest_of(const char *key, const void *value, size_t len, char out[HASH_HEX])
{
	struct hash *h = hash_new();

	hash_string(h, key);
	hash_piece(h, value, len);
	hash_hex(h, out);
}

static int fail(const struct store *s, const char *what, struct err *e)
{
	return err_set(e, ERR_IO, "%s cannot be %s: %s", s->path, what, sqlite3_errmsg(s->db));
}

static int take_row(struct store *s, const char *key, struct buf *out, struct err *e)
{
	const void *value = sqlite3_column_blob(s->get, 0);
	size_t len = (size_t)sqlite3_column_bytes(s->get, 0);
	const char *told = (const char *)sqlite3_column_text(s->get, 1);
	char digest[HASH_HEX];

	digest_of(key, value ? value : "", len, digest);
	if (!told || strcmp(told, digest) != 0)
		return err_set(e, ERR_IO, "%s is damaged: an entry is not what was put there",
			       s->path);
	if (buf_add(out, value ? value : "", len))
		return err_set(e, ERR_IO, "%s holds a value of %zu bytes, too many", s->path, len);
	return 1;
}

int store_get(struct store *s, const char *key, struct buf *out, struct err *e)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	sqlite3_bind_text(s->get, 1, key, -1, SQLITE_STATIC);
	rc = sqlite3_step(s->get);
	if (rc == SQLITE_ROW)
		rc = take_row(s, key, out, e);
	else
		rc = rc == SQLITE_DONE ? 0 : fail(s, "read", e);
	sqlite3_reset(s->get);
	sqlite3_clear_bindings(s->get);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int store_put(struct store *s, const char *key, const void *value, size_t len, struct err *e)
{
	char digest[HASH_HEX];
	int rc;

	digest_of(key, value, len, digest);
	pthread_mutex_lock(&s->lock);
	if (s->together && !s->open) /* when it cannot begin, each is one of its own */
		s->open = run(s, "BEGIN IMMEDIATE") == SQLITE_OK;
	sqlite3_bind_text(s->put, 1, key, -1, SQLITE_STATIC);
	sqlite3_bind_blob64(s->put, 2, value, len, SQLITE_STATIC);
	sqlite3_bind_text(s->put, 3, digest, -1, SQLITE_STATIC);
	rc = sqlite3_step(s->put) == SQLITE_DONE ? 0 : fail(s, "written", e);
	sqlite3_reset(s->put);
	sqlite3_clear_bindings(s->put);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

void store_begin(struct store *s)
{
	pthread_mutex_lock(&s->lock);
	s->together = true;
	pthread_mutex_unlock(&s->lock);
}

int store_end(struct store *s, struct err *e)
{
	int rc = 0;

	pthread_mutex_lock(&s->lock);
	if (s->open && run(s, "COMMIT") != SQLITE_OK) {
		rc = fail(s, "written", e);
		run(s, "ROLLBACK");
	}
	s->together = s->open = false;
	pthread_mutex_unlock(&s->lock);
	return rc;
}
