#include "domain/price.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/buf.h"
#include "ground/paths.h"
#include "records/json.h"

enum { FILE_MAX = 1 << 20 };

/* How much of model a name says: its length, or -1 when it is another's. */
static long fit(const char *name, const char *model)
{
	size_t len = strlen(name);

	if (len && name[len - 1] == '*')
		return strncmp(name, model, len - 1) == 0 ? (long)len - 1 : -1;
	return strcmp(name, model) == 0 ? (long)len : -1;
}

/* An entry's price, or false. Without prices of their own what is cached, and what is put there,
 * cost as much as the rest. */
static bool take(const struct json *entry, struct price *out)
{
	*out = (struct price){
		.input = json_get_number(entry, "input", NAN),
		.output = json_get_number(entry, "output", NAN),
	};
	out->cached_input = json_get_number(entry, "cached_input", out->input);
	out->cache_write = json_get_number(entry, "cache_write", out->input);
	out->batch = json_get_number(entry, "batch", 1);
	return out->input >= 0 && out->batch >= 0 && out->cached_input >= 0 && out->cache_write >= 0
	       && out->output >= 0;
}

static int search(const struct json *prices, const char *model, const char *day,
		  struct price *out, struct err *e)
{
	const char *best_since = "";
	long best = -1;

	for (const struct json *m = json_first(json_get(prices, "models")); m; m = json_next(m)) {
		const char *name = json_get_string(m, "model"), *since = json_get_string(m, "since");
		struct price p;
		long len = name ? fit(name, model) : -1;

		if (!name || !take(m, &p))
			return err_set(e, ERR_USAGE, "an entry of \"models\" has no \"model\", or no "
				       "\"input\" and \"output\" in dollars a million tokens");
		since = since ? since : "";
		/* Dates as ISO 8601 writes them are in order as text. */
		if (len < 0 || strcmp(since, day) > 0 || len < best
		    || (len == best && strcmp(since, best_since) < 0))
			continue;
		best = len;
		best_since = since;
		*out = p;
	}
	return best >= 0;
}

int price_find(const char *file, const char *model, const char *day, struct price *out,
	       struct err *e)
{
	char *own = file ? NULL : paths_data("prompts/prices.json", e);
	const char *path = file ? file : own;
	struct json *prices = NULL;
	struct buf text;
	int rc = ERR_USAGE;

	if (!path)
		return e->code;
	buf_init(&text, FILE_MAX);
	if (!paths_read(path, FILE_MAX, &text, e))
		prices = json_parse(text.data, text.len, e);
	if (prices)
		rc = json_is(json_get(prices, "models"), JSON_ARRAY)
		     ? search(prices, model, day, out, e)
		     : err_set(e, ERR_USAGE, "it has no \"models\"");
	if (rc < 0)
		err_prefix(e, "the prices in %s", path);
	json_free(prices);
	buf_release(&text);
	free(own);
	return rc < 0 ? (e->code = ERR_USAGE) : rc;
}

/* What a service tells may be anything. */
static int64_t within(int64_t n, int64_t most)
{
	return n < 0 ? 0 : n > most ? most : n;
}

double price_of(const struct price *p, int64_t prompt_tokens, int64_t cached_tokens,
		int64_t written_tokens, int64_t completion_tokens)
{
	const double million = 1e6;
	int64_t cached = within(cached_tokens, prompt_tokens);
	int64_t written = within(written_tokens, prompt_tokens - cached);

	return ((double)(prompt_tokens - cached - written) * p->input
		+ (double)cached * p->cached_input
		+ (double)written * p->cache_write
		+ (double)completion_tokens * p->output) / million;
}
