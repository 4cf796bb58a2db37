#include "domain/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/tally_data.h"
#include "ground/mem.h"

/* The best candidate of a task that passed, and whether it is known if one does. */
struct found {
	const struct candidate_facts *best;
	bool any, decided;
};

/* A ratio and how far its interval reaches to either side, in logarithms; NAN when unknown. */
struct ratio {
	double mid, down, up;
	double floor;
};

static struct found *find_best(const struct tally *t)
{
	struct found *found = mem_zalloc(t->tasks.count + 1, sizeof(*found));

	for (size_t i = 0; i < t->keys.count; i++) {
		const struct candidate_facts *c = &t->candidates[i];
		struct found *f = &found[c->task];

		f->any = true;
		f->decided |= c->decided;
		if (c->passed && (!f->best || rank_compare_keys(&c->rank, &f->best->rank) < 0))
			f->best = c;
	}
	for (size_t i = 0; i < t->tasks.count; i++) /* asked for, and not solved */
		found[i].decided |= !found[i].any;
	return found;
}

static const char *setting_of(const struct tally *t, const struct candidate_facts *c)
{
	return t->settings.list[c->perf.setting];
}

static struct ratio ratio_of(const struct candidate_facts *before,
			     const struct candidate_facts *now)
{
	double b = log(before->perf.speedup), n = log(now->perf.speedup);

	return (struct ratio){
		.mid = n - b,
		.down = hypot(n - log(now->perf.lo), log(before->perf.hi) - b),
		.up = hypot(log(now->perf.hi) - n, b - log(before->perf.lo)),
		.floor = fmax(before->perf.floor, now->perf.floor),
	};
}

/* NULL when there is no interval. */
static const char *verdict_of_ratio(const struct ratio *r)
{
	double least = log1p(r->floor);

	if (isnan(r->down) || isnan(r->up))
		return NULL;
	return r->mid > least && r->mid > r->down ? "faster"
	       : r->mid < -least && -r->mid > r->up ? "slower" : "same";
}

static void set_ratio(struct json *o, const struct ratio *r)
{
	json_set_number(o, "ratio", exp(r->mid));
	json_set_number(o, "ratio_lo", exp(r->mid - r->down));
	json_set_number(o, "ratio_hi", exp(r->mid + r->up));
}

/* -- the whole */

struct comparison {
	struct json *counts, *per_task;
	struct ratio sum;          /* down and up: of squares */
	size_t told, shared;
};

static void count(struct comparison *c, const char *key)
{
	json_set_int(c->counts, key, json_get_int(c->counts, key, 0) + 1);
}

static void add_told(struct comparison *c, const struct ratio *r)
{
	c->sum.mid += r->mid;
	c->sum.down += r->down * r->down;
	c->sum.up += r->up * r->up;
	c->sum.floor += r->floor;
	c->told++;
}

/* A task that both runs solved. */
static void compare_best(struct comparison *c, const char *task,
			 const struct candidate_facts *before,
			 const struct candidate_facts *now, bool same_setting)
{
	struct json *o = json_new_object();
	const char *verdict = NULL;

	json_set_string(o, "task", task);
	json_set_number(o, "before", before->perf.speedup);
	json_set_number(o, "now", now->perf.speedup);
	if (same_setting) {
		struct ratio r = ratio_of(before, now);

		set_ratio(o, &r);
		verdict = verdict_of_ratio(&r);
		if (verdict)
			add_told(c, &r);
	}
	json_set_string(o, "verdict", verdict);
	count(c, verdict ? verdict : "untold");
	json_push(c->per_task, o);
}

static void compare_task(struct comparison *c, const struct tally *before, const struct found *b,
			 const struct tally *now, const struct found *n, const char *task)
{
	if (b->best && n->best)
		compare_best(c, task, b->best, n->best,
			     strcmp(setting_of(before, b->best), setting_of(now, n->best)) == 0);
	else if (b->best && n->decided)
		count(c, "lost");
	else if (n->best && b->decided)
		count(c, "gained");
}

/* Whatever else is faster: a task that is no longer solved is not. Runs that share no task, as
 * with one that broke off, are not the same: there is nothing to say of them. */
static void set_whole(struct json *o, const struct comparison *c)
{
	double n = (double)c->told;
	struct ratio mean = {
		c->sum.mid / n, sqrt(c->sum.down) / n, sqrt(c->sum.up) / n, c->sum.floor / n,
	};
	const char *verdict = verdict_of_ratio(&mean);

	set_ratio(o, &mean);
	json_set_string(o, "verdict", !c->shared ? NULL
				      : json_get_int(c->counts, "lost", 0) ? "slower"
				      : verdict ? verdict : "same");
}

struct json *comparison_of(const struct tally *before, const struct tally *now)
{
	static const char *const keys[] = {
		"faster", "same", "slower", "untold", "gained", "lost", "missing",
	};
	struct found *then = find_best(before), *here = find_best(now);
	struct comparison c = { .counts = json_new_object(), .per_task = json_new_array() };
	struct json *o = json_new_object();

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_set_int(c.counts, keys[i], 0);
	for (size_t i = 0; i < now->tasks.count; i++) {
		size_t k = names_find(&before->tasks, now->tasks.list[i]);

		if (k == NAMES_NONE)
			continue;
		c.shared++;
		compare_task(&c, before, &then[k], now, &here[i], now->tasks.list[i]);
	}
	json_set_int(c.counts, "missing", (int64_t)(before->tasks.count - c.shared));
	free(here);
	free(then);
	json_set(o, "tasks", c.counts);
	set_whole(o, &c);
	json_set(o, "per_task", c.per_task);
	return o;
}
