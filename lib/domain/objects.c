#include "domain/objects.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ground/mem.h"
#include "ground/text.h"

enum { TARGETS = 32, GROUPS_MAX = 1000, LINE_WIDTH = 79, TARGET_WIDTH = 8, SHAPE_MAX = 40 };

/* One kernel, one specialisation: its entries of eval.compile, each for another target. */
struct group {
	const struct json *entries[TARGETS];
	size_t n;
};

static const struct {
	const char *key, *name;
	int width;
} columns[] = {
	{ "vgpr", "vgpr", 6 }, { "agpr", "agpr", 6 }, { "sgpr", "sgpr", 6 },
	{ "spill", "spill", 7 }, { "lds", "lds", 8 }, { "scratch", "scratch", 9 },
	{ "occupancy", "waves", 7 },
};

/* -1 when it is not known. */
static int64_t figure(const struct json *entry, const char *key)
{
	return json_get_int(entry, key, -1);
}

static const struct json *matrix_of(const struct json *entry)
{
	const struct json *matrix = json_get(entry, "matrix");

	return json_is(matrix, JSON_OBJECT) ? matrix : NULL;
}

/* -- grouping */

static const char *text_of(const struct json *entry, const char *key)
{
	const char *text = json_get_string(entry, key);

	return text ? text : "";
}

static bool same(const struct json *a, const struct json *b, const char *key)
{
	return strcmp(text_of(a, key), text_of(b, key)) == 0;
}

/* It became a code object, or was to become one. */
static bool counts(const struct json *entry)
{
	return json_get(entry, "size") || json_get(entry, "error");
}

/* The first of a target counts. False when there is no room. */
static bool add_entry(struct group *g, const struct json *entry)
{
	for (size_t i = 0; i < g->n; i++)
		if (same(entry, g->entries[i], "target"))
			return true;
	if (g->n == TARGETS)
		return false;
	g->entries[g->n++] = entry;
	return true;
}

/* In the order in which they are first seen; the caller frees them. Of entries that found no room
 * left_out keeps count. */
static struct group *make_groups(const struct json *compile, size_t *n, size_t *left_out)
{
	struct group *groups = mem_zalloc(GROUPS_MAX, sizeof(*groups));

	*n = 0;
	for (const struct json *m = json_first(compile); m; m = json_next(m)) {
		size_t i = 0;

		if (!counts(m))
			continue;
		while (i < *n && !(same(m, groups[i].entries[0], "kernel")
				   && same(m, groups[i].entries[0], "specialization")))
			i++;
		if (i == GROUPS_MAX) {
			++*left_out;
			continue;
		}
		*n += i == *n;
		*left_out += !add_entry(&groups[i], m);
	}
	return groups;
}

static bool is_largest_of_kernel(const struct group *groups, size_t n, const struct group *g)
{
	for (size_t i = 0; i < n; i++)
		if (groups[i].n > g->n && same(groups[i].entries[0], g->entries[0], "kernel"))
			return false;
	return true;
}

/* -- cells */

/* Text from a record, masked, in lines that are indented. */
static void add_wrapped(struct buf *out, const char *text)
{
	struct buf clean;
	size_t at = 0, width = LINE_WIDTH - 2;

	buf_init(&clean, 4096);
	text_add_masked(&clean, text, strnlen(text, 4000), 0);
	while (at < clean.len) {
		size_t n = clean.len - at;

		if (n > width) {
			for (n = width; n && clean.data[at + n] != ' '; n--)
				;
			n = n ? n : width;
		}
		buf_addf(out, "  %.*s\n", (int)n, clean.data + at);
		at += n;
		at += at < clean.len && clean.data[at] == ' ';
	}
	buf_release(&clean);
}

/* "f32_32x32x8_f16" of v_mfma_f32_32x32x8_f16, and of gfx90a's v_mfma_f32_32x32x8f16 as well:
 * there the type stands behind the shape without a line between. */
static void amd_shape(const char *p, struct buf *out)
{
	for (bool digit = false; *p; p++) {
		if (digit && strchr("fbiu", *p))
			buf_addc(out, '_');
		digit = *p >= '0' && *p <= '9';
		buf_addc(out, *p);
	}
}

/* "m64n128k16 f32 f16" of wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16: the shape, and the
 * types of the result and of the first factor. */
static void nvidia_shape(const char *p, struct buf *out)
{
	for (int types = 0; types < 2 && *p; p += strcspn(p, "."), p += *p == '.') {
		size_t n = strcspn(p, ".");
		bool shape = *p == 'm' && n > 1 && p[1] >= '0' && p[1] <= '9';
		bool type = out->len && n > 1 && n < 8 && strchr("fbtseu", *p) && p[n - 1] >= '0'
			    && p[n - 1] <= '9';

		if (shape || type)
			buf_addf(out, "%s%.*s", out->len ? " " : "", (int)n, p);
		types += type;
	}
}

