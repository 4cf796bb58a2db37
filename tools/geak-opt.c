/* geak-opt: asks for faster children of the best candidates of each task. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "domain/arch.h"
#include "domain/asker.h"
#include "domain/bottleneck.h"
#include "domain/candidate.h"
#include "domain/improvement.h"
#include "domain/judged.h"
#include "domain/prompt.h"
#include "domain/reply.h"
#include "domain/selection.h"
#include "domain/strategy.h"
#include "ground/cli.h"
#include "ground/mem.h"
#include "ground/text.h"

enum {
	CHILDREN_MAX = 100000, BEST_MAX = 100,
	PROMPT_MAX = 8 * 1024 * 1024,
	SOURCE_MAX = 8 * 1024 * 1024,
};

static const struct cli cli = { "geak-opt", llm_features };

struct opt {
	long best, children;
	char **inputs;
	struct selection *seen;   /* every candidate that was judged */
	struct strategies *strategies;
	struct json *arch;
	bool ranked;
	size_t next, tasks;
};

static const struct argp_option option_list[] = {
	{ "best", 'k', "N", 0, "Show the model each task's N best (default 3)", 0 },
	{ "samples", 'n', "N", 0, "Ask for N children of each task (default 4)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct opt *o = state->input;

	switch (key) {
	case 'k':
		o->best = cli_number(state, "--best", arg, 1, BEST_MAX);
		return 0;
	case 'n':
		o->children = cli_number(state, "--samples", arg, 1, CHILDREN_MAX);
		return 0;
	case ARGP_KEY_ARGS:
		o->inputs = state->argv + state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &cli_argp, 0, NULL, -1 },
					      { &asker_argp, 0, NULL, 0 },
					      { 0 } };
static const struct argp argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "[FILE...]",
	.doc = "Have a language model make the best candidates of each task faster. All "
	       "candidates pass at once; their children come when the input has ended.",
	.children = children,
};

static int take_candidate(void *ctx, struct asker *a, struct asker_job *job, struct err *e)
{
	struct opt *o = ctx;
	struct judged j;
	int rc = judged_read(job->item.record, &j, e);

	if (!rc)
		rc = selection_add(o->seen, job->item.record, e);
	if (!rc)
		asker_pass(a, job);
	return rc;
}

/* -- when all has been read */

/* Asks for one child; which is its number among its siblings. */
static int ask_child(struct opt *o, struct asker *a, struct asker_job *job,
		     struct json *const *parents, size_t count, long which, struct err *e)
{
	const char *id = json_get_string(record_task(parents[0]), "id");
	int64_t round = json_get_int(parents[0], "round", 0);
	size_t turn = (size_t)round * (size_t)o->children + (size_t)which;
	const struct strategy *strategy;
	struct bottleneck b;
	struct json *vars, *note;
	struct buf system, user;
	int rc;

	bottleneck_find(parents[0], o->arch, &b);
	strategy = strategy_pick(o->strategies, b.kind, json_get_string(o->arch, "vendor"), turn);
	vars = improvement_vars(parents, count, &b, strategy, asker_options.target, e);
	if (!vars)
		return e->code;
	buf_init(&system, PROMPT_MAX);
	buf_init(&user, PROMPT_MAX);
	rc = prompt_render("opt/system.md", vars, &system, e);
	if (!rc)
		rc = prompt_render("opt/prompt.md", vars, &user, e);
	if (!rc) {
		note = json_new_object();
		json_set_string(note, "bottleneck", bottleneck_name(b.kind));
		json_set_string(note, "strategy", strategy ? strategy->name : NULL);
		asker_ask(a, job, id, round + 1, which, 1,
			  asker_messages(system.data, user.data), note);
	}
	buf_release(&system);
	buf_release(&user);
	json_free(vars);
	return rc;
}

/* Takes the parents from the selection and asks for all their children. */
static int improve(struct opt *o, struct asker *a, struct asker_job *job,
		   const struct selection_task *task, struct err *e)
{
	size_t count = task->passed < (size_t)o->best ? task->passed : (size_t)o->best, n = 0;
	struct json **parents = mem_zalloc(count, sizeof(*parents));
	int rc = 0;

	for (; n < count && !rc; n++) {
		parents[n] = selection_read(o->seen, task, n, e);
		rc = parents[n] ? 0 : e->code;
	}
	for (long i = 0; i < o->children && !rc; i++)
		rc = ask_child(o, a, job, parents, count, i, e);
	if (parents[0])
		job->item.record = parents[0]; /* the best one: the parent of all */
	for (size_t i = 1; i < count; i++)
		json_free(parents[i]);
	free(parents);
	return rc;
}

/* One task more, if there is one with something to improve. */
static int next_task(void *ctx, struct asker *a, struct asker_job *job, struct err *e)
{
	struct opt *o = ctx;

	if (!o->ranked)
		o->tasks = selection_rank(o->seen);
	o->ranked = true;
	while (o->next < o->tasks) {
		struct selection_task task = selection_task(o->seen, o->next++);
		int rc;

		if (task.passed > 0) {
			rc = improve(o, a, job, &task, e);
			return rc ? rc : 1;
		}
		text_complain(cli.tool, "task %s: no candidate of %zu passed; there is nothing "
			      "to improve", task.id, task.candidates);
	}
	return 0;
}

static int make_child(void *ctx, struct asker *a, struct asker_job *job,
		      const struct asker_answer *answer, struct err *e)
{
	const struct json *parent = job->item.record;
	const char *entry = json_get_string(record_task(parent), "entry");
	struct json *child, *origin;
	struct buf source;
	int rc;

	(void)ctx;
	(void)e;
	buf_init(&source, SOURCE_MAX);
	rc = reply_code(answer->reply->text, entry, &source, NULL);
	child = candidate_new(&(struct candidate_spec){
		.tool = cli.tool,
		.asked = &asker_options.llm,
		.parent = parent,
		.sample = answer->sample,
		.reply = answer->reply,
		.source = rc ? NULL : source.data,
	});
	origin = json_get_mut(child, "origin");
	json_set(origin, "strategy", json_dup(json_get(answer->note, "strategy")));
	json_set(origin, "bottleneck", json_dup(json_get(answer->note, "bottleneck")));
	asker_put(a, job, child);
	json_free(child);
	buf_release(&source);
	return 0;
}

/* What does not depend on the input: a fault there shows before anything is read. */
static int prepare(struct opt *o, struct err *e)
{
	int rc = arch_load(asker_options.target, &o->arch, e);

	if (rc)
		return rc;
	o->strategies = strategies_load(e);
	if (!o->strategies)
		return e->code;
	o->seen = selection_new(e);
	return o->seen ? 0 : e->code;
}

int main(int argc, char **argv)
{
	struct opt o = { .best = 3, .children = 4 };
	struct asker_stage stage = {
		.tool = cli.tool,
		.handles = STREAM_KIND(RECORD_CANDIDATE),
		.ctx = &o,
		.take = take_candidate,
		.answer = make_child,
		.more = next_task,
	};
	struct err e = ERR_INIT;
	int status;

	cli_start(&cli);
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	status = prepare(&o, &e) ? cli_fail(&e) : asker_run(&stage, o.inputs);
	selection_free(o.seen);
	strategies_free(o.strategies);
	json_free(o.arch);
	return status;
}
