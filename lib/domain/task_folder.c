/* A task's folder: task.json, and its long texts in files of their own. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "domain/task_set.h"
#include "ground/cli.h"
#include "ground/mem.h"
#include "ground/paths.h"

enum { TEXT_MAX = 1024 * 1024 };

static const struct {
	const char *file, *key;
	bool required;
} texts[] = {
	{ "prompt.md", "prompt", true },
	{ "reference.py", "reference", true },
	{ "tests.py", "tests", false },
	{ "seed.py", "seed_source", false },
};

static bool exists(const char *folder, const char *file)
{
	char *path = mem_printf("%s/%s", folder, file);
	struct stat st;
	/* A link that leads nowhere, or a folder that is closed to us, is no absence. */
	bool there = lstat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR);

	free(path);
	return there;
}

static bool is_task(const char *folder)
{
	return exists(folder, "task.json") || exists(folder, "prompt.md");
}

/* "softmax" of "mine/softmax/"; the caller frees it. */
static char *name_of(const char *folder)
{
	char *real = realpath(folder, NULL), *slash = real ? strrchr(real, '/') : NULL;
	char *name = mem_strdup(slash && slash[1] ? slash + 1 : folder);

	free(real);
	return name;
}

static void set_default(struct json *task, const char *key, const char *value)
{
	if (!json_get(task, key))
		json_set_string(task, key, value);
}

static int add_text(struct json *task, const char *folder, const char *file, const char *key,
		    struct err *e)
{
	char *path = mem_printf("%s/%s", folder, file);
	struct json *text = task_set_text(path, TEXT_MAX, e);

	free(path);
	if (!text)
		return e->code;
	json_set(task, key, text);
	return 0;
}

static int add_texts(struct json *task, const char *folder, struct err *e)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (json_get(task, texts[i].key))
			return err_set(e, ERR_RECORD, "\"%s\" does not belong in task.json but in %s/%s",
				       texts[i].key, folder, texts[i].file);
		if (!texts[i].required && !exists(folder, texts[i].file))
			continue;
		if (add_text(task, folder, texts[i].file, texts[i].key, e))
			return ERR_RECORD;
	}
	return 0;
}

/* Parses task.json. On error text still holds what was read. */
static struct json *parse(const char *path, struct buf *text, struct err *e)
{
	struct json *task;

	if (paths_read(path, JSON_MAX_BYTES, text, e))
		return NULL;
	task = json_parse(text->data, text->len, e);
	if (task && !json_is(task, JSON_OBJECT)) {
		err_set(e, ERR_RECORD, "it must hold a JSON object");
		json_free(task);
		task = NULL;
	}
	return task;
}

static void read_task(struct task_set *set, const char *folder)
{
	char *path = mem_printf("%s/task.json", folder), *name = name_of(folder);
	struct record_origin from = { cli_tool(), path, 1 };
	struct json *task, *whole = record_new(RECORD_TASK);
	struct err why = ERR_INIT;
	struct buf text;

	buf_init(&text, JSON_MAX_BYTES);
	task = parse(path, &text, &why);
	if (!task) {
		task_set_add_text(set, &from, name, &why, &(struct line){
			.text = text.data, .len = text.len, .full_len = text.len });
		goto out;
	}
	for (const struct json *m = json_first(task); m; m = json_next(m))
		if (strcmp(json_key(m), "geak") != 0)
			json_add(whole, json_key(m), json_dup(m));
	json_free(task);
	set_default(whole, "id", name);
	set_default(whole, "title", record_id(whole));
	set_default(whole, "language", "triton");
	set_default(whole, "harness", "function");
	if (add_texts(whole, folder, &why) || task_set_add(set, whole, &why))
		task_set_add_broken(set, &from, name, &why, whole);
out:
	json_free(whole);
	buf_release(&text);
	free(name);
	free(path);
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int read_below(struct task_set *set, const char *path, struct err *e)
{
	size_t before = set->count;
	struct dirent **list;
	int n = scandir(path, &list, visible, alphasort);

	if (n < 0)
		return err_errno(e, ERR_USAGE, "the folder %s cannot be read", path);
	for (int i = 0; i < n; i++) {
		char *folder = mem_printf("%s/%s", path, list[i]->d_name);

		if (is_task(folder))
			read_task(set, folder);
		free(folder);
		free(list[i]);
	}
	free(list);
	if (set->count == before)
		return err_set(e, ERR_USAGE, "%s holds no task: neither it nor a folder in it has a "
			"task.json", path);
	return 0;
}

int task_set_read(struct task_set *set, const char *path, struct err *e)
{
	char *trimmed = mem_strdup(path);
	size_t len = strlen(trimmed);
	int rc = 0;

	while (len > 1 && trimmed[len - 1] == '/')
		trimmed[--len] = '\0';
	if (is_task(trimmed))
		read_task(set, trimmed);
	else
		rc = read_below(set, trimmed, e);
	free(trimmed);
	return rc;
}