static void add_op(struct buf *out, const struct json *op)
{
	const char *name = json_key(op);
	struct buf shape;

	buf_init(&shape, SHAPE_MAX);
	if (strncmp(name, "v_", 2) == 0 && strchr(name + 2, '_'))
		amd_shape(strchr(name + 2, '_') + 1, &shape);
	else
		nvidia_shape(name, &shape);
	buf_addf(out, "%" PRId64 " ", json_int(op, 0));
	if (shape.len)
		text_add_masked(out, shape.data, shape.len, 0);
	else
		text_add_masked(out, name, strnlen(name, SHAPE_MAX), 0);
	buf_release(&shape);
}

static void add_target(struct buf *out, const struct json *entry)
{
	const char *target = text_of(entry, "target");
	size_t n = strnlen(target, TARGET_WIDTH);

	buf_adds(out, "  ");
	text_add_masked(out, target, n, 0);
	buf_addf(out, "%*s", (int)(TARGET_WIDTH - n), "");
}

static void add_matrix(struct buf *out, const struct json *matrix)
{
	for (const struct json *m = json_first(matrix); m; m = json_next(m)) {
		buf_adds(out, m == json_first(matrix) ? "  " : ", ");
		add_op(out, m);
	}
}

static void add_line(struct buf *out, const struct json *entry)
{
	const char *class = json_get_string(json_get(entry, "error"), "class");
	const char *limit = json_get_string(entry, "limit");

	add_target(out, entry);
	if (!json_get(entry, "size")) {
		buf_adds(out, "  ");
		text_add_masked(out, class ? class : "?", class ? strnlen(class, 60) : 1, 0);
		buf_addc(out, '\n');
		return;
	}
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		int64_t n = figure(entry, columns[i].key);

		if (n < 0)
			buf_addf(out, "%*s", columns[i].width, "-");
		else
			buf_addf(out, "%*" PRId64, columns[i].width, n);
	}
	buf_adds(out, "  ");
	text_add_masked(out, limit ? limit : "-", limit ? strnlen(limit, 12) : 1, 0);
	buf_addc(out, '\n');
}

static void add_matrices(struct buf *out, const struct group *g)
{
	bool any = false;

	for (size_t i = 0; i < g->n; i++) {
		const struct json *matrix = matrix_of(g->entries[i]);

		if (!json_first(matrix))
			continue;
		if (!any)
			buf_adds(out, "  matrix instructions\n");
		any = true;
		add_target(out, g->entries[i]);
		add_matrix(out, matrix);
		buf_addc(out, '\n');
	}
}

/* -- in what they differ */

/* As they are shown: that gfx90a spells them otherwise is no difference. */
static bool same_matrix(const struct json *a, const struct json *b)
{
	struct buf x, y;
	bool equal;

	buf_init(&x, 4096);
	buf_init(&y, 4096);
	add_matrix(&x, matrix_of(a));
	add_matrix(&y, matrix_of(b));
	equal = strcmp(x.data, y.data) == 0;
	buf_release(&x);
	buf_release(&y);
	return equal;
}

static bool differs(const struct group *g, const char *key)
{
	for (size_t i = 1; i < g->n; i++)
		if (key ? figure(g->entries[i], key) != figure(g->entries[0], key)
			: !same_matrix(g->entries[i], g->entries[0]))
			return true;
	return false;
}

static void add_differences(struct buf *out, const struct group *g)
{
	const char *between = "  different: ";

	for (size_t i = 0; i < g->n; i++)
		if (!json_get(g->entries[i], "size"))
			return;
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		if (!differs(g, columns[i].key))
			continue;
		buf_addf(out, "%s%s", between, columns[i].name);
		between = ", ";
	}
	if (differs(g, NULL)) {
		buf_addf(out, "%smatrix instructions", between);
		between = ", ";
	}
	buf_adds(out, *between == ',' ? "\n" : "  nothing is different\n");
}

static void add_group(struct buf *out, const struct group *g)
{
	buf_adds(out, "kernel ");
	text_add_masked(out, text_of(g->entries[0], "kernel"),
			strnlen(text_of(g->entries[0], "kernel"), LINE_WIDTH - 7), 0);
	buf_addc(out, '\n');
	add_wrapped(out, text_of(g->entries[0], "specialization"));
	buf_adds(out, "  target  ");
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		buf_addf(out, "%*s", columns[i].width, columns[i].name);
	buf_adds(out, "  limit\n");
	for (size_t i = 0; i < g->n; i++)
		add_line(out, g->entries[i]);
	add_matrices(out, g);
	if (g->n > 1)
		add_differences(out, g);
}

void objects_add(struct buf *out, const struct json *candidate)
{
	size_t n, left_out = 0;
	struct group *groups = make_groups(json_get(json_get(candidate, "eval"), "compile"), &n,
					   &left_out);

	if (n) {
		buf_adds(out, "candidate ");
		text_add_masked(out, text_of(candidate, "id"),
				strnlen(text_of(candidate, "id"), LINE_WIDTH - 10), 0);
		buf_addc(out, '\n');
	}
	for (size_t i = 0; i < n; i++)
		if (is_largest_of_kernel(groups, n, &groups[i]))
			add_group(out, &groups[i]);
	if (left_out)
		buf_addf(out, "%zu more entries are in the record\n", left_out);
	if (n)
		buf_addc(out, '\n');
	free(groups);
}
