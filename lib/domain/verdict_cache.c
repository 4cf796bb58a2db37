#include "domain/verdict_cache.h"

#include <string.h>

#include "ground/text.h"

int verdict_cache_open(struct verdict_cache *c, const char *path, struct err *e)
{
	*c = (struct verdict_cache){ .kept = { .store = NULL } };
	if (!path)
		return 0;
	c->kept.store = store_open(path, e);
	return c->kept.store ? 0 : err_prefix(e, "--cache");
}

/* No reason to stop judging: the records will be the same, only later. */
static void complain(const struct err *why)
{
	if (why->code)
		text_complain("geak-eval", "--cache: %s; going on without it", why->text);
}

struct json *verdict_cache_get(struct verdict_cache *c, const char *key)
{
	struct err e = ERR_INIT;
	struct json *eval = json_cache_get(&c->kept, key, &e);

	complain(&e);
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

	if (!is_passing(eval))
		json_cache_put(&c->kept, key, eval, &e);
	complain(&e);
}

void verdict_cache_close(struct verdict_cache *c)
{
	json_cache_close(&c->kept);
}
