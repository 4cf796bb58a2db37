#include "records/hash.h"

#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct hash; /* an EVP_MD_CTX */

static EVP_MD_CTX *context(struct hash *h)
{
	return (EVP_MD_CTX *)(void *)h;
}

static void to_hex(const unsigned char *digest, char out[HASH_HEX])
{
	for (size_t i = 0; i < 32; i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

struct hash *hash_new(void)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	EVP_DigestInit_ex(c, EVP_sha256(), NULL);
	return (struct hash *)(void *)c;
}

void hash_piece(struct hash *h, const void *data, size_t len)
{
	unsigned char prefix[8];

	for (int i = 0; i < 8; i++)
		prefix[i] = (unsigned char)((uint64_t)len >> (8 * i));
	EVP_DigestUpdate(context(h), prefix, sizeof(prefix));
	EVP_DigestUpdate(context(h), data, len);
}

void hash_string(struct hash *h, const char *s)
{
	static const unsigned char null_mark[8] = { 255, 255, 255, 255, 255, 255, 255, 255 };

	if (s)
		hash_piece(h, s, strlen(s));
	else
		EVP_DigestUpdate(context(h), null_mark, sizeof(null_mark));
}

void hash_hex(struct hash *h, char out[HASH_HEX])
{
	unsigned char digest[32];

	EVP_DigestFinal_ex(context(h), digest, NULL);
	EVP_MD_CTX_free(context(h));
	to_hex(digest, out);
}

void hash_bytes_hex(const void *data, size_t len, char out[HASH_HEX])
{
	unsigned char digest[32];

	EVP_Digest(data, len, digest, NULL, EVP_sha256(), NULL);
	to_hex(digest, out);
}
