/* geak-gen: tasks in, candidates out: asks a model to write each task's kernel. */
#include <argp.h>

#include "domain/asker.h"
#include "domain/candidate.h"
#include "domain/examples.h"
#include "domain/keywords.h"
#include "domain/prompt.h"
#include "domain/reply.h"
#include "domain/task.h"
#include "ground/cli.h"

enum { SAMPLES_MAX = 100000, PROMPT_MAX = 8 * 1024 * 1024, SOURCE_MAX = 8 * 1024 * 1024 };

static const struct cli cli = { "geak-gen", llm_features };
static long samples = 1;
static const char *examples_folder;
static struct examples *examples;

enum { OPT_EXAMPLES = 0x200 };

static const struct argp_option options[] = {
	{ "samples", 'n', "N", 0, "Ask N times for each task (default 1)", 0 },
	{ "examples", OPT_EXAMPLES, "DIR", 0,
	  "Choose the worked example in the prompt from DIR/*.py, too", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	char ***inputs = state->input;

	switch (key) {
	case 'n':
		samples = cli_number(state, "--samples", arg, 1, SAMPLES_MAX);
		return 0;
	case OPT_EXAMPLES:
		examples_folder = arg;
		return 0;
	case ARGP_KEY_ARGS:
		*inputs = state->argv + state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &cli_argp, 0, NULL, -1 },
					      { &asker_argp, 0, NULL, 0 },
					      { 0 } };
static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[FILE...]",
	.doc = "Ask a language model for kernels: read task records, write candidate records.",
	.children = children,
};

static int take_task(void *ctx, struct asker *a, struct asker_job *job, struct err *e)
{
	const struct json *task = job->item.record;
	const char *id = json_get_string(task, "id");
	struct json *vars;
	struct buf system, user;
	int rc;

	(void)ctx;
	if (task_check(task, e)) /* nobody could judge what would be paid for */
		return e->code;
	vars = prompt_task_vars(task, asker_options.target, e);
	if (!vars)
		return e->code;
	buf_init(&system, PROMPT_MAX);
	buf_init(&user, PROMPT_MAX);
	rc = examples_add(examples, task, vars, e);
	if (!rc)
		rc = keywords_add(task, vars, e);
	if (!rc)
		rc = prompt_render("gen/system.md", vars, &system, e);
	if (!rc)
		rc = prompt_render("gen/prompt.md", vars, &user, e);
	if (!rc)
		asker_ask(a, job, id, 0, 0, samples, asker_messages(system.data, user.data), NULL);
	buf_release(&system);
	buf_release(&user);
	json_free(vars);
	return rc;
}

static int make_candidate(void *ctx, struct asker *a, struct asker_job *job,
			  const struct asker_answer *answer, struct err *e)
{
	const struct json *task = job->item.record;
	struct json *candidate;
	struct buf source;
	int rc;

	(void)ctx;
	(void)e;
	buf_init(&source, SOURCE_MAX);
	rc = reply_code(answer->reply->text, json_get_string(task, "entry"), &source, NULL);
	candidate = candidate_new(&(struct candidate_spec){
		.tool = cli.tool,
		.asked = &asker_options.llm,
		.task = task,
		.sample = answer->sample,
		.reply = answer->reply,
		.source = rc ? NULL : source.data,
	});
	asker_put(a, job, candidate);
	json_free(candidate);
	buf_release(&source);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct asker_stage stage = {
		.tool = "geak-gen",
		.handles = STREAM_KIND(RECORD_TASK),
		.retries = true,
		.take = take_task,
		.answer = make_candidate,
	};
	struct err e = ERR_INIT;
	char **inputs = NULL;
	int status;

	cli_start(&cli);
	argp_parse(&argp, argc, argv, 0, NULL, &inputs);
	examples = examples_open(examples_folder, &e);
	status = examples ? asker_run(&stage, inputs) : cli_fail(&e);
	examples_free(examples);
	return status;
}
