#include "domain/improvement.h"

#include "domain/excerpt.h"
#include "domain/measures.h"
#include "domain/prompt.h"
#include "ground/buf.h"
#include "records/record.h"

enum { MEASURES_BYTES = 16 * 1024 };

static struct json *parent_vars(const struct json *parent, size_t number, bool best)
{
	struct json *vars = json_new_object();
	struct buf measures;

	buf_init(&measures, MEASURES_BYTES);
	measures_describe(parent, &measures);
	json_set_int(vars, "number", (int64_t)number);
	json_set_bool(vars, "best", best);
	excerpt_set(vars, "source", json_get_string(parent, "source"), EXCERPT_WHOLE);
	excerpt_set(vars, "measures", measures.data, EXCERPT_WHOLE);
	buf_release(&measures);
	return vars;
}

static struct json *bottleneck_vars(const struct bottleneck *b)
{
	struct json *vars = json_new_object();

	json_set_string(vars, "name", bottleneck_name(b->kind));
	json_set_string(vars, "why", b->why);
	return vars;
}

static struct json *strategy_vars(const struct strategy *s)
{
	struct json *vars = s ? json_new_object() : json_new_null();

	if (s) {
		json_set_string(vars, "name", s->name);
		json_set_string(vars, "title", s->title);
		excerpt_set(vars, "text", s->text, EXCERPT_WHOLE);
	}
	return vars;
}

struct json *improvement_vars(struct json *const *parents, size_t count,
			      const struct bottleneck *b, const struct strategy *strategy,
			      const char *target, struct err *e)
{
	struct json *vars = prompt_task_vars(record_task(parents[0]), target, e);
	struct json *list;

	if (!vars)
		return NULL;
	list = json_new_array();
	for (size_t i = count; i-- > 0;)
		json_push(list, parent_vars(parents[i], count - i, i == 0));
	json_set(vars, "parents", list);
	json_set_bool(vars, "several", count > 1);
	json_set(vars, "bottleneck", bottleneck_vars(b));
	for (int kind = 0; kind <= BOTTLENECK_UNKNOWN; kind++)
		json_set_bool(vars, bottleneck_name(kind), kind == (int)b->kind);
	json_set(vars, "strategy", strategy_vars(strategy));
	return vars;
}
