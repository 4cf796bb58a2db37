#include "domain/examples.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ground/buf.h"
#include "ground/mem.h"
#include "ground/paths.h"
#include "ground/text.h"
#include "outside/store_search.h"

enum {
	EXAMPLE_MAX = 32 * 1024, /* bytes of a worked example */
	EXAMPLES_MAX = 1000,
};

/* How much more an operator's name and title tell of its kind than a text about it. */
static const double name_weight = 3;

struct example {
	char *source;
	char *title;       /* the docstring's first line */
	char *description; /* the rest of it */
};

struct examples {
	struct example *list;
	size_t n;
	struct store_search *search;
};

/* -- reading */

static int example_read(const char *path, struct example *x, int code, struct err *e)
{
	static const char quotes[] = "\"\"\"";
	const char *start, *end;
	struct buf text;
	size_t line;
	int rc;

	buf_init(&text, EXAMPLE_MAX);
	rc = paths_read(path, EXAMPLE_MAX, &text, e);
	start = strncmp(text.data, quotes, 3) == 0 ? text.data + 3 : NULL;
	end = start ? strstr(start, quotes) : NULL;
	if (rc == 0 && !end)
		rc = err_set(e, code, "%s: a worked example begins with a docstring", path);
	if (rc == 0) {
		line = strcspn(start, "\n");
		line = line < (size_t)(end - start) ? line : (size_t)(end - start);
		x->title = text_trimmed(start, line);
		x->description = text_trimmed(start + line, (size_t)(end - start) - line);
		x->source = text_trimmed(text.data, text.len);
	}
	buf_release(&text);
	return rc;
}

/* What an example is found by: its file's name and the list of what it is for, which its
 * description begins with. How it works is told in words that any task may have. */
static int make_findable(struct examples *x, const struct example *one, const char *name,
			 struct err *e)
{
	const char *end = strstr(one->description, ". "), *line = strstr(one->description, ".\n");
	size_t len = strlen(one->description);
	char *words;
	int rc;

	end = end && line && line < end ? line : end ? end : line;
	words = mem_printf("%s %.*s", name, (int)(end ? (size_t)(end - one->description) : len),
			   one->description);
	rc = store_search_add(x->search, words, e);
	free(words);
	return rc;
}

static int is_example(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot && strcmp(dot, ".py") == 0;
}

static int read_folder(struct examples *x, const char *folder, int code, struct err *e)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_example, alphasort), rc = 0;

	if (n < 0)
		return err_errno(e, code, "the folder of worked examples %s cannot be read", folder);
	for (int i = 0; i < n; i++) {
		char *path = mem_printf("%s/%s", folder, entries[i]->d_name);
		struct example *one = &x->list[x->n];

		if (!rc && x->n == EXAMPLES_MAX)
			rc = err_set(e, code, "%s holds more than %d worked examples", folder,
				     EXAMPLES_MAX);
		if (!rc) {
			rc = example_read(path, one, code, e);
			x->n++;
		}
		if (!rc)
			rc = make_findable(x, one, entries[i]->d_name, e);
		free(path);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

struct examples *examples_open(const char *folder, struct err *e)
{
	struct examples *x = mem_zalloc(1, sizeof(*x));
	char *own = paths_data("prompts/examples", e);

	x->list = mem_zalloc(EXAMPLES_MAX, sizeof(*x->list));
	x->search = own ? store_search_new(e) : NULL;
	if (!x->search || (folder && read_folder(x, folder, ERR_USAGE, e))
	    || read_folder(x, own, ERR_SOFTWARE, e)) {
		examples_free(x);
		x = NULL;
	}
	free(own);
	return x;
}

void examples_free(struct examples *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->n; i++) {
		free(x->list[i].source);
		free(x->list[i].title);
		free(x->list[i].description);
	}
	free(x->list);
	store_search_free(x->search);
	free(x);
}

/* -- choosing */

static void add_field(struct buf *words, const struct json *task, const char *key)
{
	const char *text = json_get_string(task, key);

	buf_adds(words, text ? text : "");
	buf_addc(words, '\n');
}

static int rank(struct examples *x, const struct json *task, double *score, struct err *e)
{
	static const char *const names[] = { "id", "title", "entry" };
	struct buf name, text;
	int rc;

	buf_init(&name, JSON_MAX_BYTES);
	buf_init(&text, JSON_MAX_BYTES);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		add_field(&name, task, names[i]);
	for (const struct json *tag = json_first(json_get(task, "tags")); tag; tag = json_next(tag))
		buf_addf(&text, "%s ", json_string(tag) ? json_string(tag) : "");
	add_field(&text, task, "prompt");
	rc = store_search_rank(x->search, name.data, name_weight, score, e);
	if (!rc)
		rc = store_search_rank(x->search, text.data, 1, score, e);
	buf_release(&name);
	buf_release(&text);
	return rc;
}

int examples_add(struct examples *x, const struct json *task, struct json *vars, struct err *e)
{
	double *score = mem_zalloc(x->n + 1, sizeof(*score));
	int rc = rank(x, task, score, e);
	struct json *chosen = NULL;
	size_t best = 0;

	for (size_t i = 1; i < x->n; i++)
		if (score[i] > score[best])
			best = i;
	if (!rc && x->n && score[best] > 0) {
		chosen = json_new_object();
		json_set_string(chosen, "title", x->list[best].title);
		json_set_string(chosen, "description", x->list[best].description);
		json_set_string(chosen, "source", x->list[best].source);
	}
	json_set(vars, "example", chosen);
	free(score);
	return rc;
}
