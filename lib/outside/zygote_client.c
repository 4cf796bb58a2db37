/* The keeper's side of a zygote. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ground/mem.h"
#include "ground/paths.h"
#include "outside/box_request.h"
#include "outside/huge.h"
#include "outside/zygote.h"
#include "outside/zygote_wire.h"

enum {
	START_TRIES = 3,
	START_SECONDS = 300, /* over a slow network minutes pass until torch is read */
};

const char *const zygote_kind_names[] = { "interpreter", "compiler", "versions", NULL };

/* What a zygote, and so a candidate, may see of the environment: */
static const char *const allowed[] = {
	"PATH=", "LD_LIBRARY_PATH=", "TZ=", "GEAK_PYTHON=", "GEAK_DATADIR=",
	"OPENBLAS_", "CUDA_", "NVIDIA_", "HIP_", "ROCR_", "ROCM_", "HSA_", "GPU_DEVICE_ORDINAL=",
	"TRITON_PTXAS_PATH=", "TRITON_HIP_LLD_PATH=",
};

/* And never, whoever's it is: NVIDIA_API_KEY is for a service of models. */
static const char *const secret[] = { "KEY", "TOKEN", "SECRET", "PASS", "AUTH", "CREDENTIAL" };

static bool is_secret(const char *entry)
{
	size_t len = strcspn(entry, "=");

	for (size_t i = 0; i < sizeof(secret) / sizeof(*secret); i++)
		if (memmem(entry, len, secret[i], strlen(secret[i])))
			return true;
	return false;
}

static bool may_pass(const char *entry)
{
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		if (strncmp(entry, allowed[i], strlen(allowed[i])) == 0)
			return !is_secret(entry);
	return false;
}

/* The caller frees the array; its strings belong to the environment, to the caller (tmpdir and
 * bytecode, which may be NULL) or are constants. */
static const char **clean_environment(const struct zygote *z, const char *tmpdir, const char *bytecode)
{
	static const char *const ours[] = {
		"LC_ALL=C.UTF-8", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "PYTHONHASHSEED=0",
		/* LLVM takes and frees small pieces by the thousand: they wait in the thread's cache. */
		("GLIBC_TUNABLES=" HUGE_HEAP ":glibc.malloc.tcache_count=2000"),
#ifdef GEAK_ASAN
		/* A candidate must die as it does in any other build, of its signal or of a
		 * MemoryError; and what CPython keeps until the end is no leak. */
		("ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:use_sigaltstack=0:"
		 "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0"),
#endif
	};
	const size_t n_ours = sizeof(ours) / sizeof(*ours);
	size_t n = 0, count = 0;
	const char **env;

	while (environ[count])
		count++;
	env = mem_zalloc(count + n_ours + 6, sizeof(*env));
	for (size_t i = 0; i < count; i++)
		if (may_pass(environ[i]))
			env[n++] = environ[i];
	for (size_t i = 0; i < n_ours; i++)
		env[n++] = ours[i];
	env[n++] = tmpdir;
	if (z->kind == ZYGOTE_INTERPRETER)
		env[n++] = "TRITON_INTERPRET=1";
	if (z->profiles)
		env[n++] = "GEAK_PROFILE=1";
	if (z->compiles)
		env[n++] = "GEAK_COMPILE=1";
	if (bytecode)
		env[n++] = bytecode;
	return env;
}

/* Where compiled modules may be kept, for the environment; the caller frees it. NULL: nowhere, as where
 * a candidate could write there. */
static char *bytecode_variable(const struct zygote *z)
{
	struct err ignored = ERR_INIT;
	bool wanted = z->box != BOX_OFF && z->kind != ZYGOTE_VERSIONS;
	char *folder = wanted ? paths_cache("bytecode", false, &ignored) : NULL;
	char *variable = folder ? mem_printf("GEAK_BYTECODE=%s", folder) : NULL;

	free(folder);
	return variable;
}

static int spawn(struct zygote *z, int their_end)
{
	const char *argv[] = { "geak-eval", ZYGOTE_ARGUMENT, zygote_kind_names[z->kind],
			       box_mode_names[z->box], z->gpu ? "gpu" : "cpu", z->targets,
			       NULL };
	/* What Python leaves there when it is killed goes with the run's folder. */
	const char *outer = getenv("TMPDIR");
	char *tmpdir = mem_printf("TMPDIR=%s", z->folder ? z->folder : outer ? outer : "/tmp");
	char *bytecode = bytecode_variable(z);
	const char **env = clean_environment(z, tmpdir, bytecode);
	posix_spawn_file_actions_t actions;
	int rc;

	posix_spawn_file_actions_init(&actions);
	/* Standard output carries records; what Python prints while it imports is not one. */
	posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, their_end, ZYGOTE_CONTROL_FD);
	rc = posix_spawn(&z->pid, "/proc/self/exe", &actions, NULL,
			 (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)env);
	posix_spawn_file_actions_destroy(&actions);
	free(env);
	free(bytecode);
	free(tmpdir);
	return rc;
}

