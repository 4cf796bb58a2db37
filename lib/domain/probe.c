#include "domain/probe.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain/fault.h"
#include "ground/mem.h"
#include "outside/child.h"

static const double patience_s = 60;

/* -- one question */

/* The question is freed. */
static int start(struct child *child, struct zygote *z, const char *folder, struct json *question,
		 struct err *e)
{
	struct box_limits limits = { .cpu_seconds = 60 };
	const int shared[BOX_SHARED] = { -1, -1, -1 };
	int rc;

	snprintf(limits.folder, sizeof(limits.folder), "%s", folder);
	rc = child_start(child, z, &limits, shared, question, e);
	json_free(question);
	return rc;
}

/* The answer, which the caller frees, and the child's end; NULL when it says nothing. */
static struct json *hear(struct child *child, double seconds)
{
	struct child *const one[] = { child };
	struct json *answer = NULL;
	size_t which;

	child_wait(one, 1, child_clock_ns() + (int64_t)(seconds * 1e9), &which, &answer);
	child_end(child);
	return answer;
}

static struct json *question(const char *what, int number)
{
	struct json *q = json_new_object();

	json_set_string(q, "role", "probe");
	json_set_string(q, "what", what);
	if (number >= 0)
		json_set_int(q, "gpu", number);
	return q;
}

static struct json *ask(struct zygote *z, const char *folder, struct json *q, double seconds)
{
	struct err ignored = ERR_INIT;
	struct child child;

	return start(&child, z, folder, q, &ignored) ? NULL : hear(&child, seconds);
}

/* -- all of them */

int probe_count(struct zygote *z, const char *folder)
{
	struct json *answer = ask(z, folder, question("count", -1), patience_s);
	int n = (int)json_get_int(answer, "count", 0);

	json_free(answer);
	return n;
}

static int read_answer(const struct json *m, struct probe *p, struct err *e)
{
	const char *name = json_get_string(m, "device"), *arch = json_get_string(m, "target");
	const char *why = fault_words(json_get(m, "error"));
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

void probe_gpus(struct zygote *z, const char *folder, const int *numbers, size_t n, struct probe *p,
		struct err *e)
{
	struct child *children = mem_zalloc(n, sizeof(*children));

	for (size_t i = 0; i < n; i++)
		start(&children[i], z, folder, question("who", numbers[i]), &e[i]);
	for (size_t i = 0; i < n; i++) {
		struct json *answer = e[i].code ? NULL : hear(&children[i], patience_s);

		p[i] = (struct probe){ .device = NULL };
		if (!e[i].code)
			read_answer(answer, &p[i], &e[i]);
		json_free(answer);
	}
	free(children);
}

/* -- one of them */

double probe_copy(struct zygote *z, const char *folder, int number)
{
	struct json *answer = ask(z, folder, question("copy", number), patience_s);
	double gbs = json_get_number(answer, "copy_gbs", NAN);

	json_free(answer);
	return gbs > 0 ? gbs : NAN;
}

int probe_works(struct zygote *z, const char *folder, int number, const char *pretence,
		double seconds, struct err *e)
{
	struct json *q = question("works", number), *answer;
	struct child child;
	const char *why;
	int rc = 0;

	if (pretence)
		json_set_string(q, "pretence", pretence);
	if (start(&child, z, folder, q, e))
		return e->code;
	answer = hear(&child, seconds);
	why = fault_words(json_get(answer, "error"));
	if (!json_get_bool(answer, "works", false))
		rc = err_set(e, ERR_SOFTWARE, "it did not add a few numbers: %.*s",
			     why ? (int)strcspn(why, "\n") : 100, why ? why : "it does not answer");
	json_free(answer);
	return rc;
}

void probe_release(struct probe *p)
{
	free(p->device);
	free(p->target);
	free(p->pci);
	*p = (struct probe){ .device = NULL };
}
