/* Code objects and assembly as files in a folder of the user's. Owns nothing. */
#ifndef GEAK_DOMAIN_OBJECT_FILE_H
#define GEAK_DOMAIN_OBJECT_FILE_H

#include <stddef.h>

#include "ground/err.h"

/* Makes the folder where it is not there. Returns 0, or ERR_USAGE where it cannot be written to. */
int object_folder_make(const char *dir, struct err *e);

/* Writes stem.suffix whole, or leaves none. Returns 0, or -1 with errno. */
int object_file_write(const char *stem, const char *suffix, const char *data, size_t len);

#endif
