#include "domain/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ground/text.h"

enum { NAME_WIDTH = 26, LINE_WIDTH = 80 };

/* -- cells */

static void add_cell(struct buf *out, int width, const char *text)
{
	buf_addf(out, "%*s", width, text);
}

static void add_count(struct buf *out, int width, const struct json *o, const char *key)
{
	buf_addf(out, "%*" PRId64, width, json_get_int(o, key, 0));
}

static void add_percent(struct buf *out, int width, double share)
{
	char text[32] = "-";

	if (!isnan(share))
		snprintf(text, sizeof(text), "%.1f %%", 100 * share);
	add_cell(out, width, text);
}

static void add_times(struct buf *out, int width, const struct json *o, const char *key)
{
	double value = json_get_number(o, key, NAN);
	char text[32] = "-";

	if (!isnan(value))
		snprintf(text, sizeof(text), value < 1000 ? "%.2fx" : "%.3gx", value);
	add_cell(out, width, text);
}

static void add_dollars(struct buf *out, int width, const struct json *sum)
{
	double value = json_get_number(sum, "sum", NAN);
	char text[32] = "-";

	if (!isnan(value))
		snprintf(text, sizeof(text), value != 0 && value < 0.1 ? "$%.4f" : "$%.2f", value);
	add_cell(out, width, text);
}

/* A name from a record, masked, to the left. One that is too long for its column
 * gets a line of its own. */
static void add_name(struct buf *out, const char *name)
{
	struct buf clean;

	buf_init(&clean, LINE_WIDTH);
	if (name)
		text_add_masked(&clean, name, strlen(name), 0);
	if (clean.len <= NAME_WIDTH)
		buf_addf(out, "%-*s", NAME_WIDTH, name ? clean.data : "-");
	else
		buf_addf(out, "%s\n%*s", clean.data, NAME_WIDTH, "");
	buf_release(&clean);
}

static void add_value_name(struct buf *out, const struct json *value)
{
	const char *digits = json_number_text(value);

	add_name(out, digits ? digits : json_string(value));
}

/* -- parts */

static void add_heading(struct buf *out, const struct json *s)
{
	const struct json *tasks = json_get(s, "tasks");
	int64_t n = json_get_int(s, "candidates", 0), judged = json_get_int(s, "judged", 0);
	int64_t undecided = judged - json_get_int(s, "decided", 0);

	buf_addf(out, "tasks %" PRId64 ", candidates %" PRId64 ", errors %" PRId64 "\n",
		 json_get_int(tasks, "count", 0), n, json_get_int(json_get(s, "errors"), "count", 0));
	if (n > judged)
		buf_addf(out, "not judged, so in no accuracy: %" PRId64 "; run geak-eval\n", n - judged);
	if (undecided)
		buf_addf(out, "neither right nor wrong, so in no accuracy: %" PRId64 "\n", undecided);
}

static void add_accuracy(struct buf *out, const struct json *s, const char *label,
			 const char *part, const char *accuracy)
{
	const struct json *groups[] = { s, json_get(s, "tasks") };

	buf_addf(out, "%-20s", label);
	for (size_t i = 0; i < 2; i++) {
		char fraction[48];

		snprintf(fraction, sizeof(fraction), "%" PRId64 "/%" PRId64,
			 json_get_int(groups[i], part, 0), json_get_int(groups[i], "decided", 0));
		add_cell(out, 16, fraction);
		add_percent(out, 10, json_get_number(groups[i], accuracy, NAN));
	}
	buf_addc(out, '\n');
}

static void add_pass_at(struct buf *out, const struct json *list)
{
	enum { PER_LINE = 5 };
	size_t n = 0;

	if (!json_first(list))
		return;
	buf_adds(out, "\npass@k");
	for (const struct json *p = json_first(list); p; p = json_next(p)) {
		char k[32];

		snprintf(k, sizeof(k), "%" PRId64 ":", json_get_int(p, "k", 0));
		if (n && n % PER_LINE == 0)
			buf_adds(out, "\n      ");
		n++;
		add_cell(out, 6, k);
		add_percent(out, 8, json_get_number(p, "value", NAN));
	}
	buf_addc(out, '\n');
}

