/*
 * forbid CALL COMMAND...: runs COMMAND where a system call is refused, as on a machine
 * whose administrator forbids it, or whose kernel has none.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned number;
} calls[] = {
	{ "unshare", SYS_unshare },
	{ "pidfd_open", SYS_pidfd_open },
	{ "landlock_restrict_self", 446 }, /* newer than the headers may be */
};

static int refuse(unsigned number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	       || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	size_t i = 0;

	while (argc > 2 && i < sizeof(calls) / sizeof(*calls) && strcmp(argv[1], calls[i].name) != 0)
		i++;
	if (argc < 3 || i == sizeof(calls) / sizeof(*calls))
		return 64;
	if (refuse(calls[i].number)) {
		perror("forbid");
		return 70;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 70;
}
