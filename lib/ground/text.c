#include "ground/text.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 4096 };

void text_add_masked(struct buf *out, const char *text, size_t len, int multiline)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\n' || c == '\t') {
			buf_addc(out, multiline ? (char)c : ' ');
		} else if (c < 0x20 || c == 0x7F) {
			buf_addc(out, '?');
		} else if (c == 0xC2 && i + 1 < len && (unsigned char)text[i + 1] >= 0x80
			   && (unsigned char)text[i + 1] <= 0x9F) {
			buf_addc(out, '?'); /* U+0080 to U+009F, among them CSI */
			i++;
		} else {
			buf_addc(out, (char)c);
		}
	}
}

void text_complain(const char *tool, const char *fmt, ...)
{
	struct buf plain, line;
	va_list ap;

	buf_init(&plain, LINE_MAX_BYTES);
	buf_init(&line, 2 * LINE_MAX_BYTES);
	va_start(ap, fmt);
	buf_vaddf(&plain, fmt, ap);
	va_end(ap);
	buf_addf(&line, "%s: ", tool);
	text_add_masked(&line, plain.data, plain.len, 0);
	buf_addc(&line, '\n');
	/* One write, so that lines of parallel tools on one terminal do not mix. */
	if (write(STDERR_FILENO, line.data, line.len) < 0) {
		/* Nowhere left to complain to. */
	}
	buf_release(&line);
	buf_release(&plain);
}
