#include "domain/device_find.h"

#include <string.h>

#include "ground/mem.h"
#include "ground/text.h"

static const char interpreter_name[] = "cpu-interpreter";

/* What was found out about the GPUs that were named. */
struct survey {
	int numbers[DEVICES_MAX];
	size_t n;
	struct probe probes[DEVICES_MAX];
	struct err why[DEVICES_MAX];
};

static void release(struct survey *s)
{
	for (size_t i = 0; i < s->n; i++)
		probe_release(&s->probes[i]);
}

static void add_device(struct judge *j, int number)
{
	device_init(&j->devices[j->n_devices++], number, (long)j->config.jobs);
}

/* -- pretended ones: all are two */

static void pretend(struct judge *j)
{
	size_t n = j->config.all_gpus ? 2 : j->config.n_gpus;

	for (size_t i = 0; i < n; i++) {
		int number = j->config.all_gpus ? (int)i : j->config.gpus[i];

		add_device(j, number);
		j->devices[i].gpu.pci = mem_printf("0000:%02x:00.0", (unsigned)number);
	}
}

/* -- real ones */

static int restart_compiler(struct judge *j, enum box_mode box, struct err *e)
{
	zygote_stop(&j->compiler);
	j->config.box = j->compiler.box = j->interpreter.box = box;
	return zygote_start(&j->compiler, e) || zygote_ready(&j->compiler, e) ? e->code : 0;
}

static void name_numbers(struct judge *j, struct survey *s)
{
	const struct judge_config *c = &j->config;
	int n;

	s->n = c->n_gpus;
	memcpy(s->numbers, c->gpus, sizeof(s->numbers));
	if (!c->all_gpus)
		return;
	n = probe_count(&j->compiler, j->scratch.path);
	s->n = n < 1 ? 1 : n > DEVICES_MAX ? DEVICES_MAX : (size_t)n;
	for (size_t i = 0; i < s->n; i++)
		s->numbers[i] = (int)i;
}

/* 0 when one of them works; else the first's reason. */
static int ask(struct judge *j, struct survey *s, struct err *e)
{
	*s = (struct survey){ .n = 0 };
	name_numbers(j, s);
	probe_gpus(&j->compiler, j->scratch.path, s->numbers, s->n, s->probes, s->why);
	for (size_t i = 0; i < s->n; i++)
		if (!s->why[i].code)
			return 0;
	*e = s->why[0];
	return e->code;
}

/* A driver may want what the sandbox has not. -1 when it is not the sandbox that it lacks;
 * then everything is as it was before. */
static int ask_unboxed(struct judge *j, struct survey *s, struct err *e)
{
	struct err why = ERR_INIT;

	if (restart_compiler(j, BOX_OFF, e))
		return e->code;
	if (ask(j, s, &why) == 0)
		return 0;
	return restart_compiler(j, BOX_AUTO, e) ? e->code : -1;
}

/* Verdicts of one run are of one kind of device; and two that are at the same place are one, to
 * which a number was lost on the way. */
static bool fits(const struct judge *j, const struct survey *s, size_t i)
{
	const struct probe *new = &s->probes[i], *first = &j->devices[0].gpu;

	if (j->n_devices && strcmp(new->device, first->device) != 0) {
		text_complain("geak-eval", "GPU %d is left out: it is of another kind (%s) than GPU %d "
			      "(%s); give it a run of its own", s->numbers[i], new->device,
			      j->devices[0].number, first->device);
		return false;
	}
	for (size_t k = 0; k < j->n_devices; k++) {
		const struct device *d = &j->devices[k];

		if (!new->pci || !d->gpu.pci || strcmp(new->pci, d->gpu.pci) != 0)
			continue;
		text_complain("geak-eval", "GPU %d is left out: it is the same as GPU %d (%s), says "
			      "its driver", s->numbers[i], d->number, new->pci);
		return false;
	}
	return true;
}

/* Those that work become the judge's. */
static void keep(struct judge *j, struct survey *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->why[i].code) {
			text_complain("geak-eval", "GPU %d is left out: %s", s->numbers[i],
				      s->why[i].text);
		} else if (fits(j, s, i)) {
			add_device(j, s->numbers[i]);
			j->devices[j->n_devices - 1].gpu = s->probes[i];
			s->probes[i] = (struct probe){ .device = NULL };
		}
	}
	j->device = j->devices[0].gpu.device;
}

static int find_gpus(struct judge *j, struct survey *s, struct err *e)
{
	struct err why = ERR_INIT;

	if (zygote_start(&j->compiler, e) || zygote_ready(&j->compiler, e))
		return e->code;
	if (ask(j, s, &why) == 0)
		return 0;
	if (j->config.box == BOX_AUTO && ask_unboxed(j, s, e) == 0) {
		text_complain("geak-eval", "the GPU cannot be used inside the sandbox (%s); going on "
			      "without one, which the records say", why.text);
		return 0;
	}
	if (e->code)
		return e->code;
	if (j->config.need_gpu)
		return err_set(e, ERR_SOFTWARE, "%s", why.text);
	text_complain("geak-eval", "%s; going on with the interpreter", why.text);
	j->config.use_gpu = false;
	return 0;
}

int device_find(struct judge *j, struct err *e)
{
	struct survey s = { .n = 0 };

	j->devices = mem_zalloc(DEVICES_MAX, sizeof(*j->devices));
	j->device = interpreter_name;
	if (device_pretended()) {
		pretend(j);
		return 0;
	}
	if (j->config.use_gpu && find_gpus(j, &s, e) == 0 && j->config.use_gpu)
		keep(j, &s);
	else if (!e->code)
		add_device(j, DEVICE_NONE);
	release(&s);
	return e->code;
}
