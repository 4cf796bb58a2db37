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

struct wanted {
	const char *target;       /* its name; or, when there is none, what a device is */
	const char *arch;
	int compute_units;
	uint64_t memory_bytes;
};

/* What a driver tells of its memory is more than what is sold, or less by what it keeps. */
static bool is_about(double bytes, double sold)
{
	return bytes > 0.85 * sold && bytes < 1.15 * sold;
}

/* A GPU by the name of its file, or the one that stands for its architecture; or a device that
 * has its units and its memory: a slice of one, or its sibling, has not. */
static bool is_meant(const struct wanted *w, const char *gpu, const struct json *facts)
{
	const char *arch = json_get_string(facts, "arch");

	if (!w->target)
		return strcmp(w->arch, arch) == 0
		       && json_get_int(facts, "compute_units", 0) == w->compute_units
		       && is_about((double)w->memory_bytes,
				   json_get_number(facts, "memory_bytes", 0));
	return strcasecmp(w->target, gpu) == 0
	       || (strcasecmp(w->target, arch) == 0 && json_get_bool(facts, "default", false));
}

static int say_unknown(const struct wanted *w, const struct buf *known, struct err *e)
{
	if (w->target)
		return err_set(e, ERR_USAGE, "the target %s is not known; known are %s", w->target,
			       known->data);
	return err_set(e, ERR_USAGE, "of a GPU of architecture %s with %d compute units and %.0f "
		       "GiB nothing is known; known are %s", w->arch, w->compute_units,
		       (double)w->memory_bytes / (1 << 30), known->data);
}

static int load_from(const char *dir, const struct wanted *w, struct json **out, struct err *e)
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
		if (facts && is_meant(w, gpu, facts)) {
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
		rc = say_unknown(w, &known, e);
	buf_release(&known);
	return rc;
}

static int load(const struct wanted *w, struct json **out, struct err *e)
{
	char *dir = paths_data("prompts/arch", e);
	int rc;

	*out = NULL;
	if (!dir)
		return ERR_SOFTWARE;
	rc = load_from(dir, w, out, e);
	free(dir);
	return rc;
}

int arch_load(const char *target, struct json **out, struct err *e)
{
	return load(&(struct wanted){ .target = target }, out, e);
}

int arch_of_device(const char *arch, int compute_units, uint64_t memory_bytes, struct json **out,
		   struct err *e)
{
	const struct wanted w = {
		.arch = arch, .compute_units = compute_units, .memory_bytes = memory_bytes,
	};

	return load(&w, out, e);
}
