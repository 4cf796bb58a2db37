#include "outside/harness.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "ground/mem.h"
#include "ground/paths.h"

enum { FILE_MAX = 1 << 20 };

static int is_python(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && strcmp(dot, ".py") == 0;
}

static int add_file(struct hash *h, const char *folder, const char *name, struct err *e)
{
	char *path = mem_printf("%s/%s", folder, name);
	struct buf text;

	buf_init(&text, FILE_MAX);
	if (paths_read(path, FILE_MAX, &text, e) == 0) {
		hash_string(h, name);
		hash_piece(h, text.data, text.len);
	}
	buf_release(&text);
	free(path);
	return e->code;
}

int harness_digest(char out[HASH_HEX], struct err *e)
{
	char *folder = paths_data("lib/harness/geak_harness", e);
	struct dirent **files;
	struct hash *h;
	int n;

	if (!folder)
		return e->code;
	n = scandir(folder, &files, is_python, alphasort);
	if (n < 0) {
		err_errno(e, ERR_SOFTWARE, "%s cannot be read", folder);
		free(folder);
		return e->code;
	}
	h = hash_new();
	for (int i = 0; i < n; i++) {
		if (!e->code)
			add_file(h, folder, files[i]->d_name, e);
		free(files[i]);
	}
	hash_hex(h, out);
	free(files);
	free(folder);
	return e->code;
}
