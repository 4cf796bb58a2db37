#include "domain/lint_report.h"

#include <stdlib.h>
#include <string.h>

#include "domain/lint_faults.h"
#include "ground/mem.h"
#include "ground/names.h"
#include "ground/text.h"

enum { LINE_WIDTH = 80, ID_MIN = 4, ID_MAX = 34, TRIED_WIDTH = 7 };

/* Names with a count for each. */
struct counts {
	struct names names;
	size_t *n;
};

struct lint_report {
	size_t id_width;
	size_t tasks, tried, accepting;  /* tasks; those that could be tried; those at fault */
	size_t accepted;                 /* answers, over all tasks */
	size_t least, most;              /* wrong answers tried on one task */
	bool begun;
	struct counts accepts, weak, asked, faults, untried;
};

static void count(struct counts *c, const char *name)
{
	size_t had = c->names.count, i;

	if (!name)
		return;
	i = names_add(&c->names, name);
	if (i == had) {
		c->n = mem_realloc(c->n, (had + 1) * sizeof(*c->n));
		c->n[i] = 0;
	}
	c->n[i]++;
}

static size_t counted(const struct counts *c, const char *name)
{
	size_t i = names_find(&c->names, name);

	return i == NAMES_NONE ? 0 : c->n[i];
}

static void counts_release(struct counts *c)
{
	names_release(&c->names);
	free(c->n);
}

struct lint_report *lint_report_new(size_t widest)
{
	struct lint_report *r = mem_zalloc(1, sizeof(*r));
	struct counts *all[] = { &r->accepts, &r->weak, &r->asked, &r->faults, &r->untried };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		names_init(&all[i]->names);
	r->id_width = widest < ID_MIN ? ID_MIN : widest > ID_MAX ? ID_MAX : widest;
	return r;
}

void lint_report_free(struct lint_report *r)
{
	counts_release(&r->accepts);
	counts_release(&r->weak);
	counts_release(&r->asked);
	counts_release(&r->faults);
	counts_release(&r->untried);
	free(r);
}

/* -- a row: the id, the number of answers, and then text in a column of its own */

/* Words in the last column; it goes on below when a line is full. */
struct column {
	struct buf *out;
	size_t indent, at; /* at: columns used in this line */
};

static void column_break(struct column *c)
{
	buf_addf(c->out, "\n%*s", (int)c->indent, "");
	c->at = c->indent;
}

static void column_add(struct column *c, const char *word)
{
	size_t len = strlen(word);

	if (c->at > c->indent && c->at + 1 + len > LINE_WIDTH) {
		column_break(c);
	} else if (c->at > c->indent) {
		buf_addc(c->out, ' ');
		c->at++;
	}
	buf_adds(c->out, word);
	c->at += len;
}

/* "zeros, ones" */
static void column_list(struct column *c, const struct json *list, const char *key)
{
	for (const struct json *m = json_first(list); m; m = json_next(m)) {
		const char *text = key ? json_get_string(m, key) : json_string(m);
		char *word = mem_printf("%s%s", text ? text : "?", json_next(m) ? "," : "");

		column_add(c, word);
		free(word);
	}
}

/* A label and a list on lines of their own, unless the list is empty. */
static void column_labelled(struct column *c, const char *label, const struct json *list,
			    const char *key)
{
	if (!json_first(list))
		return;
	column_break(c);
	column_add(c, label);
	column_list(c, list, key);
}

static void column_weak(struct column *c, const struct json *list)
{
	if (!json_first(list))
		return;
	column_break(c);
	column_add(c, "in part:");
	for (const struct json *m = json_first(list); m; m = json_next(m)) {
		const char *answer = json_get_string(m, "answer");
		char *word = mem_printf("%s (%zu of %zu cases)%s", answer ? answer : "?",
					json_len(json_get(m, "cases")),
					(size_t)json_get_int(m, "of", 0), json_next(m) ? "," : "");

		column_add(c, word);
		free(word);
	}
}

/* What kept a task from being tried: the first line of it, cut to fit. */
static void column_error(struct column *c, const char *status, const struct json *error)
{
	const char *class = json_get_string(error, "class");
	const char *message = json_get_string(error, "message");
	size_t room = LINE_WIDTH - c->indent;
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	buf_adds(&text, status);
	if (error)
		buf_addf(&text, ": %s: ", class ? class : "?");
	if (error && message)
		text_add_masked(&text, message, strcspn(message, "\n"), 0);
	while (text.len > room) {
		do
			buf_truncate(&text, text.len - 1);
		while (text.len && ((unsigned char)text.data[text.len] & 0xC0) == 0x80);
	}
	column_add(c, text.data);
	buf_release(&text);
}

static void add_id(struct lint_report *r, const char *id, struct buf *out)
{
	buf_addf(out, "%-*s", (int)r->id_width, id);
	if (strlen(id) > r->id_width)
		buf_addf(out, "\n%*s", (int)r->id_width, "");
}

