/* geak-top: the best candidates of each task. */
#include "domain/selection.h"
#include "ground/cli.h"
#include "ground/text.h"
#include "records/stream.h"

struct options {
	size_t best;
	bool all;
	char **inputs;
};

static const struct argp_option option_list[] = {
	{ "best", 'k', "N", 0, "Keep the N best of each task (default 1)", 0 },
	{ "all", 'a', NULL, 0, "Rank candidates that did not pass as well, after the others", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'k':
		o->best = (size_t)cli_number(state, "--best", arg, 1, 1000000000);
		break;
	case 'a':
		o->all = true;
		break;
	case ARGP_KEY_ARGS:
		o->inputs = state->argv + state->next;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* A failure of ours, not of a record: said once, and what was read is of no use. */
static int give_up(struct stream *s, struct selection *selection, const struct err *e)
{
	stream_close(s);
	selection_free(selection);
	return cli_fail(e);
}

static int read_all(struct stream *s, struct selection *selection, struct err *e)
{
	struct stream_item item;

	while (stream_next(s, true, &item) == STREAM_ITEM) {
		int rc = selection_add(selection, item.record, e);

		if (rc == ERR_RECORD)
			stream_fail(s, &item, e);
		else
			stream_done(s, &item);
		if (rc && rc != ERR_RECORD)
			return rc;
	}
	return 0;
}

static void say_none(const struct selection_task *task)
{
	if (task->judged == 0)
		text_complain(cli_tool(), "task %s: no candidate of %zu was judged; run geak-eval "
			      "first", task->id, task->candidates);
	else
		text_complain(cli_tool(), "task %s: no candidate of %zu passed (-a ranks the "
			      "others as well)", task->id, task->candidates);
}

static int write_task(struct stream *s, const struct selection *selection,
		      const struct options *o, size_t index, struct err *e)
{
	struct selection_task task = selection_task(selection, index);
	size_t n = o->all ? task.candidates : task.passed;
	struct stream_item item;
	int rc = 0;

	if (n == 0)
		say_none(&task);
	stream_trailer(s, &item);
	for (size_t i = 0; i < n && i < o->best && !rc; i++) {
		struct json *record = selection_read(selection, &task, i, e);

		if (record)
			stream_put(s, &item, record);
		else
			rc = e->code;
		json_free(record);
	}
	stream_done(s, &item);
	return rc;
}

int main(int argc, char **argv)
{
	static const struct cli cli = { .tool = "geak-top" };
	static const struct argp_child children[] = { { &cli_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = option_list, .parser = parse_option, .children = children,
		.args_doc = "[FILE...]",
		.doc = "Keep the best candidates of each task, the best one first.",
	};
	struct options o = { .best = 1 };
	struct stream_config config = {
		.tool = "geak-top", .handles = STREAM_KIND(RECORD_CANDIDATE), .capacity = 1,
	};
	struct err e = ERR_INIT;
	struct selection *selection;
	struct stream *s;
	size_t tasks;

	cli_start(&cli);
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	config.inputs = o.inputs;
	s = stream_open(&config, &e);
	if (!s)
		return cli_fail(&e);
	selection = selection_new(&e);
	if (!selection || read_all(s, selection, &e))
		return give_up(s, selection, &e);
	tasks = selection_rank(selection);
	for (size_t i = 0; i < tasks && !stream_broken(s); i++)
		if (write_task(s, selection, &o, i, &e))
			return give_up(s, selection, &e);
	selection_free(selection);
	return stream_close(s);
}