static void add_statuses(struct buf *out, const struct json *statuses)
{
	size_t column = 0;

	for (const struct json *m = json_first(statuses); m; m = json_next(m)) {
		struct buf word;

		if (json_int(m, 0) == 0)
			continue;
		buf_init(&word, LINE_WIDTH);
		buf_addf(&word, "%" PRId64 " ", json_int(m, 0));
		text_add_masked(&word, json_key(m), strlen(json_key(m)), 0);
		if (column == 0)
			buf_adds(out, "\nverdicts  ");
		else if (column + word.len + 2 > LINE_WIDTH - 1)
			buf_adds(out, ",\n          ");
		else
			buf_adds(out, ", ");
		column = column && column + word.len + 2 <= LINE_WIDTH - 1 ? column + 2 : 10;
		buf_add(out, word.data, word.len);
		column += word.len;
		buf_release(&word);
	}
	if (column)
		buf_addc(out, '\n');
}

static const char *const speedup_rows[][2] = {
	{ "candidates", "every passing one" }, { "tasks", "best of each task" },
};

static void add_speedups(struct buf *out, const struct json *speedup)
{
	if (json_get_int(json_get(speedup, "candidates"), "count", 0) == 0) {
		buf_adds(out, "\nspeedup   -  (no candidate was timed)\n");
		return;
	}
	buf_adds(out, "\nspeedup              timed  geo. mean    median       min       max    fast_1\n");
	for (size_t i = 0; i < 2; i++) {
		const struct json *o = json_get(speedup, speedup_rows[i][0]);

		buf_addf(out, "%-18s", speedup_rows[i][1]);
		add_count(out, 8, o, "count");
		add_times(out, 11, o, "geometric_mean");
		add_times(out, 10, o, "median");
		add_times(out, 10, o, "min");
		add_times(out, 10, o, "max");
		add_percent(out, 10, json_get_number(o, "fast_1", NAN));
		buf_addc(out, '\n');
	}
}

/* Only where the times have intervals, and floors. */
static void add_verdicts(struct buf *out, const struct json *speedup)
{
	static const char *const words[] = { "faster", "same", "slower" };
	const struct json *all = json_get(speedup, "candidates");

	if (!json_get(all, "verdicts") && !json_get(all, "roofline"))
		return;
	buf_adds(out, "\nspeed               faster      same    slower   of roofline\n");
	for (size_t i = 0; i < 2; i++) {
		const struct json *o = json_get(speedup, speedup_rows[i][0]);
		const struct json *verdicts = json_get(o, "verdicts");

		buf_addf(out, "%-18s", speedup_rows[i][1]);
		for (size_t k = 0; k < 3; k++)
			if (verdicts)
				add_count(out, k ? 10 : 8, verdicts, words[k]);
			else
				add_cell(out, k ? 10 : 8, "-");
		add_percent(out, 14, json_get_number(o, "roofline", NAN));
		buf_addc(out, '\n');
	}
}

static void add_ratio(struct buf *out, const struct json *o, const char *verdict)
{
	double lo = json_get_number(o, "ratio_lo", NAN), hi = json_get_number(o, "ratio_hi", NAN);

	add_times(out, 10, o, "ratio");
	if (!isnan(lo) && !isnan(hi))
		buf_addf(out, "  (%.3f to %.3f)", lo, hi);
	buf_addf(out, "  %s\n", verdict ? verdict : "-");
}

static void add_comparison(struct buf *out, const struct json *c, bool per_task)
{
	static const char *const keys[] = {
		"faster", "same", "slower", "untold", "gained", "lost",
	};
	const struct json *tasks = json_get(c, "tasks");

	if (!c)
		return;
	buf_adds(out, "\nagainst before      faster      same    slower    untold    gained      "
		 "lost\n");
	buf_addf(out, "%-16s", "tasks");
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		add_count(out, 10, tasks, keys[i]);
	if (json_get_int(tasks, "missing", 0))
		buf_addf(out, "\n%-16s%10lld of before are not in this run", "missing",
			 (long long)json_get_int(tasks, "missing", 0));
	buf_addf(out, "\n%-16s", "geo. mean");
	add_ratio(out, c, json_get_string(c, "verdict"));
	if (!per_task || !json_first(json_get(c, "per_task")))
		return;
	buf_addf(out, "\n%-*s  before      now     ratio\n", NAME_WIDTH, "task");
	for (const struct json *t = json_first(json_get(c, "per_task")); t; t = json_next(t)) {
		add_name(out, json_get_string(t, "task"));
		add_times(out, 8, t, "before");
		add_times(out, 9, t, "now");
		add_ratio(out, t, json_get_string(t, "verdict"));
	}
}

