#include "domain/oracle.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "domain/hearing.h"
#include "domain/spare.h"
#include "domain/task.h"
#include "ground/fd.h"
#include "ground/mem.h"

enum {
	SERVES_MAX = 64,      /* candidates, before another seed is drawn */
	IDLE_MAX = 8,         /* kept by the judge; each has a process */
	IDLE_MAX_GPU = 2,     /* and a context on the GPU; or as many as may be at work at once */
	REFERENCE_FACTOR = 2, /* the reference may take this many timeouts, and a candidate
			       * this many references */
};

double oracle_patience(const struct judge *j)
{
	return REFERENCE_FACTOR * j->config.timeout_s;
}

bool oracle_is_slow(const struct oracle *o, const struct judge *j)
{
	return !o->reference_ran || o->reference_s * REFERENCE_FACTOR > j->config.timeout_s;
}

/* -- one oracle */

static void reference_ended(struct oracle *o)
{
	pthread_mutex_lock(&o->judge->oracles_lock);
	o->ended_ns = child_clock_ns();
	pthread_mutex_unlock(&o->judge->oracles_lock);
}

static void hear(void *listener, const struct json *m)
{
	struct oracle *o = listener;
	const struct json *check = json_get(m, "check");

	if (!o->ended_ns && (json_get(m, "reference_ran") || json_get(m, "reference_error")))
		reference_ended(o);
	if (json_is(json_get(m, "ready"), JSON_ARRAY) && !o->cases)
		o->cases = json_dup(json_get(m, "ready"));
	else if (json_get(m, "reference_ran"))
		o->reference_ran = true;
	else if (json_get(m, "reference_error") && !o->part.error)
		o->part.error = hear_error(json_get(m, "reference_error"));
	else if (json_is(check, JSON_OBJECT))
		json_push(o->checks, json_dup(check));
	else if (!o->timed && json_is(json_get(m, "times"), JSON_OBJECT))
		o->timed = json_dup(json_get(m, "times"));
	else if (json_is(json_get(m, "worked"), JSON_OBJECT) && !o->work)
		o->work = json_dup(json_get(m, "worked"));
	if (json_is(json_get(m, "changes"), JSON_OBJECT) && !o->changes)
		o->changes = json_dup(json_get(m, "changes"));
	if (json_get(m, "done"))
		o->compared = true;
	o->reference_s = json_get_number(m, "seconds", o->reference_s);
	o->own_share = json_get_number(m, "own_share", o->own_share);
	o->blind = json_get_bool(m, "blind", o->blind);
	o->handed = json_get_bool(m, "handed", o->handed);
	o->made_by_none = json_get_bool(m, "made_by_none", o->made_by_none);
}

/* Cases for timing are for a GPU: the interpreter would take hours over one. */
static bool runs_timed(const struct judge *j)
{
	return j->config.use_gpu || j->times || j->profiles;
}

static struct json *cases_to_run(const struct judge *j, const struct json *task)
{
	struct json *cases = json_new_array();
	const struct json *m;

	for (m = json_first(json_get(task, "cases")); m; m = json_next(m))
		if (runs_timed(j) || !task_case_is_timed(m))
			json_push(cases, json_dup(m));
	return cases;
}

static void enlist(struct judge *j, struct oracle *o)
{
	o->judge = j;
	o->began_ns = child_clock_ns();
	pthread_mutex_lock(&j->oracles_lock);
	o->next_alive = j->oracles;
	j->oracles = o;
	pthread_mutex_unlock(&j->oracles_lock);
}

static void strike_off(struct oracle *o)
{
	struct oracle **at = &o->judge->oracles;

	pthread_mutex_lock(&o->judge->oracles_lock);
	while (*at != o)
		at = &(*at)->next_alive;
	*at = o->next_alive;
	pthread_mutex_unlock(&o->judge->oracles_lock);
}

double oracle_cost(void *judge, const char task[HASH_HEX])
{
	struct judge *j = judge;
	int64_t now = child_clock_ns(), most = 0;

	pthread_mutex_lock(&j->oracles_lock);
	for (const struct oracle *o = j->oracles; o; o = o->next_alive) {
		int64_t took = (o->ended_ns ? o->ended_ns : now) - o->began_ns;

		if (strcmp(o->key, task) == 0 && took > most)
			most = took;
	}
	pthread_mutex_unlock(&j->oracles_lock);
	/* With several devices whoever has it may be sent to another, where it is not. */
	return most && j->n_devices == 1 ? (double)most / 1e9 : 0;
}

static void free_oracle(struct oracle *o)
{
	strike_off(o);
	part_release(&o->part);
	fd_close(&o->inputs);
	fd_close(&o->outputs);
	fd_close(&o->ablated);
	json_free(o->cases);
	json_free(o->timed);
	json_free(o->changes);
	json_free(o->work);
	json_free(o->checks);
	free(o);
}

static struct json *new_request(const struct judge *j, const struct device *d,
				const struct oracle *o, const struct json *task)
{
	struct json *r = request_new(j, d, "oracle", task);

	json_set_string(r, "seed", o->seed);
	json_copy(r, task, "reference");
	json_copy(r, task, "tolerance");
	json_copy(r, task, "seeds");
	json_copy(r, task, "deterministic");
	json_copy(r, task, "strides");
	json_set(r, "cases", cases_to_run(j, task));
	return r;
}

static int start(struct judge *j, struct device *d, struct oracle *o, const struct json *task,
		 bool anew, struct err *e)
{
	int shared[BOX_SHARED];

	if ((o->inputs = request_memory("inputs", true, e)) < 0
	    || (o->outputs = request_memory("outputs", false, e)) < 0
	    || (o->ablated = request_memory("ablated", false, e)) < 0)
		return e->code;
	shared[0] = o->inputs;
	shared[1] = o->outputs;
	shared[2] = o->ablated;
	return spare_start(&o->part, j, d, true, !anew, shared, new_request(j, d, o, task), &o->spared, e);
}

