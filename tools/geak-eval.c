/* geak-eval: candidates in, candidates with a verdict out. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "domain/arch.h"
#include "domain/devices.h"
#include "domain/judge.h"
#include "domain/judging.h"
#include "domain/object_file.h"
#include "domain/queue.h"
#include "ground/cli.h"
#include "ground/mem.h"
#include "ground/output.h"
#include "outside/gpu.h"
#include "outside/py.h"
#include "records/stream.h"

enum {
	JOBS_MAX = JUDGING_WORKERS_MAX,
	GPU_NUMBERS = 1000, /* more than any machine has */
};

struct options {
	struct judge_config judge;
	enum { DEVICE_AUTO, DEVICE_CPU, DEVICE_GPU } device;
	long jobs;
	bool unordered, lint, list_devices;
	char *targets[JUDGE_TARGETS_MAX]; /* what judge.targets points to */
	char **inputs;
};

enum {
	OPT_CACHE = 256, OPT_SEED, OPT_SAVE, OPT_MEMORY, OPT_UNORDERED, OPT_DEVICE, OPT_LINT,
	OPT_SANDBOX, OPT_LIST_DEVICES, OPT_BASELINE, OPT_DEVICES, OPT_PROFILE,
	OPT_NO_OBJECTS,
};

static const struct argp_option option_list[] = {
	{ "targets", 't', "LIST", 0, "Architectures to compile for, or GPUs, as mi300x; comma-separated, the first "
	  "one decides (default: the GPU's own, else gfx942,gfx90a,gfx950,sm_90)", 0 },
	{ "timeout", 'T', "SECONDS", 0, "Time for the candidate's run (default 60)", 0 },
	{ "jobs", 'j', "N", 0, "Judged at once on each device (default: processors; 1 on a GPU)", 0 },
	{ "baseline", OPT_BASELINE, "LIST", 0, "What times are held against, on a GPU: eager, compile, "
	  "seed, a file of candidates; comma-separated, the first decides (default eager), or none", 0 },
	{ "cache", OPT_CACHE, "FILE", 0, "Keep verdicts in FILE and take them from there", 0 },
	{ "device", OPT_DEVICE, "auto|cpu|gpu", 0, "Where kernels run (default auto)", 0 },
	{ "devices", OPT_DEVICES, "LIST|all", 0, "The GPUs to judge on, numbered as --list-devices shows "
	  "them (default 0)", 0 },
	{ "memory", OPT_MEMORY, "MIB", 0, "Memory that a candidate may add (default 4096; more on a GPU)", 0 },
	{ "no-objects", OPT_NO_OBJECTS, NULL, 0, "On a GPU, make no code objects, and have no figures of them", 0 },
	{ "profile", OPT_PROFILE, NULL, 0, "Read hardware counters of what passes, with rocprofv3 or ncu", 0 },
	{ "seed", OPT_SEED, "N", 0, "Draw inputs from this seed, not from a secret one", 0 },
	{ "sandbox", OPT_SANDBOX, "auto|require|off", 0, "What must hold a candidate (default auto: "
	  "what the machine gives)", 0 },
	{ "save-objects", OPT_SAVE, "DIR", 0, "Write code objects and assembly into DIR", 0 },
	{ "force", 'f', NULL, 0, "Judge again what was judged already", 0 },
	{ "lint", OPT_LINT, NULL, 0, "Try wrong answers on each task, and judge no candidates", 0 },
	{ "list-devices", OPT_LIST_DEVICES, NULL, 0, "List this machine's GPUs, and judge nothing", 0 },
	{ "unordered", OPT_UNORDERED, NULL, 0, "Write verdicts as they come", 0 },
	{ 0 },
};

static bool is_architecture(const char *name)
{
	const char *digits = strncmp(name, "gfx", 3) == 0 ? name + 3
			     : strncmp(name, "sm_", 3) == 0 ? name + 3 : "";

	return *digits && strspn(digits, "0123456789abcdef") == strlen(digits);
}

/* An architecture, or that of a GPU by its name ("mi300x"); the caller frees it. NULL for neither. */
static char *target_of(const char *name, struct err *e)
{
	struct json *facts;
	char *arch;

	if (is_architecture(name))
		return mem_strdup(name);
	if (arch_load(name, &facts, e))
		return NULL;
	arch = mem_strdup(json_get_string(facts, "arch"));
	json_free(facts);
	return arch;
}

static bool has_target(const struct judge_config *judge, const char *arch)
{
	for (size_t i = 0; i < judge->n_targets; i++)
		if (strcmp(judge->targets[i], arch) == 0)
			return true;
	return false;
}

static void forget_targets(struct options *o)
{
	while (o->judge.n_targets)
		free(o->targets[--o->judge.n_targets]);
}

