/*
 * The file system as a child sees it: a root of its own, empty but for what was
 * granted, each at its usual place and not to be written to. Nothing else has a name
 * there, so nothing else can be opened.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ground/mem.h"
#include "outside/space.h"

static const char site[] = "/tmp"; /* where the new root is built; any folder would do */

static const char *folder_here = "/tmp";
static int mounts_here = -1;

const char *space_folder(void)
{
	return folder_here;
}

/* The path in the new root; the caller frees it. Folders that lead to it are made. */
static char *place(const char *path)
{
	char *at = mem_printf("%s%s", site, path);

	for (char *slash = at + sizeof(site); (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(at, 0755);
		*slash = '/';
	}
	return at;
}

/* Links are told by where they lead in the end: they may lie below what is covered by now. */
static int make_link(const struct grant *g)
{
	char *at = place(g->path);
	int rc = symlink(g->target, at);

	free(at);
	return rc;
}

/* A copy of the mounts at path that hangs nowhere yet; -1 when there is none. */
static int take_tree(const struct grant *g)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_NOSUID
			    | (g->kind == GRANT_READ ? MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV : 0),
	};
	int fd = open_tree(AT_FDCWD, g->path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);

	if (fd >= 0 && mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int hang_tree(int *tree, const char *path)
{
	char *at = place(path);
	struct stat st;
	int rc = fstat(*tree, &st);

	if (!rc && S_ISDIR(st.st_mode))
		rc = mkdir(at, 0755) && errno != EEXIST;
	else if (!rc)
		rc = mknod(at, S_IFREG | 0444, 0) && errno != EEXIST;
	if (!rc)
		rc = move_mount(*tree, "", AT_FDCWD, at, MOVE_MOUNT_F_EMPTY_PATH);
	free(at);
	close(*tree);
	*tree = -1;
	return rc ? -1 : 0;
}

/* Closes what was not hung. */
static void drop_trees(int *trees, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (trees[i] >= 0)
			close(trees[i]);
	free(trees);
}

static int *take_trees(const struct grants *g)
{
	int *trees = mem_alloc((g->n + 1) * sizeof(*trees));

	for (size_t i = 0; i < g->n; i++) {
		bool link = g->v[i].kind == GRANT_LINK;

		trees[i] = link ? -1 : take_tree(&g->v[i]);
		if (!link && trees[i] < 0) {
			drop_trees(trees, i);
			return NULL;
		}
	}
	return trees;
}

static int make_mount_points(void)
{
	const char *const points[] = { "/proc", "/tmp", folder_here, "/dev/shm" };

	for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++) {
		char *at = place(points[i]);
		int rc = mkdir(at, 0755);

		free(at);
		if (rc && errno != EEXIST)
			return -1;
	}
	return 0;
}

static int build(const struct grants *g, int *trees)
{
	int rc = 0;

	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].kind == GRANT_LINK)
			rc |= make_link(&g->v[i]);
	for (size_t i = 0; i < g->n; i++)
		if (trees[i] >= 0)
			rc |= hang_tree(&trees[i], g->v[i].path);
	return rc || make_mount_points() || space_mount_proc("/tmp/proc") ? -1 : 0;
}

/* From the old root into the new one; what is left of the old one goes. */
static int move_in(void)
{
	return chdir(site) || syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH)
		       || chdir("/")
		       || mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID, NULL)
	       ? -1 : 0;
}

bool space_narrow(const struct grants *g)
{
	int *trees = space_here.pid ? take_trees(g) : NULL;

	if (!trees)
		return false;
	for (size_t i = 0; i < g->n; i++)
		if (strncmp(g->v[i].path, "/tmp/", 5) == 0)
			folder_here = "/scratch";
	if (mount("geak", site, "tmpfs", MS_NOSUID, "mode=0755,size=1m") == 0) {
		if (build(g, trees) == 0 && move_in() == 0)
			space_here.mount = true;
		else if (chdir("/") || umount2(site, MNT_DETACH))
			_exit(1); /* between two roots nothing can be trusted */
	}
	drop_trees(trees, g->n);
	if (space_here.mount)
		mounts_here = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	return space_here.mount;
}

static int mount_private(const char *path, uint64_t bytes)
{
	char options[96];

	snprintf(options, sizeof(options), "mode=0700,nr_inodes=65536,size=%llu",
		 (unsigned long long)bytes);
	return mount("geak", path, "tmpfs", MS_NOSUID | MS_NODEV, options);
}

int space_furnish(const char *folder, uint64_t bytes)
{
	if (space_here.pid && (unshare(CLONE_NEWNS | CLONE_NEWIPC) || space_mount_proc("/proc")))
		return -1;
	if (!space_here.mount)
		return (mkdir(folder, 0700) && errno != EEXIST) || chdir(folder) ? -1 : 0;
	return mount_private(folder_here, bytes) || mount_private("/dev/shm", bytes) ? -1
	       : chdir(folder_here);
}

int space_mounts(void)
{
	return mounts_here;
}

int space_leave(int mounts)
{
	return setns(mounts, CLONE_NEWNS);
}

/* A process, or a link into one. */
static bool is_of_process(const struct dirent *d)
{
	return d->d_type == DT_LNK || d->d_name[strspn(d->d_name, "0123456789")] == '\0';
}

static int make_read_only(const char *path)
{
	return mount(path, path, NULL, MS_BIND, NULL)
		       || mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID
				| MS_NODEV | MS_NOEXEC, NULL)
	       ? -1 : 0;
}

const char *space_guard_proc(void)
{
	static char path[32 + sizeof(((struct dirent *)NULL)->d_name)] = "/proc";
	DIR *dir = space_here.mount ? opendir("/proc") : NULL;
	const struct dirent *d;
	bool good = dir;
	int error = space_here.mount ? errno : EPERM;

	while (good && (d = readdir(dir))) {
		if (d->d_name[0] == '.' || is_of_process(d))
			continue;
		snprintf(path, sizeof(path), "/proc/%s", d->d_name);
		good = make_read_only(path) == 0;
		error = errno;
	}
	if (dir)
		closedir(dir);
	space_here.proc = good;
	errno = error;
	return good ? NULL : path;
}
