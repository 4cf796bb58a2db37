#include "ground/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <unistr.h>

#include "ground/mem.h"
#include "ground/progress.h"

enum { LINE_MAX_BYTES = 4096 };

/* What a terminal acts upon instead of showing it. */
static bool is_hidden(ucs4_t c)
{
	return c < 0x20 || (c >= 0x7F && c < 0xA0)  /* C0, DEL, C1 */
	       || c == 0x61C || c == 0x200E || c == 0x200F /* these turn the text's direction */
	       || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

void text_add_masked(struct buf *out, const char *text, size_t len, int multiline)
{
	while (len > 0) {
		ucs4_t c;
		int n = u8_mbtoucr(&c, (const uint8_t *)text, len);

		if (n > 0 && (c == '\n' || c == '\t'))
			buf_addc(out, multiline ? *text : ' ');
		else if (n > 0 && !is_hidden(c))
			buf_add(out, text, (size_t)n);
		else
			buf_addc(out, '?');
		n = n > 0 ? n : 1; /* of what is not UTF-8 a byte at a time is masked */
		text += n;
		len -= (size_t)n;
	}
}

void text_complain(const char *tool, const char *fmt, ...)
{
	char plain[LINE_MAX_BYTES]; /* the end of a longer message is lost, never all of it */
	struct buf line;
	va_list ap;

	buf_init(&line, 2 * LINE_MAX_BYTES);
	va_start(ap, fmt);
	if (vsnprintf(plain, sizeof(plain), fmt, ap) < 0)
		plain[0] = '\0';
	va_end(ap);
	buf_addf(&line, "%s: ", tool);
	text_add_masked(&line, plain, strlen(plain), 0);
	buf_addc(&line, '\n');
	progress_clear();
	/* One write, so that lines of parallel tools on one terminal do not mix. */
	if (write(STDERR_FILENO, line.data, line.len) < 0) {
		/* Nowhere left to complain to. */
	}
	buf_release(&line);
}

char *text_trimmed(const char *text, size_t len)
{
	while (len > 0 && strchr(" \t\n", text[len - 1]))
		len--;
	while (len > 0 && strchr(" \t\n", *text)) {
		text++;
		len--;
	}
	return mem_strndup(text, len);
}
