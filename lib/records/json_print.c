/*
 * Printing, straight into a buffer and each string in one pass. It is what a stage that passes
 * records on spends most of its time with; the library's own printer goes over each string
 * twice and byte by byte, into a buffer that has to be copied afterwards.
 */
#include "records/json.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "records/json_item.h"

/* The letter that follows a backslash for each byte that cannot stand for itself; 'u' for one
 * that has no letter of its own, 0 for all others. */
static const char escapes[256] = {
	['"'] = '"', ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r',
	['\t'] = 't', [0x00] = 'u', [0x01] = 'u', [0x02] = 'u', [0x03] = 'u', [0x04] = 'u',
	[0x05] = 'u', [0x06] = 'u', [0x07] = 'u', [0x0b] = 'u', [0x0e] = 'u', [0x0f] = 'u',
	[0x10] = 'u', [0x11] = 'u', [0x12] = 'u', [0x13] = 'u', [0x14] = 'u', [0x15] = 'u',
	[0x16] = 'u', [0x17] = 'u', [0x18] = 'u', [0x19] = 'u', [0x1a] = 'u', [0x1b] = 'u',
	[0x1c] = 'u', [0x1d] = 'u', [0x1e] = 'u', [0x1f] = 'u',
};

static void print_string(const char *s, struct buf *out)
{
	buf_addc(out, '"');
	for (;;) {
		const char *run = s;

		while (!escapes[(unsigned char)*s])
			s++;
		buf_add(out, run, (size_t)(s - run));
		if (!*s)
			break;
		buf_addc(out, '\\');
		buf_addc(out, escapes[(unsigned char)*s]);
		if (escapes[(unsigned char)*s] == 'u')
			buf_addf(out, "%04x", (unsigned char)*s);
		s++;
	}
	buf_addc(out, '"');
}

static void print_value(const cJSON *c, struct buf *out)
{
	bool object = cJSON_IsObject(c);

	if (cJSON_IsString(c)) {
		print_string(c->valuestring, out);
	} else if (cJSON_IsRaw(c)) {
		buf_adds(out, c->valuestring);
	} else if (object || cJSON_IsArray(c)) {
		buf_addc(out, object ? '{' : '[');
		for (const cJSON *m = c->child; m; m = m->next) {
			if (object) {
				print_string(m->string, out);
				buf_addc(out, ':');
			}
			print_value(m, out);
			if (m->next)
				buf_addc(out, ',');
		}
		buf_addc(out, object ? '}' : ']');
	} else {
		buf_adds(out, cJSON_IsTrue(c) ? "true" : cJSON_IsFalse(c) ? "false" : "null");
	}
}

int json_print(const struct json *j, struct buf *out)
{
	size_t before = out->len;

	if (j)
		print_value(json_item(j), out);
	if (j && !buf_overflowed(out))
		return 0;
	buf_truncate(out, before);
	return -1;
}
