/* SHA-256 of pieces of text, as lower-case hexadecimal. */
#ifndef GEAK_RECORDS_HASH_H
#define GEAK_RECORDS_HASH_H

#include <stddef.h>

enum { HASH_HEX = 65 }; /* 64 digits and the NUL */

struct hash;

/* A running hash. hash_hex() ends it and frees it. Each piece is preceded by
 * its length, so that "ab","c" and "a","bc" differ. */
struct hash *hash_new(void);
void hash_piece(struct hash *h, const void *data, size_t len);
void hash_string(struct hash *h, const char *s); /* NULL counts as its own value */
void hash_hex(struct hash *h, char out[HASH_HEX]);

/* The plain SHA-256 of data, as sha256sum prints it. */
void hash_bytes_hex(const void *data, size_t len, char out[HASH_HEX]);

#endif
