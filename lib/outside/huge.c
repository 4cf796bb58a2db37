#include "outside/huge.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* glibc 2.37 */
#endif

enum { PIECE = 2 << 20, LINE = 512 };

/* A private mapping that can be written and that no file is behind, or the heap. */
static int is_plain(const char *line)
{
	char mode[8], name[LINE] = "";

	if (sscanf(line, "%*s %7s %*s %*s %*s %511s", mode, name) < 1)
		return 0;
	return mode[1] == 'w' && mode[3] == 'p' && (!*name || strcmp(name, "[heap]") == 0);
}

void huge_gather(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[LINE];

	while (f && fgets(line, sizeof(line), f)) {
		unsigned long from, to;

		if (sscanf(line, "%lx-%lx", &from, &to) != 2 || !is_plain(line))
			continue;
		from = (from + PIECE - 1) & ~(unsigned long)(PIECE - 1);
		to &= ~(unsigned long)(PIECE - 1);
		/* One at a time: a range would end at the first piece that cannot be gathered. */
		for (; from < to; from += PIECE)
			madvise((void *)(uintptr_t)from, PIECE, MADV_COLLAPSE);
	}
	if (f)
		fclose(f);
}
