/*
 * Where the files that come with geak lie: prompts, tasks, harness. Beside the
 * binary's own place (an installed tree or a build tree), or where GEAK_DATADIR says.
 */
#ifndef GEAK_GROUND_PATHS_H
#define GEAK_GROUND_PATHS_H

#include <stdbool.h>

#include "ground/buf.h"
#include "ground/err.h"

/* The path of a file or folder such as "prompts/arch"; the caller frees it.
 * NULL when the data folder cannot be found. Whether the file is there is not checked. */
char *paths_data(const char *relative, struct err *e);

/* Another of geak's tools: the one beside this binary, else its name alone, for PATH
 * to tell. The caller frees it. */
char *paths_tool(const char *name);

/* A file or folder of that name in the user's own cache: in geak's folder in XDG_CACHE_HOME or
 * ~/.cache, which is made if asked. The caller frees it; NULL, with ERR_USAGE, where there is no
 * place. */
char *paths_cache(const char *name, bool make, struct err *e);

/* The whole of a file, at most max bytes. Returns 0 or ERR_IO. */
int paths_read(const char *path, size_t max, struct buf *out, struct err *e);

#endif
