#include "ground/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ground/mem.h"

/* From the folder of the binary: PREFIX/bin, or build/VARIANT of a source tree. */
static const char *const candidates[] = { "../share/geak", "../..", ".." };

static char *binary_dir(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return mem_strdup(path);
}

static char *find_root(void)
{
	const char *chosen = getenv("GEAK_DATADIR");
	char *bin, *root = NULL;

	if (chosen && *chosen)
		return mem_strdup(chosen);
	bin = binary_dir();
	for (size_t i = 0; bin && !root && i < sizeof(candidates) / sizeof(*candidates); i++) {
		char *probe = mem_printf("%s/%s/tasks", bin, candidates[i]);

		if (access(probe, F_OK) == 0)
			root = mem_printf("%s/%s", bin, candidates[i]);
		free(probe);
	}
	free(bin);
	return root;
}

char *paths_data(const char *relative, struct err *e)
{
	char *root = find_root(), *tidy, *path;

	if (!root) {
		err_set(e, ERR_SOFTWARE, "the prompts and tasks that belong to geak were not found "
			"beside the program; set GEAK_DATADIR to the folder that holds them");
		return NULL;
	}
	tidy = realpath(root, NULL);
	path = mem_printf("%s/%s", tidy ? tidy : root, relative);
	free(tidy);
	free(root);
	return path;
}

char *paths_tool(const char *name)
{
	char *bin = binary_dir(), *path = bin ? mem_printf("%s/%s", bin, name) : NULL;

	free(bin);
	if (path && access(path, X_OK) == 0)
		return path;
	free(path);
	return mem_strdup(name);
}

/* Nobody else's: replies may hold what a company calls its own. */
static int make_folder(const char *path, struct err *e)
{
	if (mkdir(path, 0700) && errno != EEXIST)
		return err_errno(e, ERR_USAGE, "%s cannot be made", path);
	return 0;
}

char *paths_cache(const char *name, bool make, struct err *e)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *base, *folder, *path = NULL;

	/* The XDG base directory specification has a relative path ignored. */
	if (xdg && *xdg == '/') {
		base = mem_strdup(xdg);
	} else if (home && *home == '/') {
		base = mem_printf("%s/.cache", home);
	} else {
		err_set(e, ERR_USAGE, "neither XDG_CACHE_HOME nor HOME is set");
		return NULL;
	}
	folder = mem_printf("%s/geak", base);
	if (!make || (!make_folder(base, e) && !make_folder(folder, e)))
		path = mem_printf("%s/%s", folder, name);
	free(folder);
	free(base);
	return path;
}

int paths_read(const char *path, size_t max, struct buf *out, struct err *e)
{
	enum { CHUNK = 64 * 1024 };
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
	ssize_t n;

	if (fd < 0)
		return err_errno(e, ERR_IO, "%s cannot be opened", path);
	do {
		char chunk[CHUNK];

		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			rc = err_errno(e, ERR_IO, "%s cannot be read", path);
		else if (out->len + (size_t)n > max || buf_add(out, chunk, (size_t)n))
			rc = err_set(e, ERR_IO, "%s is larger than the %zu bytes allowed for it",
				     path, max);
	} while (!rc && n != 0);
	close(fd);
	return rc;
}
