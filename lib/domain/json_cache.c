#include "domain/json_cache.h"

#include "ground/buf.h"

static bool usable(const struct json_cache *c)
{
	return c->store && !atomic_load(&c->broken);
}

/* Of several threads one tells. */
static void give_up(struct json_cache *c, struct err *e)
{
	if (e->code && atomic_exchange(&c->broken, true))
		*e = (struct err)ERR_INIT;
}

struct json *json_cache_get(struct json_cache *c, const char *key, struct err *e)
{
	struct json *value = NULL;
	struct buf text;

	if (!usable(c))
		return NULL;
	buf_init(&text, JSON_MAX_BYTES);
	if (store_get(c->store, key, &text, e) > 0)
		value = json_parse(text.data, text.len, e);
	buf_release(&text);
	give_up(c, e);
	return value;
}

void json_cache_put(struct json_cache *c, const char *key, const struct json *value, struct err *e)
{
	struct buf text;

	if (!usable(c))
		return;
	buf_init(&text, JSON_MAX_BYTES);
	if (json_print(value, &text) == 0)
		store_put(c->store, key, text.data, text.len, e);
	buf_release(&text);
	give_up(c, e);
}

void json_cache_begin(struct json_cache *c)
{
	if (usable(c))
		store_begin(c->store);
}

void json_cache_end(struct json_cache *c, struct err *e)
{
	if (c->store)
		store_end(c->store, e);
	give_up(c, e);
}

void json_cache_close(struct json_cache *c)
{
	store_close(c->store);
	c->store = NULL;
}