static bool inputs_ready(const void *what)
{
	const struct oracle *o = what;

	return o->cases || o->part.error;
}

static bool reference_done(const void *what)
{
	const struct oracle *o = what;

	return o->reference_ran || o->part.error;
}

/* From now on the inputs are what they are. A descriptor for reading would not do: it
 * can be opened again for writing, and the reference may still have to run. */
static int seal(struct oracle *o, struct err *e)
{
	return fcntl(o->inputs, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)
		       ? err_errno(e, ERR_SOFTWARE, "the inputs cannot be sealed") : 0;
}

static struct oracle *new_oracle(struct judge *j, struct device *d, const struct json *task,
				 const char *key, bool anew, struct err *e)
{
	struct oracle *o = mem_zalloc(1, sizeof(*o));

	o->inputs = o->outputs = o->ablated = -1;
	part_init(&o->part, hear, o);
	o->own_share = -1;
	o->checks = json_new_array();
	snprintf(o->key, sizeof(o->key), "%s", key);
	snprintf(o->seed, sizeof(o->seed), "%llu", (unsigned long long)judge_seed(j));
	enlist(j, o);
	if (start(j, d, o, task, anew, e)) {
		free_oracle(o);
		return NULL;
	}
	part_serve(&o->part, NULL, part_deadline(oracle_patience(j)),
		   runs_timed(j) && !request_is_suite(task) ? reference_done : inputs_ready, o);
	if (o->cases && seal(o, e)) {
		free_oracle(o);
		return NULL;
	}
	return o;
}

/* -- the idle ones */

static struct oracle *take_idle(struct judge *j, struct device *d, const char *key)
{
	struct oracle **at = &d->idle_oracles, *o;

	pthread_mutex_lock(&j->lock);
	while (*at && strcmp((*at)->key, key) != 0)
		at = &(*at)->next;
	o = *at;
	if (o) {
		*at = o->next;
		d->n_idle_oracles--;
	}
	pthread_mutex_unlock(&j->lock);
	/* Killed meanwhile, its like went with it; one with an error has said all that it had to say. */
	if (o && !o->part.error && !child_lives(&o->part.child)) {
		free_oracle(o);
		return NULL;
	}
	return o;
}

struct oracle *oracle_take(struct judge *j, struct device *d, const struct json *task, bool anew,
			   struct err *e)
{
	struct oracle *o;
	char key[HASH_HEX];

	task_digest(task, key);
	o = anew ? NULL : take_idle(j, d, key);
	if (!o)
		o = new_oracle(j, d, task, key, anew, e);
	if (o)
		o->served++;
	return o;
}

static bool answered(const void *what)
{
	const struct oracle *o = what;

	return o->compared || o->part.error;
}

void oracle_ask(struct oracle *o, const struct json *question)
{
	if (o->part.running)
		child_send(&o->part.child, question);
}

void oracle_answer(struct oracle *o, int64_t deadline_ns)
{
	part_serve(&o->part, NULL, deadline_ns, answered, o);
}

/* Ready for another candidate: nothing of the last one is left. An error of the
 * reference's own is as good an answer for the next, and costs nothing. */
static bool is_reusable(struct oracle *o)
{
	if (o->served >= SERVES_MAX)
		return false;
	if (o->part.error) {
		fd_close(&o->inputs); /* nobody will run on them */
		fd_close(&o->outputs);
		fd_close(&o->ablated);
		return !o->reference_ran && !o->part.lost && !part_blames_driver(&o->part);
	}
	json_free(o->checks);
	o->checks = json_new_array();
	o->own_share = -1;
	o->blind = o->handed = o->made_by_none = false;
	if (!o->part.running || !o->reference_ran || !o->compared)
		return false;
	o->compared = false;
	child_forget(&o->part.child);
	return ftruncate(o->outputs, 0) == 0 && ftruncate(o->ablated, 0) == 0;
}

/* Adds one to the idle ones; when they are too many, returns the one that was idle longest. */
static struct oracle *keep(struct device *d, struct oracle *o, size_t max)
{
	struct oracle **at = &d->idle_oracles;

	o->next = d->idle_oracles;
	d->idle_oracles = o;
	if (++d->n_idle_oracles <= max)
		return NULL;
	while ((*at)->next)
		at = &(*at)->next;
	o = *at;
	*at = NULL;
	d->n_idle_oracles--;
	return o;
}

void oracle_give(struct judge *j, struct device *d, struct oracle *o)
{
	size_t max = j->config.use_gpu ? IDLE_MAX_GPU : IDLE_MAX;

	if (max < j->config.jobs)
		max = j->config.jobs;
	if (is_reusable(o)) {
		pthread_mutex_lock(&j->lock);
		if (!d->lost) /* of one that is set aside nobody would take it */
			o = keep(d, o, max);
		pthread_mutex_unlock(&j->lock);
	}
	if (o)
		free_oracle(o);
}

struct oracle *oracle_dismiss_all(struct judge *j, struct device *d)
{
	struct oracle *all;

	pthread_mutex_lock(&j->lock);
	all = d->idle_oracles;
	d->idle_oracles = NULL;
	d->n_idle_oracles = 0;
	pthread_mutex_unlock(&j->lock);
	for (struct oracle *o = all; o; o = o->next)
		part_kill(&o->part);
	return all;
}

void oracle_free_all(struct oracle *dismissed)
{
	while (dismissed) {
		struct oracle *o = dismissed;

		dismissed = o->next;
		free_oracle(o);
	}
}
