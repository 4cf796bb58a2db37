#include "domain/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SHARED_MAX = 1 << 30 }; /* bytes of any file, shared memory too, without a GPU */

static const uint64_t memory_default = 4ULL << 30;

static const char *harness_of(const struct json *task)
{
	const char *harness = json_get_string(task, "harness");

	return harness ? harness : "function";
}

bool request_is_suite(const struct json *task)
{
	const char *harness = harness_of(task);

	return strcmp(harness, "script") == 0 || strcmp(harness, "pytest") == 0;
}

/* Which GPU, and what is to be known of it. */
static void add_device(struct json *r, const struct device *d)
{
	char *pretence = device_pretence(d);

	if (d->number != DEVICE_NONE)
		json_set_int(r, "gpu", d->number);
	if (pretence)
		json_set_string(r, "pretence", pretence);
	json_set_int(r, "flush_bytes", (int64_t)d->flush_bytes);
	free(pretence);
}

struct json *request_new(const struct judge *j, const struct device *d, const char *role,
			 const struct json *task)
{
	const struct judge_config *c = &j->config;
	struct json *r = json_new_object(), *targets = json_new_array();

	for (size_t i = 0; i < c->n_targets; i++)
		json_push(targets, json_new_string(c->targets[i]));
	json_set_string(r, "role", role);
	json_set_string(r, "device", c->use_gpu ? "cuda" : "cpu");
	json_set(r, "targets", targets);
	json_set_string(r, "harness", harness_of(task));
	if (d)
		add_device(r, d);
	json_copy(r, task, "entry");
	json_copy(r, task, "tests");
	json_copy(r, task, "result");
	return r;
}

/* Of the host's memory. With a GPU, candidates share half of what the machine has: a driver takes its
 * part in each of them. */
static uint64_t memory_limit(const struct judge *j)
{
	const struct judge_config *c = &j->config;
	uint64_t half, share;

	if (c->memory_bytes || !c->use_gpu)
		return c->memory_bytes ? c->memory_bytes : memory_default;
	half = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
	share = half / (c->jobs * j->n_devices);
	return share > memory_default ? share : memory_default;
}

struct box_limits request_limits(struct judge *j, bool trusted)
{
	const struct judge_config *c = &j->config;
	struct box_limits l = { 0 };

	if (!c->use_gpu) { /* a GPU's driver maps far more than it uses */
		l.address_space = true;
		l.file_bytes = SHARED_MAX;
	}
	if (!trusted) { /* the wall clock is the keeper's; this one stops what outlives even that */
		l.memory_bytes = memory_limit(j);
		l.cpu_seconds = (uint64_t)(4 * c->timeout_s) + 10;
	}
	pthread_mutex_lock(&j->lock);
	snprintf(l.folder, sizeof(l.folder), "%s/%lu", j->scratch.path, j->next_folder++);
	pthread_mutex_unlock(&j->lock);
	return l;
}

struct zygote *request_runner(struct judge *j)
{
	return j->config.use_gpu ? &j->compiler : &j->interpreter;
}

int request_memory(const char *name, bool sealable, struct err *e)
{
	int fd = memfd_create(name, sealable ? MFD_CLOEXEC | MFD_ALLOW_SEALING : MFD_CLOEXEC);

	if (fd < 0)
		err_errno(e, ERR_SOFTWARE, "no shared memory");
	return fd;
}
