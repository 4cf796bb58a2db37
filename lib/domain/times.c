#include "domain/times.h"

#include <stdlib.h>
#include <string.h>

#include "ground/mem.h"
#include "ground/text.h"
#include "records/record.h"

enum { LINE_WIDTH = 79, FIGURES_WIDTH = 31, BASELINE_WIDTH = 8, NAME_LEAST = 12, NAME_MOST = 28,
       OTHERS_MAX = 8, CASES_MAX = 1000 };

/* What a candidate was held against: perf itself for the first, then the entries of others. */
struct sides {
	const struct json *of[1 + OTHERS_MAX];
	size_t n, left_out;
};

/* What the other columns leave of a line. */
static int name_width(const struct sides *s)
{
	int left = LINE_WIDTH - FIGURES_WIDTH - (BASELINE_WIDTH + 2) * (int)s->n;

	return left < NAME_LEAST ? NAME_LEAST : left > NAME_MOST ? NAME_MOST : left;
}

static struct sides sides_of(const struct json *perf)
{
	struct sides s = { .of = { perf }, .n = 1 };

	for (const struct json *m = json_first(json_get(perf, "others")); m; m = json_next(m))
		if (s.n < sizeof(s.of) / sizeof(*s.of))
			s.of[s.n++] = m;
		else
			s.left_out++;
	return s;
}

/* At most so many bytes of it, the end of a path; masked, and filled up on the right or the left. */
static void add_text(struct buf *out, const char *text, size_t width, bool right)
{
	size_t len = strlen(text), shown = len < width ? len : width;

	if (right)
		buf_addf(out, "%*s", (int)(width - shown), "");
	text_add_masked(out, right ? text + len - shown : text, shown, 0);
	if (!right)
		buf_addf(out, "%*s", (int)(width - shown), "");
}

static void add_figure(struct buf *out, const struct json *from, const char *key, double scale,
		       int width)
{
	double x = json_get_number(from, key, -1) * scale;

	if (x < 0)
		buf_addf(out, "%*s", width, "-");
	else
		buf_addf(out, "%*.*f", width, x < 9.995 ? 2 : x < 99.95 ? 1 : 0, x);
}

/* Among those that are shown. */
static const struct json *case_of(const struct json *side, const char *name)
{
	const struct json *m = json_first(json_get(side, "cases"));

	for (size_t i = 0; m && i < CASES_MAX; m = json_next(m), i++) {
		const char *its = json_get_string(m, "case");

		if (its && strcmp(its, name) == 0)
			return m;
	}
	return NULL;
}

/* "1.57x +": how many times as fast, and whether that is faster (+), slower (-) or the same (=). */
static void add_speedup(struct buf *out, const struct json *of)
{
	double speedup = json_get_number(of, "speedup", -1);
	const char *verdict = json_get_string(of, "verdict");
	char sign = !verdict ? ' ' : *verdict == 'f' ? '+' : strcmp(verdict, "same") == 0 ? '=' : '-';

	if (speedup < 0)
		buf_addf(out, "%*s  ", BASELINE_WIDTH, "-");
	else
		buf_addf(out, "%*.2fx %c", BASELINE_WIDTH - 1, speedup, sign);
}

static void add_case(struct buf *out, const struct sides *s, const struct json *one)
{
	const char *name = json_get_string(one, "case"), *wall = json_get_string(one, "wall");

	buf_adds(out, "  ");
	add_text(out, name ? name : "", (size_t)name_width(s), false);
	add_figure(out, one, "ms", 1e3, 8);
	add_figure(out, one, "gbps", 1, 7);
	add_figure(out, one, "tflops", 1, 7);
	add_figure(out, one, "roofline", 100, 5);
	buf_addf(out, " %c", wall ? *wall : ' ');
	for (size_t i = 0; i < s->n; i++)
		add_speedup(out, i == 0 ? one : case_of(s->of[i], name ? name : ""));
	buf_addc(out, '\n');
}

static void add_head(struct buf *out, const struct sides *s, const struct json *candidate)
{
	const char *device = json_get_string(s->of[0], "device");

	buf_adds(out, "candidate ");
	add_text(out, record_id(candidate), strlen(record_id(candidate)), false);
	buf_adds(out, " on ");
	add_text(out, device ? device : "?", strlen(device ? device : "?"), false);
	buf_addf(out, "\n  %-*s%8s%7s%7s%5s  ", name_width(s), "case", "us", "GB/s", "TF/s", "%");
	for (size_t i = 0; i < s->n; i++) {
		const char *name = json_get_string(s->of[i], "baseline");

		add_text(out, name ? name : "?", BASELINE_WIDTH, true);
		buf_adds(out, i + 1 < s->n ? "  " : "\n");
	}
}

static void add_cases(struct buf *out, const struct sides *s, const struct json *cases)
{
	const struct json *m = json_first(cases);
	size_t n = json_len(cases);

	for (size_t i = 0; m && i < CASES_MAX; m = json_next(m), i++)
		add_case(out, s, m);
	if (n > CASES_MAX)
		buf_addf(out, "  %zu more cases are in the record\n", n - CASES_MAX);
}

static void add_untimed(struct buf *out, const struct json *untimed)
{
	if (!json_is(untimed, JSON_OBJECT))
		return;
	for (const struct json *m = json_first(untimed); m; m = json_next(m)) {
		const char *why = json_string(m);

		buf_adds(out, "  not timed: ");
		add_text(out, json_key(m), strlen(json_key(m)), false);
		buf_adds(out, ", ");
		text_add_masked(out, why ? why : "", why ? strlen(why) : 0, 0);
		buf_addc(out, '\n');
	}
}

static void add_table(struct buf *out, const struct json *candidate, const struct json *perf)
{
	const struct sides s = sides_of(perf);

	add_head(out, &s, candidate);
	add_cases(out, &s, json_get(perf, "cases"));
	buf_addf(out, "  %-*s", name_width(&s) + FIGURES_WIDTH - 2, "all cases, geometric mean");
	for (size_t i = 0; i < s.n; i++)
		add_speedup(out, s.of[i]);
	buf_addc(out, '\n');
	if (s.left_out)
		buf_addf(out, "  %zu more baselines are in the record\n", s.left_out);
}

void times_add(struct buf *out, const struct json *candidate)
{
	const struct json *eval = json_get(candidate, "eval"), *perf = json_get(eval, "perf");
	const bool timed = json_is(perf, JSON_OBJECT);
	const struct json *untimed = json_get(timed ? perf : eval, "untimed");

	if (timed) {
		add_table(out, candidate, perf);
	} else if (json_is(untimed, JSON_OBJECT) && json_first(untimed)) {
		buf_adds(out, "candidate ");
		add_text(out, record_id(candidate), strlen(record_id(candidate)), false);
		buf_addc(out, '\n');
	} else {
		return;
	}
	add_untimed(out, untimed);
	buf_addc(out, '\n');
}
