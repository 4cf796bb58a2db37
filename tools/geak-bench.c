/* geak-bench: the figures of a run. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain/comparison.h"
#include "domain/objects.h"
#include "domain/table.h"
#include "domain/tally.h"
#include "domain/times.h"
#include "ground/cli.h"
#include "ground/mem.h"
#include "ground/output.h"
#include "ground/text.h"
#include "records/stream.h"

enum { KS_MAX = 32, K_MAX = 1000000 };

/* With --compare, beside 0 for a run that is faster. */
enum { STATUS_SAME = 2, STATUS_SLOWER = 3, STATUS_NOTHING_COMPARED = 4 };

static const struct cli cli = { .tool = "geak-bench" };

struct options {
	size_t ks[KS_MAX], n_ks;
	bool json, tasks;
	void (*show)(struct buf *out, const struct json *candidate); /* instead of figures */
	char *compare;    /* the file of an earlier run, or NULL */
	char **inputs;
};

static const struct argp_option option_list[] = {
	{ "compare", 'c', "FILE", 0, "Hold the run against an earlier one, and end with 0 when "
	  "it is faster, 2 when it is the same, 3 when it is slower, 4 when they share no task", 0 },
	{ "json", 'J', NULL, 0, "Write a summary/1 record instead of a table", 0 },
	{ "objects", 'o', NULL, 0, "Show what each candidate's kernels need on each target, and no "
	  "figures of the run", 0 },
	{ "times", 'T', NULL, 0, "Show the times of each candidate's cases beside its baselines', and "
	  "no figures of the run", 0 },
	{ "tasks", 't', NULL, 0, "Add a line for each task to the table", 0 },
	{ "pass-at", 'k', "LIST", 0, "The k of pass@k, comma-separated (default: 1, 2, 4... as "
	  "far as every task has candidates)", 0 },
	{ 0 },
};

static void parse_ks(struct argp_state *state, struct options *o, const char *list)
{
	const char *p = list;
	char *end;

	o->n_ks = 0;
	do {
		long k = strtol(p, &end, 10);

		if (end == p || (*end && *end != ',') || k < 1 || k > K_MAX || o->n_ks == KS_MAX)
			argp_error(state, "--pass-at takes up to %d whole numbers from 1 to %d with "
				   "commas between them, not '%s'", KS_MAX, K_MAX, list);
		o->ks[o->n_ks++] = (size_t)k;
		p = end + 1;
	} while (*end);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'c':
		if (strcmp(arg, "-") == 0)
			argp_error(state, "--compare takes a file, and '-' is none");
		o->compare = arg;
		break;
	case 'J':
		o->json = true;
		break;
	case 'o':
	case 'T':
		if (o->show)
			argp_error(state, "--objects and --times are two tables; ask for one");
		o->show = key == 'o' ? objects_add : times_add;
		break;
	case 't':
		o->tasks = true;
		break;
	case 'k':
		parse_ks(state, o, arg);
		break;
	case ARGP_KEY_END:
		if (o->show && (o->json || o->compare || o->tasks || o->n_ks))
			argp_error(state, "--objects and --times have tables of their own, with which "
				   "--json, --compare, --tasks and -k do not go");
		break;
	case ARGP_KEY_ARGS:
		o->inputs = state->argv + state->next;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* With an earlier run its file comes first, and is told from the others by that. */
static char **all_inputs(const struct options *o)
{
	static char standard_input[] = "-";
	size_t n = 0, at = 0;
	char **all;

	while (o->inputs && o->inputs[n])
		n++;
	all = mem_zalloc(n + 3, sizeof(*all));
	if (o->compare)
		all[at++] = o->compare;
	if (n == 0)
		all[at++] = standard_input;
	for (size_t i = 0; i < n; i++)
		all[at++] = o->inputs[i];
	return all;
}

static void read_all(struct stream *s, const char *compare, struct tally *before,
		     struct tally *tally)
{
	struct stream_item item;

	while (stream_next(s, true, &item) == STREAM_ITEM) {
		bool earlier = compare && item.from.input == compare;
		struct err e = ERR_INIT;

		if (tally_add(earlier ? before : tally, item.record, &e))
			stream_fail(s, &item, &e);
		else
			stream_done(s, &item);
	}
}

static void write_record(struct stream *s, const struct json *summary)
{
	struct stream_item item;

	stream_trailer(s, &item);
	stream_put(s, &item, summary);
	stream_done(s, &item);
}

static void write_table(const struct json *summary, bool tasks)
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	table_add(&text, summary, tasks);
	output_write(text.data, text.len); /* stream_close() tells of errors */
	buf_release(&text);
}

static int status_of(const struct json *comparison)
{
	const char *verdict = json_get_string(comparison, "verdict");

	if (!comparison)
		return 0;
	if (!verdict)
		return STATUS_NOTHING_COMPARED;
	return strcmp(verdict, "faster") == 0 ? 0
	       : strcmp(verdict, "same") == 0 ? STATUS_SAME : STATUS_SLOWER;
}

/* Returns the exit status of a comparison, or 0. */
static int give_figures(struct stream *s, const struct options *o)
{
	struct tally *tally = tally_new(), *before = tally_new();
	struct json *summary;
	int status;

	read_all(s, o->compare, before, tally);
	summary = tally_summary(tally, o->ks, o->n_ks);
	if (o->compare)
		json_set(summary, "comparison", comparison_of(before, tally));
	status = status_of(json_get(summary, "comparison"));
	if (status == STATUS_NOTHING_COMPARED)
		text_complain(cli.tool, "nothing could be compared with %s: %s; give a run of the "
			      "same tasks", o->compare, json_first(json_get(summary, "per_task"))
			      ? "the two have no task in common" : "this run has no task");
	if (o->json)
		write_record(s, summary);
	else
		write_table(summary, o->tasks);
	json_free(summary);
	tally_free(before);
	tally_free(tally);
	return status;
}

static void show_each(struct stream *s, const struct options *o)
{
	struct stream_item item;
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	while (stream_next(s, true, &item) == STREAM_ITEM) {
		if (item.kind == RECORD_CANDIDATE)
			o->show(&text, item.record);
		output_write(text.data, text.len);
		buf_reset(&text);
		stream_done(s, &item);
	}
	buf_release(&text);
}

int main(int argc, char **argv)
{
	static const struct argp_child children[] = { { &cli_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = option_list, .parser = parse_option, .children = children,
		.args_doc = "[FILE...]",
		.doc = "Give the figures of a run: accuracy, pass@k, speedups, cost.",
	};
	struct options o = { 0 };
	struct stream_config config = {
		.tool = "geak-bench", .capacity = 1,
		.handles = STREAM_KIND(RECORD_CANDIDATE) | STREAM_KIND(RECORD_TASK)
			   | STREAM_KIND(RECORD_ERROR),
	};
	struct err e = ERR_INIT;
	struct stream *s;
	char **inputs;
	int rc, status = 0;

	cli_start(&cli);
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	inputs = all_inputs(&o);
	config.inputs = inputs;
	config.silent = !o.json;
	s = stream_open(&config, &e);
	if (!s) {
		free(inputs);
		return cli_fail(&e);
	}
	if (o.show)
		show_each(s, &o);
	else
		status = give_figures(s, &o);
	rc = stream_close(s);
	free(inputs);
	return rc ? rc : status;
}