static void parse_targets(struct argp_state *state, struct options *o, const char *arg)
{
	char *list = mem_strdup(arg), *save = NULL;
	struct err e = ERR_INIT;

	forget_targets(o);
	for (char *t = strtok_r(list, ",", &save); t; t = strtok_r(NULL, ",", &save)) {
		char *arch = target_of(t, &e);
		size_t n = o->judge.n_targets;

		if (!arch)
			argp_error(state, "--targets: %s, and architectures, as gfx942 or sm_90", e.text);
		if (n == JUDGE_TARGETS_MAX)
			argp_error(state, "--targets: more than %d", JUDGE_TARGETS_MAX);
		if (has_target(&o->judge, arch)) {
			free(arch);
			continue;
		}
		o->judge.targets[n] = o->targets[n] = arch;
		o->judge.n_targets++;
	}
	free(list);
	if (!o->judge.n_targets)
		argp_error(state, "--targets: the list is empty");
}

static void parse_device(struct argp_state *state, struct options *o, const char *arg)
{
	if (strcmp(arg, "auto") == 0)
		o->device = DEVICE_AUTO;
	else if (strcmp(arg, "cpu") == 0)
		o->device = DEVICE_CPU;
	else if (strcmp(arg, "gpu") == 0)
		o->device = DEVICE_GPU;
	else
		argp_error(state, "--device takes auto, cpu or gpu, not '%s'", arg);
}

static void parse_devices(struct argp_state *state, struct options *o, const char *arg)
{
	struct judge_config *c = &o->judge;
	const char *at = arg;

	c->n_gpus = 0;
	c->all_gpus = strcmp(arg, "all") == 0;
	while (!c->all_gpus) {
		char *end;
		unsigned long number = strtoul(at, &end, 10);

		if (!isdigit((unsigned char)*at) || (*end && *end != ',') || number >= GPU_NUMBERS)
			argp_error(state, "--devices takes numbers of GPUs, with commas between, or "
				   "all, not '%s'", arg);
		for (size_t i = 0; i < c->n_gpus; i++)
			if (c->gpus[i] == (int)number)
				argp_error(state, "--devices names GPU %lu twice", number);
		if (c->n_gpus == DEVICES_MAX)
			argp_error(state, "--devices: more than %d", DEVICES_MAX);
		c->gpus[c->n_gpus++] = (int)number;
		if (!*end)
			break;
		at = end + 1;
	}
}

static void parse_sandbox(struct argp_state *state, struct options *o, const char *arg)
{
	int mode = 0;

	while (box_mode_names[mode] && strcmp(arg, box_mode_names[mode]) != 0)
		mode++;
	if (!box_mode_names[mode])
		argp_error(state, "--sandbox takes auto, require or off, not '%s'", arg);
	o->judge.box = (enum box_mode)mode;
}

