#include "domain/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "domain/hearing.h"
#include "ground/mem.h"

enum {
	REFERENCE_FACTOR = 2,             /* the reference may take this many timeouts */
	LOG_MAX = 4 * CHILD_LOG_HALF,
	SHARED_MAX = 1 << 30,             /* bytes of inputs or outputs without a GPU */
};

/* -- set-up */

static int make_shared(struct trial *t, int *fd, const char *name)
{
	*fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return *fd < 0 ? err_errno(&t->sandbox, ERR_SOFTWARE, "no shared memory") : 0;
}

static int make_folder(struct trial *t, const char *role)
{
	char *path = role ? mem_printf("%s/%s", t->folder, role) : mem_strdup(t->folder);
	int rc = mkdir(path, 0700) ? err_errno(&t->sandbox, ERR_SOFTWARE,
					       "the scratch folder %s cannot be made", path) : 0;

	free(path);
	return rc;
}

static int set_up(struct trial *t)
{
	return make_shared(t, &t->inputs, "inputs") || make_shared(t, &t->outputs, "outputs")
	       || make_shared(t, &t->objects, "objects") || make_folder(t, NULL)
	       || make_folder(t, "oracle") || make_folder(t, "candidate")
	       || make_folder(t, "compiler");
}

/* -- requests: a role gets what it needs and nothing else */

static void copy_key(struct json *to, const struct json *from, const char *key)
{
	const struct json *value = json_get(from, key);

	if (value)
		json_set(to, key, json_dup(value));
}

static struct json *new_request(const struct trial *t, const char *role)
{
	const struct judge_config *c = &t->judge->config;
	struct json *r = json_new_object(), *targets = json_new_array();
	char *folder = mem_printf("%s/%s", t->folder, role);

	for (size_t i = 0; i < c->n_targets; i++)
		json_push(targets, json_new_string(c->targets[i]));
	json_set_string(r, "role", role);
	json_set_string(r, "folder", folder);
	json_set_string(r, "device", c->use_gpu ? "cuda" : "cpu");
	json_set(r, "targets", targets);
	json_set_string(r, "harness", t->harness);
	json_set_string(r, "seed", t->seed);
	copy_key(r, t->task, "entry");
	copy_key(r, t->task, "tests");
	copy_key(r, t->task, "result");
	free(folder);
	return r;
}

/* Cases for timing are for a GPU: the interpreter would take hours over one. */
static struct json *cases_to_run(const struct trial *t)
{
	struct json *cases = json_new_array();
	const struct json *m;

	for (m = json_first(json_get(t->task, "cases")); m; m = json_next(m)) {
		const char *kind = json_get_string(m, "kind");

		if (t->judge->config.use_gpu || !kind || strcmp(kind, "time") != 0)
			json_push(cases, json_dup(m));
	}
	return cases;
}

static struct json *oracle_request(const struct trial *t)
{
	struct json *r = new_request(t, "oracle");

	copy_key(r, t->task, "reference");
	copy_key(r, t->task, "tolerance");
	json_set(r, "cases", cases_to_run(t));
	return r;
}

static struct json *candidate_request(const struct trial *t)
{
	struct json *r = new_request(t, "candidate");

	copy_key(r, t->candidate, "source");
	json_set(r, "cases", json_dup(t->cases));
	return r;
}

static struct json *compiler_request(const struct trial *t)
{
	struct json *r = new_request(t, "compiler");

	copy_key(r, t->candidate, "source");
	json_set(r, "launches", json_dup(t->launches));
	return r;
}

static struct box_limits limits_of(const struct trial *t, bool trusted)
{
	const struct judge_config *c = &t->judge->config;
	struct box_limits l = { 0 };

	if (!c->use_gpu) { /* a GPU's driver maps far more than it uses */
		l.memory_bytes = trusted ? 0 : c->memory_bytes;
		l.file_bytes = SHARED_MAX;
	}
	if (!trusted) /* the wall clock is the keeper's; this one stops what outlives even that */
		l.cpu_seconds = (uint64_t)(4 * c->timeout_s) + 10;
	return l;
}

static struct zygote *zygote_for(struct trial *t, bool runs_kernels)
{
	return runs_kernels && !t->judge->config.use_gpu ? &t->judge->interpreter
							 : &t->judge->compiler;
}

static int start(struct trial *t, struct child *c, struct trial_part *part, struct zygote *z,
		 struct json *request, int inputs, int outputs, bool trusted)
{
	struct box_limits limits = limits_of(t, trusted);
	int rc = child_start(c, z, &limits, inputs, outputs, request, &t->sandbox);

	json_free(request);
	part->end = rc ? TRIAL_NO_CHILD : TRIAL_STOPPED;
	t->lost = t->lost || rc;
	return rc;
}

/* -- waiting */

/* One child of a trial together with what its messages mean. */
struct player {
	struct child child;
	struct trial_part *part;
	void (*hear)(struct trial *t, const struct json *m);
	bool running;
};

static void finish(struct player *p)
{
	if (!p->running)
		return;
	if (p->child.reported && !p->part->reported) {
		p->part->how = p->child.end;
		p->part->reported = true;
	}
	child_log(&p->child, &p->part->log);
	child_end(&p->child);
	p->running = false;
}

static int64_t in_seconds(double s)
{
	return child_clock_ns() + (int64_t)(s * 1e9);
}

/*
 * Serves a and b (which may be NULL) until done(t) holds, or a has ended, or the
 * deadline has passed. A child that ends, or talks nonsense, is finished on the way.
 */
