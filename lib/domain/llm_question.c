/* A question as the body of a request, by the words of the service's dialect. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/llm_wire.h"
#include "ground/mem.h"

/* Owns value. A path "a.b" is b in an object a of its own. */
static void set_at(struct json *q, const char *path, struct json *value)
{
	const char *dot = strchr(path, '.');
	struct json *inner;
	char *outer;

	if (!dot) {
		json_set(q, path, value);
		return;
	}
	outer = mem_strndup(path, (size_t)(dot - path));
	inner = json_new_object();
	json_set(inner, dot + 1, value);
	json_set(q, outer, inner);
	free(outer);
}

struct json *llm_wire_question(const struct llm_dialect *d, const struct llm_config *c,
			       const char *name, const struct llm_request *req, int limit)
{
	struct json *q = json_new_object();
	long most = c->max_tokens ? c->max_tokens : d->usual_limit;

	if (*name)
		json_set_string(q, "model", name);
	d->messages(q, req, d->marks && req->again);
	if (most)
		json_set_int(q, d->limit[limit], most);
	if (!isnan(c->temperature))
		json_set_number(q, "temperature", c->temperature);
	if (c->effort)
		set_at(q, d->effort, json_new_string(c->effort));
	if (c->seeded && d->seed) /* each sample its own, or they would all be the same */
		set_at(q, d->seed, json_new_int(llm_seed(c, req->sample)));
	if (c->stream)
		json_set_bool(q, "stream", true);
	if (c->stream && d->stream_usage)
		set_at(q, d->stream_usage, json_new_bool(true));
	return q;
}
