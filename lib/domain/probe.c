#include "domain/probe.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ground/mem.h"
#include "outside/child.h"

static const int64_t patience_ns = 60LL * 1000000000;

static int hear(const struct json *m, struct probe *p, struct err *e)
{
	const char *name = json_get_string(m, "device"), *arch = json_get_string(m, "target");
	const char *why = json_get_string(json_get(m, "error"), "message");
	const char *address = json_get_string(m, "pci");

	if (!name || !arch)
		return err_set(e, ERR_SOFTWARE, "the GPU cannot be used from this Python environment: "
			       "%s; build with PYTHON= of an environment whose torch knows it",
			       why ? why : "it does not answer");
	p->device = mem_strdup(name);
	p->target = mem_strdup(arch);
	p->pci = address ? mem_strdup(address) : NULL;
	p->compute_units = (int)json_get_int(m, "compute_units", 0);
	p->clock_mhz = (int)json_get_int(m, "clock_mhz", 0);
	p->memory_bytes = (uint64_t)json_get_int(m, "memory_bytes", 0);
	return 0;
}

/* What a child in that role answers: the caller frees it. NULL, with rc 0, when it says nothing. */
static int ask(struct zygote *z, const char *folder, bool copy, struct json **answer, struct err *e)
{
	struct box_limits limits = { .cpu_seconds = 60 };
	const int shared[BOX_SHARED] = { -1, -1, -1 };
	struct json *request = json_new_object();
	struct child child, *const one[] = { &child };
	size_t which;
	int rc;

	*answer = NULL;
	snprintf(limits.folder, sizeof(limits.folder), "%s", folder);
	json_set_string(request, "role", "probe");
	json_set_bool(request, "copy", copy);
	rc = child_start(&child, z, &limits, shared, request, e);
	json_free(request);
	if (rc)
		return rc;
	child_wait(one, 1, child_clock_ns() + patience_ns, &which, answer);
	child_end(&child);
	return 0;
}

int probe_gpu(struct zygote *z, const char *folder, struct probe *p, struct err *e)
{
	struct json *answer;
	int rc = ask(z, folder, false, &answer, e);

	*p = (struct probe){ .device = NULL };
	if (rc == 0)
		rc = hear(answer, p, e);
	json_free(answer);
	return rc;
}

double probe_copy(struct zygote *z, const char *folder)
{
	struct err ignored = ERR_INIT;
	struct json *answer;
	double gbs;

	ask(z, folder, true, &answer, &ignored);
	gbs = json_get_number(answer, "copy_gbs", NAN);
	json_free(answer);
	return gbs > 0 ? gbs : NAN;
}

void probe_release(struct probe *p)
{
	free(p->device);
	free(p->target);
	free(p->pci);
	*p = (struct probe){ .device = NULL };
}
