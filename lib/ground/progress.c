#include "ground/progress.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "ground/cli.h"

enum { LINE_MAX_BYTES = 256 };

static const double interval_s = 0.2;
static atomic_bool shown; /* any thread may complain, which clears the line */
static double last_s;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void progress_show(const char *fmt, ...)
{
	char text[LINE_MAX_BYTES];
	double now = now_s();
	va_list ap;

	if (cli_common.quiet || (last_s > 0 && now - last_s < interval_s)
	    || !isatty(STDERR_FILENO))
		return;
	last_s = now;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	shown = dprintf(STDERR_FILENO, "\r\033[K%s: %s", cli_tool(), text) > 0;
}

void progress_clear(void)
{
	if (shown && write(STDERR_FILENO, "\r\033[K", 4) == 4)
		shown = false;
}