static int launch(struct zygote *z, struct err *e)
{
	int pair[2], their_end, rc;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_errno(e, ERR_SOFTWARE, "no socket for the judge's Python process");
	/* dup2() of a descriptor onto itself would leave close-on-exec set: move it out of the way. */
	their_end = fcntl(pair[1], F_DUPFD_CLOEXEC, ZYGOTE_CONTROL_FD + 1);
	rc = their_end < 0 ? errno : spawn(z, their_end);
	close(pair[1]);
	if (their_end >= 0)
		close(their_end);
	if (rc) {
		close(pair[0]);
		errno = rc;
		return err_errno(e, ERR_SOFTWARE, "the judge's Python process did not start");
	}
	z->control = pair[0];
	/* One that lives and reads nothing, being stopped, holds nobody up for ever. */
	setsockopt(z->control, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){ .tv_sec = START_SECONDS },
		   sizeof(struct timeval));
	return 0;
}

int zygote_start(struct zygote *z, struct err *e)
{
	*z = (struct zygote){ .kind = z->kind, .box = z->box, .gpu = z->gpu,
			     .profiles = z->profiles, .compiles = z->compiles,
			     .folder = z->folder, .targets = z->targets, .control = -1 };
	pthread_mutex_init(&z->lock, NULL);
	return launch(z, e);
}

static void end(struct zygote *z)
{
	if (z->control < 0)
		return;
	close(z->control);
	z->control = -1;
	kill(z->pid, SIGKILL);
	while (waitpid(z->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	json_free(z->versions);
	json_free(z->facts);
	z->versions = z->facts = NULL;
}

/* Whether it says something, or is gone, in the time that a start may take. */
static bool is_heard(const struct zygote *z)
{
	struct pollfd p = { .fd = z->control, .events = POLLIN };
	int n;

	do
		n = poll(&p, 1, START_SECONDS * 1000);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

/* What it says of itself once it has imported everything; 0 bytes when it is gone. */
static ssize_t greeting(const struct zygote *z, char *text, size_t size)
{
	ssize_t n;

	if (!is_heard(z))
		return snprintf(text, size, "!the judge's Python process was not ready within %d s; "
				"is the machine, or the disk, too busy?", START_SECONDS);
	do
		n = recv(z->control, text, size - 1, 0);
	while (n < 0 && errno == EINTR);
	text[n > 0 ? n : 0] = '\0';
	return n;
}

int zygote_ready(struct zygote *z, struct err *e)
{
	char text[ZYGOTE_GREETING_MAX];
	struct json *said;

	if (z->versions)
		return 0;
	for (int tries = 1; greeting(z, text, sizeof(text)) <= 0; tries++) {
		if (tries == START_TRIES)
			return err_set(e, ERR_SOFTWARE, "the judge's Python process ended while it was "
				       "starting, %d times; run `geak-eval " ZYGOTE_ARGUMENT
				       " compiler 3>&1` to see why", tries);
		end(z); /* without a word: somebody killed it */
		if (launch(z, e))
			return e->code;
	}
	if (text[0] == '!')
		return err_set(e, ERR_SOFTWARE, "%s", text + 1);
	said = json_parse(text, strlen(text), e);
	if (!said)
		return e->code;
	z->versions = json_dup(json_get(said, "versions"));
	z->facts = json_dup(json_get(said, "box"));
	z->boxed = json_get_bool(said, "boxed", false);
	json_free(said);
	return 0;
}

/* Ended by the machine's memory killer, say; its end of the socket is closed then. */
static bool is_gone(const struct zygote *z)
{
	struct pollfd p = { .fd = z->control };

	return z->control < 0 || (poll(&p, 1, 0) == 1 && p.revents & (POLLHUP | POLLERR));
}

static int revive(struct zygote *z, struct err *e)
{
	end(z);
	return launch(z, e) || zygote_ready(z, e) ? e->code : 0;
}

/* A fork that has not closed its copy of the socket yet keeps that open when the zygote is gone: it
 * takes requests then, but nobody answers. */
static bool answers(const struct zygote *z)
{
	char call[ZYGOTE_CALL_SIZE] = { 0 };

	return send(z->control, call, sizeof(call), MSG_NOSIGNAL) >= 0 && is_heard(z)
	       && recv(z->control, call, sizeof(call), 0) == (ssize_t)sizeof(call);
}

int zygote_revive(struct zygote *z, struct err *e)
{
	int rc;

	pthread_mutex_lock(&z->lock);
	rc = answers(z) ? 0 : revive(z, e);
	pthread_mutex_unlock(&z->lock);
	return rc;
}

int zygote_hatch(struct zygote *z, const struct box_limits *limits, const int fds[BOX_FDS],
		 struct err *e)
{
	int rc;

	pthread_mutex_lock(&z->lock); /* while one thread starts a new one, the others wait */
	rc = is_gone(z) ? revive(z, e) : 0;
	if (!rc && box_request_send(z->control, limits, fds))
		rc = err_errno(e, ERR_SOFTWARE, "the judge's Python process takes no request");
	pthread_mutex_unlock(&z->lock);
	return rc;
}

void zygote_stop(struct zygote *z)
{
	end(z);
}
