/* geak-reflect: failed candidates in, revised ones out. */
#include <argp.h>
#include <string.h>

#include "domain/asker.h"
#include "domain/candidate.h"
#include "domain/failure.h"
#include "domain/judged.h"
#include "domain/prompt.h"
#include "domain/reflection.h"
#include "domain/reply.h"
#include "ground/cli.h"
#include "ground/text.h"

enum {
	SAMPLES_MAX = 100000,
	PROMPT_MAX = 8 * 1024 * 1024,
	SOURCE_MAX = 8 * 1024 * 1024,
};

static const struct cli cli = { "geak-reflect", llm_features };

struct options {
	long samples, max_rounds;
	bool all;
	char **inputs;
};

enum { OPT_MAX_ROUNDS = 0x4801 };

static const struct argp_option option_list[] = {
	{ "samples", 'n', "N", 0, "Ask for N revisions of each (default 1)", 0 },
	{ "all", 'a', NULL, 0, "Emit the failed candidate as well, before its revisions", 0 },
	{ "max-rounds", OPT_MAX_ROUNDS, "N", 0,
	  "Pass on, unchanged, a candidate of round N or later", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'n':
		o->samples = cli_number(state, "--samples", arg, 1, SAMPLES_MAX);
		return 0;
	case 'a':
		o->all = true;
		return 0;
	case OPT_MAX_ROUNDS:
		o->max_rounds = cli_number(state, "--max-rounds", arg, 0, JUDGED_ROUNDS);
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
	.doc = "Have a language model repair the candidates that failed; the others pass.",
	.children = children,
};

static int ask(const struct options *o, struct asker *a, struct asker_job *job,
	       const struct judged *j, struct err *e)
{
	struct json *vars = reflection_vars(job->item.record, asker_options.target, e);
	struct buf system, user;
	int rc;

	if (!vars)
		return e->code;
	buf_init(&system, PROMPT_MAX);
	buf_init(&user, PROMPT_MAX);
	rc = prompt_render("reflect/system.md", vars, &system, e);
	if (!rc)
		rc = prompt_render("reflect/prompt.md", vars, &user, e);
	if (!rc && o->all)
		asker_pass(a, job);
	if (!rc)
		asker_ask(a, job, j->task_id, j->round + 1, 0, o->samples,
			  asker_messages(system.data, user.data), NULL);
	buf_release(&system);
	buf_release(&user);
	json_free(vars);
	return rc;
}

static int take_candidate(void *ctx, struct asker *a, struct asker_job *job, struct err *e)
{
	const struct options *o = ctx;
	struct judged j;

	if (judged_read(job->item.record, &j, e))
		return e->code;
	if (failure_can_be_repaired(j.status) && j.round < o->max_rounds)
		return ask(o, a, job, &j, e);
	if (!failure_can_be_repaired(j.status) && strcmp(j.status, "pass") != 0)
		text_complain(cli.tool, "candidate %s goes through unchanged: its status %s is no "
			      "failure of its own", j.id, j.status);
	asker_pass(a, job);
	return 0;
}

static int make_revision(void *ctx, struct asker *a, struct asker_job *job,
			 const struct asker_answer *answer, struct err *e)
{
	const struct json *failed = job->item.record;
	const char *entry = json_get_string(record_task(failed), "entry");
	struct json *revision;
	struct buf source;
	int rc;

	(void)ctx;
	(void)e;
	buf_init(&source, SOURCE_MAX);
	rc = reply_code(answer->reply->text, entry, &source, NULL);
	revision = candidate_new(&(struct candidate_spec){
		.tool = cli.tool,
		.asked = &asker_options.llm,
		.parent = failed,
		.sample = answer->sample,
		.reply = answer->reply,
		.source = rc ? NULL : source.data,
	});
	json_set_string(json_get_mut(revision, "origin"), "failure", failure_class(failed));
	asker_put(a, job, revision);
	json_free(revision);
	buf_release(&source);
	return 0;
}

int main(int argc, char **argv)
{
	struct options o = { .samples = 1, .max_rounds = JUDGED_ROUNDS };
	struct asker_stage stage = {
		.tool = cli.tool,
		.handles = STREAM_KIND(RECORD_CANDIDATE),
		.ctx = &o,
		.take = take_candidate,
		.answer = make_revision,
	};

	cli_start(&cli);
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return asker_run(&stage, o.inputs);
}