/* "$0.0123 and 4567 tokens a passing kernel", what is known of it. */
static void add_each(struct buf *out, const struct json *each, const char *what)
{
	double usd = json_get_number(each, "usd", NAN), tokens = json_get_number(each, "tokens", NAN);

	if (isnan(usd) && isnan(tokens))
		return;
	buf_adds(out, "          ");
	if (!isnan(usd))
		buf_addf(out, usd < 0.1 ? "$%.4f" : "$%.2f", usd);
	if (!isnan(tokens))
		buf_addf(out, "%s%.0f tokens", isnan(usd) ? "" : " and ", tokens);
	buf_addf(out, " for each %s\n", what);
}

static void add_spent(struct buf *out, const struct json *s)
{
	const struct json *prompt = json_get(s, "prompt_tokens"), *cost = json_get(s, "cost_usd");
	const struct json *completion = json_get(s, "completion_tokens");
	int64_t n = json_get_int(s, "candidates", 0);

	buf_adds(out, "\ntokens    ");
	if (json_get_int(prompt, "known", 0) || json_get_int(completion, "known", 0))
		buf_addf(out, "%.0f in, %.0f out (known of %" PRId64 " of %" PRId64 " candidates)\n",
			 json_get_number(prompt, "sum", 0), json_get_number(completion, "sum", 0),
			 json_get_int(completion, "known", 0), n);
	else
		buf_adds(out, "-\n");
	buf_adds(out, "cost      ");
	add_dollars(out, 0, cost);
	if (json_get_int(cost, "known", 0))
		buf_addf(out, " (known of %" PRId64 " of %" PRId64 " candidates)",
			 json_get_int(cost, "known", 0), n);
	buf_addc(out, '\n');
	add_each(out, json_get(s, "per_pass"), "kernel that passed");
	add_each(out, json_get(s, "per_speedup"), "kernel that is faster");
}

static void add_breakdown(struct buf *out, const struct json *summary, const char *key,
			  const char *list)
{
	const struct json *first = json_first(json_get(summary, list));
	bool rounds = json_get(first, "solved_so_far") != NULL;

	if (!first)
		return;
	buf_addf(out, "\n%-*s   cands     call     exec   tasks   solved%s\n", NAME_WIDTH, key,
		 rounds ? "  so far" : "      cost");
	for (const struct json *g = first; g; g = json_next(g)) {
		const struct json *tasks = json_get(g, "tasks");

		add_value_name(out, json_get(g, key));
		add_count(out, 8, g, "candidates");
		add_percent(out, 9, json_get_number(g, "call_accuracy", NAN));
		add_percent(out, 9, json_get_number(g, "execution_accuracy", NAN));
		add_count(out, 8, tasks, "count");
		add_count(out, 9, tasks, "passed");
		if (rounds)
			add_count(out, 8, g, "solved_so_far");
		else
			add_dollars(out, 10, json_get(g, "cost_usd"));
		buf_addc(out, '\n');
	}
}

static void add_tasks(struct buf *out, const struct json *list)
{
	buf_addf(out, "\n%-*s   cands   called  passed  speedup  best\n", NAME_WIDTH, "task");
	for (const struct json *t = json_first(list); t; t = json_next(t)) {
		const char *best = json_get_string(t, "best");

		add_name(out, json_get_string(t, "task"));
		add_count(out, 8, t, "candidates");
		add_count(out, 9, t, "called");
		add_count(out, 8, t, "passed");
		add_times(out, 9, t, "speedup");
		buf_adds(out, "  ");
		text_add_masked(out, best ? best : "-", best ? strnlen(best, 16) : 1, 0);
		buf_addc(out, '\n');
	}
}

void table_add(struct buf *out, const struct json *s, bool per_task)
{
	add_heading(out, s);
	buf_addf(out, "\n%20s%26s%26s\n", "", "candidates", "tasks (best of n)");
	add_accuracy(out, s, "call accuracy", "called", "call_accuracy");
	add_accuracy(out, s, "execution accuracy", "passed", "execution_accuracy");
	add_pass_at(out, json_get(s, "pass_at_k"));
	add_statuses(out, json_get(s, "status"));
	add_speedups(out, json_get(s, "speedup"));
	add_verdicts(out, json_get(s, "speedup"));
	add_comparison(out, json_get(s, "comparison"), per_task);
	add_spent(out, s);
	add_breakdown(out, s, "difficulty", "by_difficulty");
	add_breakdown(out, s, "model", "by_model");
	add_breakdown(out, s, "tool", "by_tool");
	add_breakdown(out, s, "round", "by_round");
	if (per_task)
		add_tasks(out, json_get(s, "per_task"));
}