static void serve(struct trial *t, struct player *a, struct player *b, int64_t deadline,
		  bool (*done)(const struct trial *t))
{
	struct player *players[] = { a, b };

	while (a->running && !(done && done(t))) {
		struct child *const children[] = { &a->child, b && b->running ? &b->child : NULL };
		struct json *message;
		size_t which;

		switch (child_wait(children, 2, deadline, &which, &message)) {
		case CHILD_MESSAGE:
			players[which]->hear(t, message);
			json_free(message);
			break;
		case CHILD_GARBLED:
			players[which]->part->end = TRIAL_GARBLED;
			finish(players[which]);
			break;
		case CHILD_ENDED:
			if (!players[which]->child.reported)
				t->lost = true;
			finish(players[which]);
			break;
		case CHILD_DEADLINE:
			a->part->end = TRIAL_DEADLINE;
			finish(a);
			break;
		}
	}
}

static bool oracle_ready(const struct trial *t)
{
	return t->cases || t->oracle.error;
}

static bool reference_done(const struct trial *t)
{
	return t->reference_ran || t->oracle.error;
}

static bool oracle_compared(const struct trial *t)
{
	return t->compared;
}

static void send_results(struct trial *t, struct player *oracle)
{
	struct json *m = json_new_object();

	json_set(m, "results", json_dup(t->results));
	json_set_bool(m, "complete", t->run.end == TRIAL_DONE && !t->run.error);
	child_send(&oracle->child, m);
	json_free(m);
}

/* -- the play */

/* Without tests there is nothing to compare with, and so no oracle. */
static bool has_oracle(const struct trial *t)
{
	return strcmp(t->harness, "function") == 0 || strcmp(t->harness, "module") == 0
	       || json_get_string(t->task, "tests");
}

static bool start_oracle(struct trial *t, struct player *oracle)
{
	double patience = REFERENCE_FACTOR * t->judge->config.timeout_s;

	*oracle = (struct player){ .part = &t->oracle, .hear = hear_oracle };
	if (!has_oracle(t)) {
		t->cases = json_new_array();
		return true;
	}
	if (start(t, &oracle->child, &t->oracle, zygote_for(t, true), oracle_request(t),
		  t->inputs, t->outputs, true))
		return false;
	oracle->running = true;
	/* On a GPU the two take turns, so that neither disturbs the other's clock. */
	serve(t, oracle, NULL, in_seconds(patience),
	      t->judge->config.use_gpu ? reference_done : oracle_ready);
	return t->cases && !t->oracle.error;
}

/* From now on the inputs are what they are. A descriptor for reading would not do: it
 * can be opened again for writing, and the reference may still have to run. */
static int seal_inputs(struct trial *t)
{
	return fcntl(t->inputs, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)
		       ? err_errno(&t->sandbox, ERR_SOFTWARE, "the inputs cannot be sealed") : 0;
}

static bool run_candidate(struct trial *t, struct player *oracle)
{
	struct player run = { .part = &t->run, .hear = hear_candidate };

	if (seal_inputs(t) || start(t, &run.child, &t->run, zygote_for(t, true),
				    candidate_request(t), t->inputs, t->outputs, false))
		return false;
	run.running = true;
	serve(t, &run, oracle, in_seconds(t->judge->config.timeout_s), NULL);
	return true;
}

static void compile_and_compare(struct trial *t, struct player *oracle)
{
	double timeout = t->judge->config.timeout_s;
	struct player compiler = { .part = &t->compiler, .hear = hear_compiler };

	if (oracle->running)
		send_results(t, oracle);
	if (start(t, &compiler.child, &t->compiler, &t->judge->compiler, compiler_request(t),
		  t->inputs, t->objects, false))
		return;
	compiler.running = true;
	serve(t, &compiler, oracle, in_seconds(timeout), NULL);
	if (oracle->running)
		serve(t, oracle, NULL, in_seconds(REFERENCE_FACTOR * timeout), oracle_compared);
}

void trial_run(struct trial *t, struct judge *j, const struct json *candidate)
{
	struct player oracle;
	const char *harness;

	*t = (struct trial){ .judge = j, .candidate = candidate, .task = json_get(candidate, "task"),
			     .inputs = -1, .outputs = -1, .objects = -1 };
	harness = json_get_string(t->task, "harness");
	t->harness = harness ? harness : "function";
	t->results = json_new_array();
	t->launches = json_new_array();
	t->compiled = json_new_array();
	t->checks = json_new_array();
	t->times = json_new_object();
	t->base_times = json_new_object();
	buf_init(&t->oracle.log, LOG_MAX);
	buf_init(&t->run.log, LOG_MAX);
	buf_init(&t->compiler.log, LOG_MAX);
	pthread_mutex_lock(&j->lock);
	t->folder = mem_printf("%s/%lu", j->scratch.path, j->next_trial++);
	pthread_mutex_unlock(&j->lock);
	snprintf(t->seed, sizeof(t->seed), "%llu", (unsigned long long)judge_seed(j));
	if (set_up(t))
		return;
	if (start_oracle(t, &oracle) && run_candidate(t, &oracle))
		compile_and_compare(t, &oracle);
	finish(&oracle);
}

static void release_part(struct trial_part *p)
{
	buf_release(&p->log);
	json_free(p->error);
	free(p->error_stage);
	free(p->error_case);
}

void trial_release(struct trial *t)
{
	scratch_remove(t->folder);
	free(t->folder);
	if (t->inputs >= 0)
		close(t->inputs);
	if (t->outputs >= 0)
		close(t->outputs);
	if (t->objects >= 0)
		close(t->objects);
	json_free(t->cases);
	json_free(t->results);
	json_free(t->launches);
	json_free(t->compiled);
	json_free(t->checks);
	json_free(t->times);
	json_free(t->base_times);
	release_part(&t->oracle);
	release_part(&t->run);
	release_part(&t->compiler);
}
