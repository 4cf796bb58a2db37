#include "outside/store_search.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ground/buf.h"
#include "ground/mem.h"

enum { WORD_MIN = 2, WORD_MAX = 64, QUERY_WORDS = 1000 };

struct store_search {
	sqlite3 *db;
	sqlite3_stmt *add, *rank;
	bool joined; /* what was added is one piece of index, not one a text */
};

static int fail(struct store_search *s, struct err *e)
{
	return err_set(e, ERR_SOFTWARE, "the search among texts failed: %s", sqlite3_errmsg(s->db));
}

struct store_search *store_search_new(struct err *e)
{
	static const char table[] =
		"CREATE VIRTUAL TABLE text USING fts5(words, content='', tokenize='porter unicode61')";
	struct store_search *s = mem_zalloc(1, sizeof(*s));

	if (!sqlite3_open_v2(":memory:", &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL)
	    && !sqlite3_exec(s->db, table, NULL, NULL, NULL)
	    && !sqlite3_prepare_v2(s->db, "INSERT INTO text(words) VALUES (?)", -1, &s->add, NULL)
	    && !sqlite3_prepare_v2(s->db, "SELECT rowid, bm25(text) FROM text WHERE text MATCH ?", -1,
				   &s->rank, NULL))
		return s;
	fail(s, e);
	store_search_free(s);
	return NULL;
}

void store_search_free(struct store_search *s)
{
	if (!s)
		return;
	sqlite3_finalize(s->add);
	sqlite3_finalize(s->rank);
	sqlite3_close(s->db);
	free(s);
}

int store_search_add(struct store_search *s, const char *text, struct err *e)
{
	int rc;

	s->joined = false;
	sqlite3_bind_text(s->add, 1, text, -1, SQLITE_STATIC);
	rc = sqlite3_step(s->add) == SQLITE_DONE ? 0 : fail(s, e);
	sqlite3_reset(s->add);
	sqlite3_clear_bindings(s->add);
	return rc;
}

/* The words of a text in FTS5's language, each once and any of them: "a" OR "b". */
static void add_words(const char *text, struct buf *out)
{
	int words = 0;

	while (*text && words < QUERY_WORDS) {
		char word[WORD_MAX + 3] = "\"";
		size_t len = 0;

		for (; isalnum((unsigned char)text[len]); len++)
			if (len < WORD_MAX)
				word[len + 1] = (char)tolower((unsigned char)text[len]);
		if (len >= WORD_MIN && len <= WORD_MAX) {
			word[len + 1] = '"';
			if (!strstr(out->data, word))
				buf_addf(out, "%s%s", words++ ? " OR " : "", word);
		}
		text += len ? len : 1;
	}
}

int store_search_rank(struct store_search *s, const char *query, double weight, double *score,
		      struct err *e)
{
	struct buf words;
	int rc = SQLITE_DONE;

	if (!s->joined && sqlite3_exec(s->db, "INSERT INTO text(text) VALUES ('optimize')", NULL, NULL,
				       NULL))
		return fail(s, e);
	s->joined = true;
	buf_init(&words, SIZE_MAX / 2);
	add_words(query, &words);
	if (words.len) {
		sqlite3_bind_text(s->rank, 1, words.data, -1, SQLITE_STATIC);
		while ((rc = sqlite3_step(s->rank)) == SQLITE_ROW) /* the better, the smaller */
			score[sqlite3_column_int64(s->rank, 0) - 1] -=
				weight * sqlite3_column_double(s->rank, 1);
		rc = rc == SQLITE_DONE ? rc : fail(s, e);
		sqlite3_reset(s->rank);
		sqlite3_clear_bindings(s->rank);
	}
	buf_release(&words);
	return rc == SQLITE_DONE ? 0 : rc;
}
