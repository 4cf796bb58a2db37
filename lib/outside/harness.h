/* Which harness it is: the Python files that come with geak and take part in every verdict. */
#ifndef GEAK_OUTSIDE_HARNESS_H
#define GEAK_OUTSIDE_HARNESS_H

#include "ground/err.h"
#include "records/hash.h"

/* A digest of their names and contents, the same on every machine. */
int harness_digest(char out[HASH_HEX], struct err *e);

#endif
