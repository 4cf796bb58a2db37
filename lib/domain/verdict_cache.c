#include "domain/verdict_cache.h"

#include <string.h>

#include "ground/text.h"

int verdict_cache_open(struct verdict_cache *c, const char *path, struct err *e)
{
	*c = (struct verdict_cache){ .store = NULL };
	if (!path)
		return 0;
	c->store = store_open(path, e);
	return c->store ? 0 : err_prefix(e, "--cache");
}

static bool usable(const struct verdict_cache *c)
{
	return c->store && !atomic_load(&c->broken);
}

/* No reason to stop judging: the records will be the same, only later. */
static void give_up(struct verdict_cache *c, const struct err *why)
{
	if (!atomic_exchange(&c->broken, true))
		text_complain("geak-eval", "--cache: %s; going on without it", why->text);
}

struct json *verdict_cache_get(struct verdict_cache *c, const char *key)
{
	struct err e = ERR_INIT;
	struct json *eval = NULL;
	struct buf text;
	int found;

	if (!usable(c))
		return NULL;
	buf_init(&text, JSON_MAX_BYTES);
	found = store_get(c->store, key, &text, &e);
	if (found > 0)
		eval = json_parse(text.data, text.len, &e);
	if (e.code)
		give_up(c, &e);
	buf_release(&text);
	return eval;
}

static bool is_passing(const struct json *eval)
{
	static const char *const passing[] = { "Timeout", "Crash", "signal SIGKILL" };
	const char *status = json_get_string(eval, "status");
	const char *class = json_get_string(json_get(eval, "error"), "class");

	if (!status || strcmp(status, "sandbox_error") == 0)
		return true;
	for (size_t i = 0; class && i < sizeof(passing) / sizeof(*passing); i++)
		if (strcmp(class, passing[i]) == 0)
			return true;
	return false;
}

void verdict_cache_put(struct verdict_cache *c, const char *key, const struct json *eval)
{
	struct err e = ERR_INIT;
	struct buf text;

	if (!usable(c) || is_passing(eval))
		return;
	buf_init(&text, JSON_MAX_BYTES);
	if (json_print(eval, &text) == 0 && store_put(c->store, key, text.data, text.len, &e))
		give_up(c, &e);
	buf_release(&text);
}

void verdict_cache_close(struct verdict_cache *c)
{
	store_close(c->store);
	c->store = NULL;
}
