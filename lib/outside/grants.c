#include "outside/grants.h"

#include <dirent.h>
#include <glob.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ground/mem.h"

void grants_init(struct grants *g, const char *hidden)
{
	*g = (struct grants){ .hidden = hidden ? realpath(hidden, NULL) : NULL };
}

void grants_release(struct grants *g)
{
	for (size_t i = 0; i < g->n; i++) {
		free((char *)(uintptr_t)g->v[i].path);
		free((char *)(uintptr_t)g->v[i].target);
	}
	free(g->v);
	free(g->hidden);
	*g = (struct grants){ 0 };
}

/* Whether path is folder, or lies somewhere in it. */
static bool is_within(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n]);
}

/* Where a link leads is granted too, so what is reached through it is. */
static bool is_covered(const struct grants *g, const char *path)
{
	for (size_t i = 0; i < g->n; i++)
		if (is_within(path, g->v[i].path))
			return true;
	return false;
}

static void append(struct grants *g, const char *path, const char *target, enum grant_kind kind)
{
	g->v = mem_realloc(g->v, (g->n + 1) * sizeof(*g->v));
	g->v[g->n++] = (struct grant){
		.path = mem_strdup(path), .target = target ? mem_strdup(target) : NULL, .kind = kind,
	};
}

static void add_contents(struct grants *g, const char *folder, enum grant_kind kind)
{
	DIR *dir = opendir(folder);
	const struct dirent *d;

	while (dir && (d = readdir(dir))) {
		char *path = mem_printf("%s/%s", folder, d->d_name);

		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			grants_add(g, path, kind);
		free(path);
	}
	if (dir)
		closedir(dir);
}

void grants_add(struct grants *g, const char *path, enum grant_kind kind)
{
	char *real = realpath(path, NULL);
	struct stat st;

	/* Whoever names the root means nothing by it. */
	if (real && real[1] && path[0] == '/' && !is_covered(g, path)) {
		if (g->hidden && is_within(g->hidden, real)) {
			if (strcmp(g->hidden, real) != 0)
				add_contents(g, real, kind);
		} else if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) {
			append(g, path, real, GRANT_LINK);
			grants_add(g, real, kind);
		} else {
			append(g, path, NULL, kind);
			if (strcmp(path, real) != 0)
				grants_add(g, real, kind);
		}
	}
	free(real);
}

static void add_all(struct grants *g, const char *const *patterns, enum grant_kind kind)
{
	for (; *patterns; patterns++) {
		glob_t found;

		if (glob(*patterns, 0, NULL, &found))
			continue;
		for (size_t i = 0; i < found.gl_pathc; i++)
			grants_add(g, found.gl_pathv[i], kind);
		globfree(&found);
	}
}

void grants_add_system(struct grants *g, bool gpu)
{
	static const char *const system[] = {
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
		"/nix/store", "/gnu/store",
		"/etc/alternatives", "/etc/ld.so.*", "/etc/localtime", "/etc/nsswitch.conf",
		"/etc/passwd", "/etc/group", "/etc/os-release", "/etc/OpenCL",
		"/opt/rocm*", "/opt/amdgpu*", "/opt/nvidia*", "/sys", NULL
	};
	static const char *const devices[] = {
		"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", NULL
	};
	static const char *const gpus[] = {
		"/dev/kfd", "/dev/dri", "/dev/nvidia*", "/dev/dxg", NULL
	};

	add_all(g, system, GRANT_READ);
	add_all(g, devices, GRANT_DEVICE);
	if (gpu)
		add_all(g, gpus, GRANT_DEVICE);
}
