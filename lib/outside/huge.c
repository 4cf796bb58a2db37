#include "outside/huge.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* glibc 2.37 */
#endif

enum { PIECE = 2 << 20, RESERVE = 32 << 20, LINE = 512 };

static void *map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static uintptr_t up(uintptr_t address)
{
	return (address + PIECE - 1) & ~(uintptr_t)(PIECE - 1);
}

void *huge_alloc(size_t size)
{
	static char *at, *end;
	char *reserve;

	if ((size_t)(end - at) < size && (reserve = map(RESERVE + PIECE))) {
		at = reserve + (up((uintptr_t)reserve) - (uintptr_t)reserve);
		end = at + RESERVE;
		madvise(at, RESERVE, MADV_HUGEPAGE);
	}
	if ((size_t)(end - at) < size) /* it is short of address space, or asks for much */
		return map(size);
	at += size;
	return at - size;
}

void huge_free(void *piece, size_t size)
{
	munmap(piece, size);
}

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
		from = up(from);
		to &= ~(unsigned long)(PIECE - 1);
		/* One at a time: a range would end at the first piece that cannot be gathered. */
		for (; from < to; from += PIECE)
			madvise((void *)(uintptr_t)from, PIECE, MADV_COLLAPSE);
	}
	if (f)
		fclose(f);
}
