#include "domain/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "domain/task.h"
#include "domain/trial.h"
#include "domain/verdict.h"
#include "ground/mem.h"
#include "records/hash.h"
#include "records/record.h"

void judge_init(struct judge *j, const struct judge_config *config)
{
	*j = (struct judge){ .config = *config };
	j->interpreter.control = -1;
	j->compiler.control = -1;
	j->device = mem_strdup("cpu-interpreter");
	pthread_mutex_init(&j->lock, NULL);
}

uint64_t judge_seed(const struct judge *j)
{
	uint64_t seed = j->config.seed;

	/* 63 bits: torch's generators take a signed number. */
	if (!j->config.has_seed && getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
		seed = (uint64_t)child_clock_ns();
	return seed & INT64_MAX;
}

static int make_scratch(struct judge *j, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	char *folder = mem_printf("%s/geak-eval-XXXXXX", tmp && *tmp ? tmp : "/tmp");

	if (!mkdtemp(folder)) {
		err_errno(e, ERR_SOFTWARE, "the scratch folder %s cannot be made; set TMPDIR", folder);
		free(folder);
		return e->code;
	}
	j->folder = folder;
	return 0;
}

static int start_locked(struct judge *j, struct err *e)
{
	/* Both import at the same time; the interpreter is needed only where no GPU runs the kernels. */
	if (make_scratch(j, e) || zygote_start(&j->compiler, false, e)
	    || (!j->config.use_gpu && zygote_start(&j->interpreter, true, e))
	    || zygote_ready(&j->compiler, e)
	    || (!j->config.use_gpu && zygote_ready(&j->interpreter, e)))
		return e->code;
	j->env = json_dup(j->compiler.versions);
	return 0;
}

int judge_start(struct judge *j, struct err *e)
{
	pthread_mutex_lock(&j->lock);
	if (!j->started) {
		j->started = true;
		j->failed = start_locked(j, &j->why) != 0;
	}
	if (j->failed)
		*e = j->why;
	pthread_mutex_unlock(&j->lock);
	return j->failed ? e->code : 0;
}

/* Names everything that the verdict depends on: when it is the same, judging
 * again would only draw another seed. */
static void make_key(const struct judge *j, const struct json *candidate, char out[HASH_HEX])
{
	struct hash *h = hash_new();
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	json_print(json_get(candidate, "task"), &text);
	json_print(j->env, &text);
	hash_string(h, json_get_string(candidate, "source"));
	hash_piece(h, text.data, text.len);
	hash_string(h, j->device);
	for (size_t i = 0; i < j->config.n_targets; i++)
		hash_string(h, j->config.targets[i]);
	buf_reset(&text);
	buf_addf(&text, "%.17g %llu", j->config.timeout_s,
		 (unsigned long long)j->config.memory_bytes);
	if (j->config.has_seed)
		buf_addf(&text, " %llu", (unsigned long long)j->config.seed);
	hash_piece(h, text.data, text.len);
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

int judge_candidate(struct judge *j, struct json *candidate, struct err *e)
{
	const struct json *old = json_get(candidate, "eval");
	const char *old_key = json_get_string(old, "key");
	int64_t start = child_clock_ns();
	char key[HASH_HEX];
	struct trial trial;
	int rc = check_candidate(candidate, e);

	if (rc || (rc = judge_start(j, e)))
		return rc;
	make_key(j, candidate, key);
	if (old_key && strcmp(old_key, key) == 0)
		return 0;
	if (!*json_get_string(candidate, "source")) {
		json_set(candidate, "eval", verdict_no_code(j, key));
		return 0;
	}
	trial_run(&trial, j, candidate);
	json_set(candidate, "eval",
		 verdict_of(&trial, key, (double)(child_clock_ns() - start) / 1e9));
	trial_release(&trial);
	return 0;
}

void judge_release(struct judge *j)
{
	zygote_stop(&j->interpreter);
	zygote_stop(&j->compiler);
	if (j->folder)
		rmdir(j->folder);
	free(j->folder);
	free(j->device);
	json_free(j->env);
	pthread_mutex_destroy(&j->lock);
}