static void parse_seed(struct argp_state *state, struct options *o, const char *arg)
{
	char *end;

	errno = 0;
	o->judge.seed = strtoull(arg, &end, 10);
	o->judge.has_seed = true;
	if (errno || !isdigit((unsigned char)*arg) || *end /* strtoull() takes " -1" too */
	    || o->judge.seed > INT64_MAX)
		argp_error(state, "--seed takes a whole number from 0 to %" PRId64 ", not '%s'",
			   INT64_MAX, arg);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct err e = ERR_INIT;

	switch (key) {
	case 't':
		parse_targets(state, o, arg);
		break;
	case 'T':
		o->judge.timeout_s = cli_real(state, "--timeout", arg, 0.1, 86400);
		break;
	case 'j':
		o->jobs = cli_number(state, "--jobs", arg, 1, JOBS_MAX);
		break;
	case OPT_BASELINE:
		if (baselines_parse(&o->judge.baselines, arg, &e))
			argp_error(state, "%s", e.text);
		break;
	case OPT_CACHE:
		o->judge.cache = arg;
		break;
	case OPT_DEVICES:
		parse_devices(state, o, arg);
		break;
	case OPT_DEVICE:
		parse_device(state, o, arg);
		break;
	case OPT_MEMORY:
		o->judge.memory_bytes = (uint64_t)cli_number(state, "--memory", arg, 64, 1 << 20) << 20;
		break;
	case OPT_NO_OBJECTS:
		o->judge.no_objects = true;
		break;
	case OPT_PROFILE:
		o->judge.profile = true;
		break;
	case OPT_SEED:
		parse_seed(state, o, arg);
		break;
	case OPT_SANDBOX:
		parse_sandbox(state, o, arg);
		break;
	case OPT_SAVE:
		o->judge.objects_dir = arg;
		break;
	case 'f':
		o->judge.force = true;
		break;
	case OPT_LINT:
		o->lint = true;
		break;
	case OPT_LIST_DEVICES:
		o->list_devices = true;
		break;
	case OPT_UNORDERED:
		o->unordered = true;
		break;
	case ARGP_KEY_ARGS:
		o->inputs = state->argv + state->next;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* -- */

static void features(char *out, size_t len)
{
	snprintf(out, len, "%s, targets gfx90a gfx942 gfx950 sm_90", py_version());
}

static int choose_device(struct options *o, struct err *e)
{
	bool named = o->judge.n_gpus || o->judge.all_gpus;
	bool pretended = device_pretended(), there = !pretended && gpu_present("/dev");

	if (named && o->device == DEVICE_CPU)
		return err_set(e, ERR_USAGE, "--devices names GPUs, and --device=cpu wants none: leave "
			       "one of them out");
	if (named)
		o->device = DEVICE_GPU;
	if (o->device == DEVICE_GPU && !there && !pretended)
		return err_set(e, ERR_USAGE, "no GPU was found (none of /dev/kfd, /dev/nvidia* and "
			       "/dev/dxg); use --device=cpu");
	o->judge.use_gpu = there && o->device != DEVICE_CPU;
	o->judge.need_gpu = o->device == DEVICE_GPU || o->judge.no_objects;
	if (!o->judge.no_objects)
		return 0;
	if (!o->judge.use_gpu && !pretended)
		return err_set(e, ERR_USAGE, "--no-objects leaves nothing that shows whether a kernel "
			       "compiles where no GPU runs it; leave it out");
	if (o->judge.objects_dir)
		return err_set(e, ERR_USAGE, "--no-objects leaves nothing to save; leave it out, or "
			       "--save-objects");
	if (o->judge.n_targets)
		return err_set(e, ERR_USAGE, "with --no-objects nothing is compiled but for the GPU that "
			       "it runs on; leave it out, or --targets");
	return 0;
}

static int list_devices(struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, 1 << 20);
	rc = devices_list(&text, e);
	output_write(text.data, text.len);
	buf_release(&text);
	rc = rc ? rc : output_close(e);
	return rc ? cli_fail(e) : 0;
}

/* Some twenty for each job: on a large machine that is more than what a shell gives. */
static void raise_descriptors(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static int prepare(struct options *o, struct err *e)
{
	raise_descriptors();
	if (choose_device(o, e))
		return e->code;
	if (!o->jobs)
		o->jobs = o->judge.use_gpu || device_pretended() ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
	o->jobs = o->jobs < 1 ? 1 : o->jobs > JOBS_MAX ? JOBS_MAX : o->jobs;
	o->judge.jobs = (size_t)o->jobs;
	/* Of workers without a place on a GPU most wait: how many GPUs there are is not known yet. */
	o->jobs *= o->judge.all_gpus ? DEVICES_MAX : o->judge.n_gpus ? (long)o->judge.n_gpus : 1;
	o->jobs = o->jobs > JOBS_MAX ? JOBS_MAX : o->jobs;
	return o->judge.objects_dir ? object_folder_make(o->judge.objects_dir, e) : 0;
}

/* Before there is a judge. */
static int refuse(struct options *o, const struct err *why)
{
	forget_targets(o);
	baselines_release(&o->judge.baselines);
	return cli_fail(why);
}

int main(int argc, char **argv)
{
	static const struct cli cli = { "geak-eval", features };
	static const struct argp_child children[] = { { &cli_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		option_list, parse_option, "[FILE...]",
		"Judge candidates: does the kernel compile, run, and agree with the reference?",
		children, NULL, NULL,
	};
	struct options o = { .judge = {
		.version = cli_version(), .timeout_s = 60,
	} };
	static struct judge judge;
	struct judging judging = { .judge = &judge };
	struct stream_config config;
	struct err e = ERR_INIT;
	int status;

	if (argc > 2 && strcmp(argv[1], ZYGOTE_ARGUMENT) == 0)
		return zygote_main(argc - 2, argv + 2);
	cli_start(&cli);
	baselines_parse(&o.judge.baselines, "eager", &e);
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.list_devices)
		return list_devices(&e);
	if (prepare(&o, &e))
		return refuse(&o, &e);
	config = (struct stream_config){
		.tool = cli.tool, .inputs = o.inputs,
		.handles = STREAM_KIND(o.lint ? RECORD_TASK : RECORD_CANDIDATE),
		.capacity = (size_t)(4 * o.jobs + 4) + (o.unordered ? QUEUE_MAX : 0),
		.unordered = o.unordered,
	};
	judging.stream = stream_open(&config, &e);
	if (!judging.stream)
		return refuse(&o, &e);
	judging.workers = (size_t)o.jobs;
	judging.unordered = o.unordered;
	judging.lint = o.lint;
	if (judge_init(&judge, &o.judge, &e)) {
		status = cli_fail(&e);
		stream_close(judging.stream);
	} else {
		status = judging_run(&judging);
	}
	judge_release(&judge);
	forget_targets(&o);
	return status;
}
