#include "outside/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ground/fd.h"
#include "ground/mem.h"

/* By name: libseccomp passes over those that an architecture, or its own version, lacks. */
static const char *const refused[] = {
	/* other processes */
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp",
	"pidfd_getfd",
	/* memory that no limit of a process counts, and that nobody needs */
	"shmget",
	/* mounts, namespaces, and files by number */
	"mount", "umount", "umount2", "pivot_root", "chroot", "setns", "unshare", "open_tree",
	"open_tree_attr", "move_mount", "mount_setattr", "fsopen", "fsconfig", "fsmount", "fspick",
	"name_to_handle_at", "open_by_handle_at", "quotactl", "quotactl_fd", "fanotify_init",
	/* the kernel and the machine */
	"bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key",
	"io_uring_setup", "io_uring_enter", "io_uring_register", "kexec_load",
	"kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "swapon",
	"swapoff", "acct", "syslog", "iopl", "ioperm", "modify_ldt", "lookup_dcookie",
	"settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname",
	"setdomainname", "vhangup", "uselib", "nfsservctl", "_sysctl", "memfd_secret",
};

static struct sock_fprog program;

static int refuse(scmp_filter_ctx c, const char *name, int error)
{
	int nr = seccomp_syscall_resolve_name(name);

	/* Calls of another architecture have numbers of libseccomp's own, below 0. */
	return nr < 0 ? 0 : seccomp_rule_add(c, SCMP_ACT_ERRNO((uint16_t)error), nr, 0);
}

/* A pair of connected sockets can be made all the same. CUDA wants one that is of this
 * machine; there is nobody in the child's root to connect it with. */
static int refuse_sockets(scmp_filter_ctx c, bool gpu)
{
	return gpu ? seccomp_rule_add(c, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 1,
				      SCMP_A0(SCMP_CMP_NE, AF_UNIX, 0))
		   : refuse(c, "socket", EPERM);
}

/* Where no namespace hides them: others' limits and priorities, and a signal to everybody. */
static int refuse_others(scmp_filter_ctx c)
{
	const uint64_t all = 0xffffffff; /* -1, as the kernel reads it */
	int rc = seccomp_rule_add(c, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prlimit64), 1,
				  SCMP_A0(SCMP_CMP_NE, 0, 0));

	if (!rc)
		rc = seccomp_rule_add(c, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(setpriority), 1,
				      SCMP_A1(SCMP_CMP_NE, 0, 0));
	if (!rc)
		rc = seccomp_rule_add(c, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(kill), 1,
				      SCMP_A0(SCMP_CMP_MASKED_EQ, all, all));
	return rc;
}

static int add_rules(scmp_filter_ctx c, bool gpu)
{
	static const uint64_t spaces[] = {
		CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS,
		CLONE_NEWCGROUP,
	};
	const uint64_t query = 0xffffffff; /* asks for the personality, and changes none */
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(refused) / sizeof(*refused); i++)
		rc = refuse(c, refused[i], EPERM);
	if (!rc)
		rc = refuse_others(c);
	if (!rc)
		rc = refuse_sockets(c, gpu);
	if (!rc && !gpu) /* no limit counts it once it is not mapped; libraries can do without */
		rc = refuse(c, "memfd_create", ENOSYS);
	for (size_t i = 0; !rc && i < sizeof(spaces) / sizeof(*spaces); i++)
		rc = seccomp_rule_add(c, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
				      SCMP_A0(SCMP_CMP_MASKED_EQ, spaces[i], spaces[i]));
	if (!rc) /* its flags lie in memory, out of a filter's sight; libc then takes clone() */
		rc = refuse(c, "clone3", ENOSYS);
	if (!rc)
		rc = seccomp_rule_add(c, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(personality), 1,
				      SCMP_A0(SCMP_CMP_NE, query, 0));
	return rc;
}

/* The library writes a program into a file only (until 2.6). */
static bool export(scmp_filter_ctx c)
{
	int fd = memfd_create("filter", MFD_CLOEXEC);
	struct stat st;
	bool good = fd >= 0 && seccomp_export_bpf(c, fd) == 0 && fstat(fd, &st) == 0;

	if (good) {
		program.len = (unsigned short)((size_t)st.st_size / sizeof(struct sock_filter));
		program.filter = mem_alloc((size_t)st.st_size);
		good = fd_read_at(fd, program.filter, (size_t)st.st_size, 0) == 0;
	}
	if (fd >= 0)
		close(fd);
	return good;
}

bool seccomp_prepare(bool gpu)
{
	scmp_filter_ctx c;
	bool good;

	/* The kernel says "bad address" to a filter at NULL only where it knows filters. */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == 0 || errno != EFAULT)
		return false;
	c = seccomp_init(SCMP_ACT_ALLOW);
	if (!c)
		return false;
	/* A tree in place of a list: fewer instructions before an ordinary call is let through. */
	seccomp_attr_set(c, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	good = add_rules(c, gpu) == 0 && export(c);
	seccomp_release(c);
	return good;
}

int seccomp_confine(void)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
