#include "outside/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As in <linux/landlock.h>, which may be older than the kernel. */
enum {
	CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446,
	GET_VERSION = 1, PATH_BENEATH = 1,
};
enum {
	FS_EXECUTE = 1 << 0, FS_WRITE_FILE = 1 << 1, FS_READ_FILE = 1 << 2, FS_READ_DIR = 1 << 3,
	FS_IOCTL_DEV = 1 << 15,
	FS_ABI_1 = (1 << 13) - 1, /* and what later versions added: */
	FS_REFER = 1 << 13,       /* 2 */
	FS_TRUNCATE = 1 << 14,    /* 3 */
	NET_TCP = 3,              /* 4: bind and connect */
	SCOPES = 3,               /* 6: abstract sockets and signals; FS_IOCTL_DEV is 5 */
	FS_OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV,
};

struct ruleset {
	uint64_t fs, net, scoped;
};

struct path_rule {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

int landlock_abi(void)
{
	long abi = syscall(CREATE_RULESET, NULL, 0, GET_VERSION);

	return abi > 0 ? (int)abi : 0;
}

/* All that this kernel can forbid; what is not handled here would stay allowed. */
static struct ruleset everything(int abi)
{
	return (struct ruleset){
		.fs = FS_ABI_1 | (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0)
		      | (abi >= 5 ? FS_IOCTL_DEV : 0),
		.net = abi >= 4 ? NET_TCP : 0,
		.scoped = abi >= 6 ? SCOPES : 0,
	};
}

static uint64_t access_of(enum grant_kind kind)
{
	const uint64_t reading = FS_READ_FILE | FS_READ_DIR;

	switch (kind) {
	case GRANT_READ:
		return reading | FS_EXECUTE;
	case GRANT_DEVICE: /* CUDA truncates its threads' names in /proc */
		return reading | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV;
	case GRANT_ALL:
		return ~0ULL;
	case GRANT_LINK: /* leads to what has a rule of its own */
		break;
	}
	return 0;
}

/* A path that is not there needs no rule. */
static int allow(int ruleset, const struct grant *g, uint64_t handled)
{
	struct path_rule rule = { .allowed = access_of(g->kind) & handled };
	struct stat st;
	int rc;

	if (!rule.allowed)
		return 0;
	rule.parent = open(g->path, O_PATH | O_CLOEXEC);
	if (rule.parent < 0)
		return errno == ENOENT ? 0 : -1;
	if (fstat(rule.parent, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.allowed &= FS_OF_FILES;
	rc = (int)syscall(ADD_RULE, ruleset, PATH_BENEATH, &rule, 0);
	close(rule.parent);
	return rc;
}

int landlock_confine(const struct grants *g, const struct grant *own, size_t n)
{
	struct ruleset all = everything(landlock_abi());
	/* Each version takes a struct as long as it knows, and longer ones when the rest is 0. */
	int fd = (int)syscall(CREATE_RULESET, &all, sizeof(all), 0), rc = fd < 0 ? -1 : 0;

	for (size_t i = 0; !rc && i < g->n; i++)
		rc = allow(fd, &g->v[i], all.fs);
	for (size_t i = 0; !rc && i < n; i++)
		rc = allow(fd, &own[i], all.fs);
	if (!rc)
		rc = (int)syscall(RESTRICT_SELF, fd, 0);
	if (fd >= 0)
		close(fd);
	return rc;
}
