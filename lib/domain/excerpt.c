#include "domain/excerpt.h"

#include <string.h>

#include "ground/buf.h"

void excerpt_set(struct json *vars, const char *key, const char *text, size_t max)
{
	size_t len = text ? strlen(text) : 0;
	const char *from = text;
	struct buf kept;

	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	buf_init(&kept, max + 64);
	if (len > max) {
		from += len - max;
		while (((unsigned char)*from & 0xC0) == 0x80)
			from++; /* not in the middle of a character */
		buf_adds(&kept, "[...] ");
	}
	if (text)
		buf_add(&kept, from, len - (size_t)(from - text));
	json_set_string(vars, key, kept.data);
	buf_release(&kept);
}
