#include "domain/judge.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "domain/device_find.h"
#include "domain/eval_record.h"
#include "domain/profile.h"
#include "domain/task.h"
#include "domain/timing.h"
#include "domain/trial.h"
#include "domain/verdict.h"
#include "ground/mem.h"
#include "outside/harness.h"
#include "records/record.h"

enum { TRIES_MAX = 2 }; /* of a candidate, each on a GPU that then fails */

int judge_init(struct judge *j, const struct judge_config *config, struct err *e)
{
	*j = (struct judge){ .config = *config };
	j->interpreter = (struct zygote){ .kind = ZYGOTE_INTERPRETER, .box = config->box };
	j->compiler = (struct zygote){ .kind = ZYGOTE_COMPILER, .box = config->box,
				       .gpu = config->use_gpu,
				       .compiles = config->use_gpu
						   && baselines_compile(&config->baselines) };
	j->interpreter.profiles = j->compiler.profiles = config->profile;
	j->interpreter.control = -1;
	j->compiler.control = -1;
	j->config.n_gpus = config->n_gpus ? config->n_gpus : 1;
	pthread_mutex_init(&j->lock, NULL);
	pthread_mutex_init(&j->oracles_lock, NULL);
	pthread_cond_init(&j->place, NULL);
	if (scratch_init(&j->scratch, e))
		return e->code;
	/* Objects are written by judging alone, and such a record names their files. */
	return verdict_cache_open(&j->cache, config->objects_dir ? NULL : config->cache, e);
}

