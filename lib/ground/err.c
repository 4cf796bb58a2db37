#include "ground/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A cut in the middle of a UTF-8 sequence would make the line invalid. */
static void trim_partial_utf8(char *text, size_t len)
{
	size_t start = len;

	while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
		start--;
	if (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0xC0)
		text[start - 1] = '\0';
}

__attribute__((format(printf, 2, 0)))
static void format(struct err *e, const char *fmt, va_list ap)
{
	int n = vsnprintf(e->text, sizeof(e->text), fmt, ap);

	if (n < 0)
		e->text[0] = '\0';
	else if ((size_t)n >= sizeof(e->text))
		trim_partial_utf8(e->text, sizeof(e->text) - 1);
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	e->code = code;
	va_start(ap, fmt);
	format(e, fmt, ap);
	va_end(ap);
	return code;
}

int err_errno(struct err *e, int code, const char *fmt, ...)
{
	const char *why = strerror(errno);
	va_list ap;
	size_t len;

	if (!e)
		return code;
	e->code = code;
	va_start(ap, fmt);
	format(e, fmt, ap);
	va_end(ap);
	/* The reason is worth more than the end of a long name. */
	len = strlen(e->text);
	if (len + strlen(why) + 2 >= sizeof(e->text) && strlen(why) < sizeof(e->text) / 2) {
		len = sizeof(e->text) - strlen(why) - 3;
		e->text[len] = '\0';
		trim_partial_utf8(e->text, len);
		len = strlen(e->text);
	}
	snprintf(e->text + len, sizeof(e->text) - len, ": %s", why);
	return code;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
	struct err old;
	va_list ap;
	size_t len;

	if (!e)
		return 0;
	old = *e;
	va_start(ap, fmt);
	format(e, fmt, ap);
	va_end(ap);
	len = strlen(e->text);
	if ((size_t)snprintf(e->text + len, sizeof(e->text) - len, ": %s", old.text)
	    >= sizeof(e->text) - len)
		trim_partial_utf8(e->text, sizeof(e->text) - 1);
	return e->code;
}

int err_exit_status(int code)
{
	return code < 0 ? -code : code;
}
