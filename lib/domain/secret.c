#include "domain/secret.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
	SECRET_MIN = 8,      /* bytes; a shorter one is a placeholder */
	BACKSLASHES_MAX = 8, /* before a character: JSON in JSON in JSON has seven */
};

/* The character at *at, which then stands behind it; -1 when that can be none of a secret's. JSON
 * writes '/' also as "\/" and as "\u002f", and "\\u002f" where one JSON holds another. */
static int take_character(const char *text, size_t len, size_t *at)
{
	size_t begin = *at, i = begin;
	char digits[3] = "";

	while (i < len && i - begin < BACKSLASHES_MAX && text[i] == '\\')
		i++;
	*at = i + 1;
	if (i == len)
		return -1;
	if (i == begin || text[i] == '/' || text[i] == '"')
		return (unsigned char)text[i];
	if (len - i < 5 || memcmp(text + i, "u00", 3) != 0)
		return -1;
	memcpy(digits, text + i + 3, 2);
	if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]))
		return -1;
	*at = i + 5;
	return (int)strtol(digits, NULL, 16);
}

/* How many bytes of text the secret takes up that it begins with; 0 when it does not. */
static size_t length_at(const char *secret, const char *text, size_t len)
{
	size_t at = 0;

	for (; *secret; secret++)
		if (at >= len || take_character(text, len, &at) != (unsigned char)*secret)
			return 0;
	return at;
}

/* Stars, but an escape stays one: that of a star, or of '/' or '"' as it was. */
static void cover(char *text, size_t len)
{
	static const char star[] = { 'u', '0', '0', '2', 'a' };

	for (size_t i = 0; i < len; i++) {
		if (text[i] != '\\') {
			text[i] = '*';
			continue;
		}
		while (text[i] == '\\')
			i++;
		if (text[i] == 'u') {
			memcpy(text + i, star, sizeof(star));
			i += sizeof(star) - 1;
		}
	}
}

void secret_hide(const char *secret, char *text, size_t len)
{
	size_t secret_len = secret ? strlen(secret) : 0;
	char *end = text + len, *found = text;

	if (secret_len < SECRET_MIN)
		return;
	/* One that has a backslash itself is found in this way alone. */
	for (; (found = memmem(found, (size_t)(end - found), secret, secret_len));
	     found += secret_len)
		memset(found, '*', secret_len);
	for (; text < end; text++)
		cover(text, length_at(secret, text, (size_t)(end - text)));
}