uint64_t judge_seed(const struct judge *j)
{
	uint64_t seed = j->config.seed;

	/* 63 bits: torch's generators take a signed number. */
	if (!j->config.has_seed && getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
		seed = (uint64_t)child_clock_ns();
	return seed & INT64_MAX;
}

/* -- who judges, and with what: needed for the key of a verdict before anything is judged */

static void default_targets(struct judge_config *c, const char *own)
{
	static const char *const usual[] = { "gfx942", "gfx90a", "gfx950", "sm_90" };

	if (c->n_targets)
		return;
	if (own)
		c->targets[c->n_targets++] = own;
	if (own && c->no_objects)
		return;
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		if (!own || strcmp(own, usual[i]) != 0)
			c->targets[c->n_targets++] = usual[i];
}

static char *join_targets(const struct judge_config *c)
{
	struct buf text;

	buf_init(&text, 4096);
	for (size_t i = 0; i < c->n_targets; i++)
		buf_addf(&text, "%s%s", i ? "," : "", c->targets[i]);
	return text.data;
}

static int make_folder(struct judge *j, struct err *e)
{
	if (scratch_make(&j->scratch, e))
		return e->code;
	j->compiler.folder = j->interpreter.folder = j->scratch.path;
	return 0;
}

static int start_zygotes(struct judge *j, struct err *e)
{
	bool interpret = !j->config.use_gpu;

	if (j->started)
		return 0;
	j->started = true;
	if (interpret)
		j->compiler.targets = j->interpreter.targets = j->targets;
	/* Both import at the same time; the interpreter is needed only where no GPU runs the kernels. */
	if (make_folder(j, e) || (j->compiler.control < 0 && zygote_start(&j->compiler, e))
	    || (interpret && zygote_start(&j->interpreter, e))
	    || zygote_ready(&j->compiler, e) || (interpret && zygote_ready(&j->interpreter, e)))
		return e->code;
	return 0;
}

static int identify(struct judge *j, struct err *e)
{
	struct zygote z = { .kind = ZYGOTE_VERSIONS, .box = j->config.box, .control = -1 };
	bool measures;
	int rc = 0;

	if (j->identified)
		return 0;
	j->identified = true;
	if ((j->config.use_gpu && make_folder(j, e)) || device_find(j, e))
		return e->code;
	default_targets(&j->config, j->devices[0].gpu.target);
	j->targets = join_targets(&j->config);
	/* Only a GPU's times are worth anything, and only it has counters; GEAK_TIME_ANYWHERE is for tests
	 * of how they are taken. */
	measures = j->config.use_gpu || getenv("GEAK_TIME_ANYWHERE");
	j->times = measures && j->config.baselines.n;
	j->profiles = measures && j->config.profile;
	if (harness_digest(j->harness, e))
		return e->code;
	if (zygote_start(&z, e) || zygote_ready(&z, e)) {
		rc = e->code;
	} else {
		j->boxed = z.boxed;
		j->box = json_dup(z.facts);
		j->env = json_dup(z.versions);
		json_set_string(j->env, "geak", j->config.version);
	}
	zygote_stop(&z);
	return rc;
}

/* Runs step once for all threads; after a failure it keeps failing with the same words. */
static int once(struct judge *j, int (*step)(struct judge *j, struct err *e), struct err *e)
{
	pthread_mutex_lock(&j->lock);
	if (!j->why.code)
		step(j, &j->why);
	if (j->why.code)
		*e = j->why;
	pthread_mutex_unlock(&j->lock);
	return e->code;
}

int judge_start(struct judge *j, struct err *e)
{
	int rc = once(j, identify, e);

	return rc ? rc : once(j, start_zygotes, e);
}

void judge_revive(struct judge *j)
{
	struct err told = ERR_INIT; /* again, to whoever asks such a zygote for a child */

	zygote_revive(&j->compiler, &told);
	zygote_revive(request_runner(j), &told);
}

static void add_baselines(const struct baselines *b, const struct json *task, struct hash *h)
{
	for (size_t i = 0; i < b->n; i++) {
		hash_string(h, baseline_name(&b->all[i]));
		hash_string(h, baseline_source(&b->all[i], task));
	}
}

/* Names everything that the verdict depends on: when it is the same, judging
 * again would only draw another seed. */
static void make_key(const struct judge *j, const struct json *candidate, char out[HASH_HEX])
{
	/* Programs that Triton would use instead of its own; a zygote gets to see them. */
	static const char *const tools[] = { "TRITON_PTXAS_PATH", "TRITON_HIP_LLD_PATH" };
	struct hash *h = hash_new();
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	json_print(json_get(candidate, "task"), &text);
	json_print(j->env, &text);
	hash_string(h, json_get_string(candidate, "source"));
	hash_piece(h, text.data, text.len);
	hash_string(h, j->harness);
	hash_string(h, j->device);
	for (size_t i = 0; i < j->config.n_targets; i++)
		hash_string(h, j->config.targets[i]);
	buf_reset(&text);
	buf_addf(&text, "%.17g %llu", j->config.timeout_s,
		 (unsigned long long)j->config.memory_bytes);
	if (j->config.has_seed)
		buf_addf(&text, " %llu", (unsigned long long)j->config.seed);
	if (j->times)
		add_baselines(&j->config.baselines, json_get(candidate, "task"), h);
	if (j->config.profile)
		buf_adds(&text, " profile");
	if (j->config.no_objects)
		buf_adds(&text, " ir");
	if (!j->boxed) /* a verdict to be trusted less */
		buf_adds(&text, " open");
	hash_piece(h, text.data, text.len);
	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		hash_string(h, getenv(tools[i]));
	hash_hex(h, out);
	buf_release(&text);
}

static int check_candidate(const struct json *candidate, struct err *e)
{
	const char *source = json_get_string(candidate, "source");
	const struct json *task = json_get(candidate, "task");

	if (!source)
		return err_set(e, ERR_RECORD, "candidate %s has no source to judge",
			       record_id(candidate));
	if (!json_is(task, JSON_OBJECT))
		return err_set(e, ERR_RECORD, "candidate %s carries no task, so there is nothing to "
			       "judge it by", record_id(candidate));
	return task_check(task, e);
}

static bool names_objects(const struct json *eval)
{
	for (const struct json *m = json_first(json_get(eval, "compile")); m; m = json_next(m))
		if (json_get_string(m, "object"))
			return true;
	return false;
}

/* Its verdict is there already, in the record or in the cache. One that was our own
 * failure does not count, nor one without the files that are wanted. */
static bool is_known(struct judge *j, struct json *candidate, const char *key)
{
	const struct json *old = json_get(candidate, "eval");
	const char *old_key = json_get_string(old, "key"), *status = json_get_string(old, "status");
	struct json *kept;

	if (old_key && strcmp(old_key, key) == 0 && status && strcmp(status, "sandbox_error") != 0
	    && (!j->config.objects_dir || names_objects(old)))
		return true;
	kept = verdict_cache_get(&j->cache, key);
	if (kept)
		json_set(candidate, "eval", kept);
	return kept;
}

/* The trial and, when it passes, the times. False when a process of it was lost: then neither says
 * anything yet. */
static bool try_once(struct trial *t, struct timing **timing, struct judge *j, struct device *d,
		     const struct json *candidate, bool anew)
{
	trial_run(t, j, d, candidate, anew);
	*timing = !trial_is_lost(t) && verdict_is_pass(t) ? timing_run(t) : NULL;
	return !trial_is_lost(t) && !(*timing && (*timing)->lost);
}

/* NULL when the device failed meanwhile, which says nothing about the candidate: unless it is the
 * last one that it is tried on. */
static struct json *try_on(struct judge *j, struct device *d, const struct json *candidate,
			   const char *key, bool last)
{
	int64_t start = child_clock_ns();
	struct json *eval = NULL;
	struct timing *timing;
	struct trial trial;
	bool works = true;

	if (!try_once(&trial, &timing, j, d, candidate, false) && (works = device_works(j, d))) {
		timing_free(timing);
		trial_release(&trial);
		judge_revive(j);
		try_once(&trial, &timing, j, d, candidate, true);
	}
	if (works && (trial_doubts_device(&trial) || timing_doubts_device(timing)))
		works = device_works(j, d);
	if (!works && last)
		err_set(&trial.sandbox, ERR_SOFTWARE, "%d GPUs failed while this candidate was judged",
			TRIES_MAX);
	if (works || last)
		eval = eval_record(&trial, timing, key, (double)(child_clock_ns() - start) / 1e9);
	if (eval && j->config.profile && strcmp(json_get_string(eval, "status"), "pass") == 0)
		json_set(eval, "profile", profile_record(&trial));
	timing_free(timing);
	trial_release(&trial);
	return eval;
}

/* NULL with e set when no device is left. */
static struct json *try(struct judge *j, const struct json *candidate, const char *key,
			struct err *e)
{
	struct json *eval = NULL;

	for (int tries = 1; !eval && tries <= TRIES_MAX; tries++) {
		struct device *d = device_take(j, e);

		if (!d)
			return NULL;
		eval = try_on(j, d, candidate, key, tries == TRIES_MAX);
		device_give(j, d);
	}
	return eval;
}

int judge_candidate(struct judge *j, struct json *candidate, struct err *e)
{
	char key[HASH_HEX];
	struct json *eval;
	int rc = check_candidate(candidate, e);

	if (rc || (rc = once(j, identify, e)))
		return rc;
	make_key(j, candidate, key);
	if (!j->config.force && is_known(j, candidate, key))
		return 0;
	if (!*json_get_string(candidate, "source")) {
		json_set(candidate, "eval", eval_record_no_code(j, key));
		return 0;
	}
	if ((rc = once(j, start_zygotes, e)))
		return rc;
	eval = try(j, candidate, key, e);
	if (!eval)
		return e->code;
	json_set(candidate, "eval", eval);
	verdict_cache_put(&j->cache, key, json_get(candidate, "eval"));
	return 0;
}

void judge_release(struct judge *j)
{
	devices_empty(j, j->devices, j->n_devices);
	builder_release_all(j);
	zygote_stop(&j->interpreter);
	zygote_stop(&j->compiler);
	scratch_release(&j->scratch);
	verdict_cache_close(&j->cache);
	for (size_t i = 0; i < j->n_devices; i++)
		device_release(&j->devices[i]);
	free(j->devices);
	baselines_release(&j->config.baselines);
	free(j->targets);
	json_free(j->env);
	json_free(j->box);
	pthread_cond_destroy(&j->place);
	pthread_mutex_destroy(&j->oracles_lock);
	pthread_mutex_destroy(&j->lock);
}
