/*
 * What a child may see of the file system: a list of paths that the mounts
 * (outside/space.h) and Landlock (outside/landlock.h) both go by. What is not
 * listed is not there. A struct grants owns its paths.
 */
#ifndef GEAK_OUTSIDE_GRANTS_H
#define GEAK_OUTSIDE_GRANTS_H

#include <stdbool.h>
#include <stddef.h>

enum grant_kind {
	GRANT_READ,   /* a file or a folder with all that is in it, to read and to execute */
	GRANT_DEVICE, /* a device node, or a folder of them, to read and write */
	GRANT_ALL,    /* a folder in which anything may be done */
	GRANT_LINK,   /* a symbolic link; where it leads is granted by itself */
};

struct grant {
	const char *path;   /* absolute */
	const char *target; /* of a link: where it leads in the end */
	enum grant_kind kind;
};

struct grants {
	struct grant *v;
	size_t n;
	char *hidden; /* a folder that is left out of what is granted round it, or NULL */
};

/* Takes a copy of hidden. */
void grants_init(struct grants *g, const char *hidden);
void grants_release(struct grants *g);

/* Adds a path, and where it leads; one that does not exist, is not absolute or is
 * covered already is passed over. */
void grants_add(struct grants *g, const char *path, enum grant_kind kind);

/* What every program needs: libraries, tools, the settings of the loader, /dev/null and
 * its like; with a GPU its libraries' folders and device nodes. */
void grants_add_system(struct grants *g, bool gpu);

#endif
