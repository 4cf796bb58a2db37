#include "domain/strategy.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ground/buf.h"
#include "ground/mem.h"
#include "ground/paths.h"

enum { FILE_BYTES = 64 * 1024 };

struct strategies {
	struct strategy *list;
	size_t count;
};

/* "/any/10-vector-loads.md" gives "vector-loads". */
static char *name_of(const char *file)
{
	const char *slash = strrchr(file, '/'), *from = slash ? slash + 1 : file, *dot;

	while (isdigit((unsigned char)*from) || *from == '-')
		from++;
	dot = strrchr(from, '.');
	return dot ? mem_strndup(from, (size_t)(dot - from)) : mem_strdup(from);
}

static unsigned kinds_of(const char *words, size_t len, bool *good)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < len;) {
		size_t n = strcspn(words + i, " \t\n");
		int kind = bottleneck_of_name(words + i, n);

		if (n > 0 && kind < 0)
			*good = false;
		else if (n > 0)
			kinds |= 1U << kind;
		i += n + strspn(words + i + n, " \t");
		if (words[i] == '\n')
			break;
	}
	return kinds;
}

static void replace(char **text, const char *from, size_t len)
{
	free(*text);
	*text = mem_strndup(from, len);
}

/* One line "key: value" of the head. */
static int read_line(const char *line, size_t len, struct strategy *out, struct err *e)
{
	const char *colon = memchr(line, ':', len), *value;
	size_t key, rest;
	bool good = true;

	if (!colon)
		return err_set(e, ERR_SOFTWARE, "'%.*s' is no line of the form 'key: value'",
			       (int)(len < 80 ? len : 80), line);
	key = (size_t)(colon - line);
	value = colon + 1 + strspn(colon + 1, " \t");
	rest = len > (size_t)(value - line) ? len - (size_t)(value - line) : 0;
	if (key == 5 && strncmp(line, "title", key) == 0)
		replace(&out->title, value, rest);
	else if (key == 6 && strncmp(line, "vendor", key) == 0)
		replace(&out->vendor, value, rest);
	else if (key == 11 && strncmp(line, "bottlenecks", key) == 0)
		out->for_kinds = kinds_of(value, rest, &good);
	else
		good = false;
	if (!good)
		return err_set(e, ERR_SOFTWARE, "'%.*s' holds a word that is not known here",
			       (int)(len < 80 ? len : 80), line);
	return 0;
}

int strategy_parse(const char *name, const char *text, struct strategy *out, struct err *e)
{
	const char *at = text + 4;
	int rc = 0;

	*out = (struct strategy){
		.name = name_of(name), .title = mem_strdup(""), .vendor = mem_strdup(""),
		.text = mem_strdup(""),
	};
	if (strncmp(text, "---\n", 4) != 0)
		rc = err_set(e, ERR_SOFTWARE, "the first line is not '---'");
	while (!rc && strncmp(at, "---\n", 4) != 0) {
		size_t len = strcspn(at, "\n");

		if (!at[len])
			rc = err_set(e, ERR_SOFTWARE, "the second line '---' is missing");
		else
			rc = read_line(at, len, out, e);
		at += len + 1;
	}
	if (!rc && (!*out->title || !out->for_kinds))
		rc = err_set(e, ERR_SOFTWARE, "title or bottlenecks is missing");
	if (!rc)
		replace(&out->text, at + 4, strlen(at + 4));
	else
		strategy_release(out);
	return rc ? err_prefix(e, "the strategy %s cannot be used", name) : 0;
}

void strategy_release(struct strategy *s)
{
	free(s->name);
	free(s->title);
	free(s->vendor);
	free(s->text);
	*s = (struct strategy){ 0 };
}

static int is_markdown(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 3 && entry->d_name[0] != '.' && strcmp(entry->d_name + n - 3, ".md") == 0;
}

static int read_one(const char *path, struct strategy *out, struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, FILE_BYTES);
	rc = paths_read(path, FILE_BYTES, &text, e);
	if (!rc)
		rc = strategy_parse(path, text.data, out, e);
	buf_release(&text);
	return rc;
}

struct strategies *strategies_load(struct err *e)
{
	struct strategies *s = mem_zalloc(1, sizeof(*s));
	char *folder = paths_data("prompts/strategies", e);
	struct dirent **entries = NULL;
	int n = folder ? scandir(folder, &entries, is_markdown, alphasort) : 0;
	int rc = folder ? 0 : ERR_SOFTWARE;

	if (n < 0)
		rc = err_errno(e, ERR_SOFTWARE, "%s cannot be read", folder);
	s->list = mem_zalloc((size_t)(n > 0 ? n : 1), sizeof(*s->list));
	for (int i = 0; i < n; i++) {
		char *path = mem_printf("%s/%s", folder, entries[i]->d_name);

		if (!rc)
			rc = read_one(path, &s->list[s->count], e);
		s->count += !rc;
		free(path);
		free(entries[i]);
	}
	free(entries);
	free(folder);
	if (rc) {
		strategies_free(s);
		return NULL;
	}
	return s;
}

void strategies_free(struct strategies *s)
{
	for (size_t i = 0; s && i < s->count; i++)
		strategy_release(&s->list[i]);
	if (s)
		free(s->list);
	free(s);
}

const struct strategy *strategies_at(const struct strategies *s, size_t index)
{
	return index < s->count ? &s->list[index] : NULL;
}

static bool fits(const struct strategy *s, enum bottleneck_kind kind, const char *vendor)
{
	if (*s->vendor && (!vendor || strcasecmp(s->vendor, vendor) != 0))
		return false;
	return kind == BOTTLENECK_UNKNOWN || s->for_kinds & 1U << kind;
}

const struct strategy *strategy_pick(const struct strategies *s, enum bottleneck_kind kind,
				     const char *vendor, size_t turn)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++)
		count += fits(&s->list[i], kind, vendor);
	if (count == 0)
		return NULL;
	turn %= count;
	for (size_t i = 0; i < s->count; i++)
		if (fits(&s->list[i], kind, vendor) && turn-- == 0)
			return &s->list[i];
	return NULL;
}
