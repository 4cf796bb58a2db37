/*
 * Runs a fuzz target as an ordinary test: every file of its corpus, in TAP.
 * The corpus is tests/fuzz/corpus/NAME, found from the source tree that ROOT
 * or the current folder names; NAME is the program's own.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/buf.h"
#include "ground/mem.h"
#include "ground/paths.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
	const char *root = getenv("ROOT"), *name = strrchr(argv[0], '/');
	char *dir = mem_printf("%s/tests/fuzz/corpus/%s", root ? root : ".", name ? name + 1 : argv[0]);
	struct dirent **entries;
	int n = scandir(dir, &entries, NULL, alphasort), count = 0;

	(void)argc;
	if (n < 0) {
		printf("1..1\nnot ok 1 - %s cannot be read\n", dir);
		return 1;
	}
	for (int i = 0; i < n; i++) {
		char *path = mem_printf("%s/%s", dir, entries[i]->d_name);
		struct err e = ERR_INIT;
		struct buf text;

		buf_init(&text, 64 << 20);
		if (entries[i]->d_name[0] != '.') {
			int rc = paths_read(path, text.max, &text, &e);

			if (rc == 0)
				LLVMFuzzerTestOneInput((const uint8_t *)text.data, text.len);
			printf("%sok %d - %s\n", rc ? "not " : "", ++count, entries[i]->d_name);
		}
		buf_release(&text);
		free(path);
		free(entries[i]);
	}
	free(entries);
	free(dir);
	printf("1..%d\n", count);
	return count == 0;
}
