#include "domain/keywords.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "domain/prompt.h"
#include "ground/buf.h"
#include "ground/mem.h"
#include "ground/paths.h"

enum { RULE_MAX = 16 * 1024 };

/* Lower-case words with one blank before and after each, without the plural's ending: where one
 * such text is part of another, the words stand in it as they are. */
static void add_words(struct buf *out, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		size_t n = 0;

		while (text + n < end && isalnum((unsigned char)text[n]))
			n++;
		if (n && (out->len == 0 || out->data[out->len - 1] != ' '))
			buf_addc(out, ' ');
		for (size_t i = 0; i < n; i++)
			if (i + 1 < n || n < 4 || text[i] != 's' || text[i - 1] == 's')
				buf_addc(out, (char)tolower((unsigned char)text[i]));
		if (n)
			buf_addc(out, ' ');
		text += n ? n : 1;
	}
}

static void words_of_task(const struct json *task, struct buf *out)
{
	static const char *const fields[] = { "id", "title", "entry", "prompt" };

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const char *text = json_get_string(task, fields[i]);

		if (text)
			add_words(out, text, strlen(text));
		buf_addc(out, '\n'); /* no phrase goes over this */
	}
	for (const struct json *tag = json_first(json_get(task, "tags")); tag; tag = json_next(tag)) {
		add_words(out, json_string(tag) ? json_string(tag) : "",
			  json_string(tag) ? strlen(json_string(tag)) : 0);
		buf_addc(out, '\n');
	}
}

/* True when one of the words in list, up to its end, stands in the text. */
static bool any_stands_in(const char *list, const char *end, const char *text)
{
	bool found = false;

	while (list < end && !found) {
		size_t len = strcspn(list, ",}");
		struct buf words;

		buf_init(&words, RULE_MAX);
		add_words(&words, list, len);
		found = words.len && strstr(text, words.data);
		buf_release(&words);
		list += len + 1;
	}
	return found;
}

/* Whether the rule at path is for such a task; a negative code on error. */
static int applies(const char *path, const char *text, struct err *e)
{
	static const char start[] = "{{! words:";
	struct buf rule;
	const char *end;
	int rc;

	buf_init(&rule, RULE_MAX);
	rc = paths_read(path, RULE_MAX, &rule, e);
	end = strstr(rule.data, "}}");
	if (!rc && (strncmp(rule.data, start, strlen(start)) != 0 || !end))
		rc = err_set(e, ERR_SOFTWARE, "%s: a rule begins with {{! words: ... }}", path);
	if (!rc)
		rc = any_stands_in(rule.data + strlen(start), end, text);
	buf_release(&rule);
	return rc;
}

static int is_rule(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot && strcmp(dot, ".md") == 0;
}

static int add_rule(struct json *rules, const char *folder, const char *file, const char *text,
		    const struct json *vars, struct err *e)
{
	char *path = mem_printf("%s/%s", folder, file);
	char *name = mem_printf("gen/keywords/%s", file);
	struct buf rule;
	int rc = applies(path, text, e);

	buf_init(&rule, 4 * RULE_MAX);
	if (rc > 0 && !(rc = prompt_render(name, vars, &rule, e))) {
		while (rule.len && rule.data[rule.len - 1] == '\n')
			buf_truncate(&rule, rule.len - 1);
		json_push(rules, json_new_stringn(rule.data, rule.len));
	}
	buf_release(&rule);
	free(path);
	free(name);
	return rc;
}

int keywords_add(const struct json *task, struct json *vars, struct err *e)
{
	struct err none = ERR_INIT;
	char *folder = paths_data("prompts/gen/keywords", &none);
	struct json *rules = json_new_array();
	struct dirent **entries = NULL;
	struct buf text;
	int n = folder ? scandir(folder, &entries, is_rule, alphasort) : 0, rc = 0;

	buf_init(&text, JSON_MAX_BYTES);
	words_of_task(task, &text);
	for (int i = 0; i < n; i++) {
		if (!rc)
			rc = add_rule(rules, folder, entries[i]->d_name, text.data, vars, e);
		free(entries[i]);
	}
	free(entries);
	json_set_bool(vars, "has_keyword_rules", json_len(rules) > 0);
	json_set(vars, "keyword_rules", rules);
	buf_release(&text);
	free(folder);
	return rc;
}
