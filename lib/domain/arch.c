#include "domain/arch.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ground/buf.h"
#include "ground/mem.h"
#include "ground/paths.h"

enum { FILE_MAX = 64 * 1024 };

static const char suffix[] = ".json";

static int is_json(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name), n = sizeof(suffix) - 1;

	return len > n && entry->d_name[0] != '.' && strcmp(entry->d_name + len - n, suffix) == 0;
}

static int load_file(const char *path, struct json **out, struct err *e)
{
	struct json *facts = NULL;
	struct buf text;
	int rc;

	buf_init(&text, FILE_MAX);
	rc = paths_read(path, FILE_MAX, &text, e);
	if (rc == 0) {
		facts = json_parse(text.data, text.len, e);
		if (!facts)
			err_prefix(e, "%s", path);
		rc = facts ? 0 : ERR_SOFTWARE;
	}
	if (facts && (!json_get_string(facts, "arch") || !json_get_string(facts, "name"))) {
		rc = err_set(e, ERR_SOFTWARE, "%s: \"name\" or \"arch\" is missing", path);
		json_free(facts);
		facts = NULL;
	}
	buf_release(&text);
	*out = facts;
	return rc;
}

/* A GPU by the name of its file, or the one that stands for its architecture. */
static bool is_meant(const char *target, const char *gpu, const struct json *facts)
{
	if (strcasecmp(target, gpu) == 0)
		return true;
	return strcasecmp(target, json_get_string(facts, "arch")) == 0
		&& json_get_bool(facts, "default", false);
}

static int load_from(const char *dir, const char *target, struct json **out, struct err *e)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, is_json, alphasort), rc = 0;
	struct buf known;

	if (n < 0)
		return err_errno(e, ERR_SOFTWARE, "the facts about GPUs in %s cannot be read", dir);
	buf_init(&known, 400);
	for (int i = 0; i < n; i++) {
		char *path = mem_printf("%s/%s", dir, entries[i]->d_name);
		char *gpu = mem_strndup(entries[i]->d_name,
					strlen(entries[i]->d_name) - sizeof(suffix) + 1);
		struct json *facts = NULL;

		if (rc == 0 && !*out)
			rc = load_file(path, &facts, e);
		if (facts && is_meant(target, gpu, facts)) {
			*out = facts;
		} else if (facts) {
			buf_addf(&known, "%s%s (%s)", known.len ? ", " : "", gpu,
				 json_get_string(facts, "arch"));
			json_free(facts);
		}
		free(gpu);
		free(path);
		free(entries[i]);
	}
	free(entries);
	if (rc == 0 && !*out)
		rc = err_set(e, ERR_USAGE, "the target %s is not known; known are %s", target,
			     known.data);
	buf_release(&known);
	return rc;
}

int arch_load(const char *target, struct json **out, struct err *e)
{
	char *dir = paths_data("prompts/arch", e);
	int rc;

	*out = NULL;
	if (!dir)
		return ERR_SOFTWARE;
	rc = load_from(dir, target, out, e);
	free(dir);
	return rc;
}
