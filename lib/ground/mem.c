#include "ground/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/err.h"

static void *check(void *p)
{
	if (!p) {
		fputs("geak: out of memory; close other programs or lower -j\n", stderr);
		_Exit(err_exit_status(ERR_SOFTWARE));
	}
	return p;
}

void *mem_alloc(size_t size)
{
	return check(malloc(size ? size : 1));
}

void *mem_zalloc(size_t count, size_t size)
{
	return check(calloc(count ? count : 1, size ? size : 1));
}

void *mem_realloc(void *old, size_t size)
{
	return check(realloc(old, size ? size : 1));
}

char *mem_strdup(const char *s)
{
	return check(strdup(s));
}

char *mem_strndup(const char *s, size_t len)
{
	return check(strndup(s, len));
}

char *mem_printf(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	return check(n < 0 ? NULL : text);
}
