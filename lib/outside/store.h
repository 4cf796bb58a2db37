/*
 * Values by key in one SQLite file, which several processes may use at once.
 *
 * A struct store owns its connection and may be used by several threads. What is
 * put is there for every later get, also after a kill; after a power cut the last
 * few may be lost. Keys are text, values bytes. A value comes back as it was put
 * or not at all: each carries a digest. This is the only file pair that knows sqlite3.h.
 */
#ifndef GEAK_OUTSIDE_STORE_H
#define GEAK_OUTSIDE_STORE_H

#include <stddef.h>

#include "ground/buf.h"
#include "ground/err.h"

struct store;

/*
 * Opens the file at path, or makes it. NULL, with ERR_USAGE, for one that cannot be
 * written, is no database, or belongs to another program: such a file is left as it is;
 * ERR_TEMP where another process holds it, ERR_IO where the disk is full or fails.
 */
struct store *store_open(const char *path, struct err *e);

/* Appends the value of key to out: 1; 0 when there is none; ERR_IO when the file fails. */
int store_get(struct store *s, const char *key, struct buf *out, struct err *e);

/* Sets the value of key, replacing an older one. Returns 0 or ERR_IO. */
int store_put(struct store *s, const char *key, const void *value, size_t len, struct err *e);

/* What is put between the two is there for others, and after a kill, from store_end() on: several
 * values together cost little more than one. store_end() returns 0 or ERR_IO. */
void store_begin(struct store *s);
int store_end(struct store *s, struct err *e);

/* NULL is allowed. */
void store_close(struct store *s);

#endif