static void count_task(struct lint_report *r, const struct json *lint, bool was_tried)
{
	size_t n = json_len(json_get(lint, "tried")), bad = json_len(json_get(lint, "accepted"));
	const struct json *m;

	for (m = json_first(json_get(lint, "faults")); m; m = json_next(m))
		count(&r->faults, json_get_string(m, "kind"));
	if (!was_tried) {
		count(&r->untried, json_get_string(lint, "status"));
		return;
	}
	r->least = r->tried && r->least < n ? r->least : n;
	r->most = r->most > n ? r->most : n;
	r->tried++;
	r->accepted += bad;
	r->accepting += bad > 0;
	for (m = json_first(json_get(lint, "tried")); m; m = json_next(m))
		count(&r->asked, json_string(m));
	for (m = json_first(json_get(lint, "accepted")); m; m = json_next(m))
		count(&r->accepts, json_string(m));
	for (m = json_first(json_get(lint, "weak")); m; m = json_next(m))
		count(&r->weak, json_get_string(m, "answer"));
}

static bool was_tried(const char *status)
{
	return status && (strcmp(status, "accepts") == 0 || strcmp(status, "refuses") == 0);
}

void lint_report_add(struct lint_report *r, const struct json *task, struct buf *out)
{
	const struct json *lint = json_get(task, "lint"), *accepted = json_get(lint, "accepted");
	const char *status = json_get_string(lint, "status"), *id = json_get_string(task, "id");
	struct column c = { out, r->id_width + TRIED_WIDTH + 2, r->id_width + TRIED_WIDTH + 2 };
	bool tried = was_tried(status);

	if (!r->begun)
		buf_addf(out, "%-*s%*s  accepted\n", (int)r->id_width, "task", TRIED_WIDTH, "tried");
	r->begun = true;
	r->tasks++;
	count_task(r, lint, tried);
	add_id(r, id ? id : "?", out);
	if (tried)
		buf_addf(out, "%*zu  ", TRIED_WIDTH, json_len(json_get(lint, "tried")));
	else
		buf_addf(out, "%*s  ", TRIED_WIDTH, "-");
	if (!tried)
		column_error(&c, status ? status : "?", json_get(lint, "error"));
	else if (json_first(accepted))
		column_list(&c, accepted, NULL);
	else
		column_add(&c, "-");
	column_weak(&c, json_get(lint, "weak"));
	column_labelled(&c, "tolerated:", json_get(lint, "tolerated"), NULL);
	column_labelled(&c, "fault:", json_get(lint, "faults"), "kind");
	buf_addc(out, '\n');
}

/* -- the totals */

static void add_answers(const struct lint_report *r, struct buf *out)
{
	if (r->accepts.names.count + r->weak.names.count == 0)
		return;
	buf_addf(out, "\n%-14s%10s%10s%10s\n", "answer", "tasks", "accepted", "in part");
	for (size_t i = 0; i < r->asked.names.count; i++) {
		const char *name = r->asked.names.list[i];
		size_t accepts = counted(&r->accepts, name), weak = counted(&r->weak, name);

		if (accepts + weak)
			buf_addf(out, "%-14s%10zu%10zu%10zu\n", name, r->asked.n[i], accepts, weak);
	}
}

static void add_faults(const struct lint_report *r, struct buf *out)
{
	if (r->faults.names.count)
		buf_addf(out, "\n%-14s%5s\n", "fault", "tasks");
	for (size_t i = 0; i < r->faults.names.count; i++) {
		const char *kind = r->faults.names.list[i], *sentence = lint_sentence(kind);

		buf_addf(out, "%-14s%5zu  ", kind, r->faults.n[i]);
		for (struct column c = { out, 21, 21 }; sentence && *sentence; ) {
			size_t len = strcspn(sentence, " ");
			char *word = mem_strndup(sentence, len);

			column_add(&c, word);
			free(word);
			sentence += len + strspn(sentence + len, " ");
		}
		buf_addc(out, '\n');
	}
}

void lint_report_sum(const struct lint_report *r, struct buf *out)
{
	add_answers(r, out);
	add_faults(r, out);
	buf_addf(out, "%s%zu task%s", r->begun ? "\n" : "", r->tried, r->tried == 1 ? "" : "s");
	if (r->tried && r->least == r->most)
		buf_addf(out, ", %zu wrong answers each", r->most);
	else if (r->tried)
		buf_addf(out, ", %zu to %zu wrong answers each", r->least, r->most);
	buf_addf(out, ": %zu accepted", r->accepted);
	if (r->accepted)
		buf_addf(out, ", by %zu of the tasks", r->accepting);
	buf_addc(out, '\n');
	if (r->tasks == r->tried)
		return;
	buf_addf(out, "%zu could not be tried:", r->tasks - r->tried);
	for (size_t i = 0; i < r->untried.names.count; i++)
		buf_addf(out, "%s %zu %s", i ? "," : "", r->untried.n[i], r->untried.names.list[i]);
	buf_addc(out, '\n');
}

bool lint_report_is_clean(const struct lint_report *r)
{
	return r->accepted == 0 && r->tried == r->tasks;
}
