#include "domain/prompt.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ground/mem.h"
#include "ground/paths.h"

enum {
	TEMPLATE_MAX = 256 * 1024, /* bytes of one template */
	DEPTH_MAX = 16,            /* sections within sections, includes within includes */
	NAME_MAX_BYTES = 100,
};

/* A template being rendered, and the one that includes it. */
struct template {
	const char *name;
	const char *text;
	const struct template *parent;
	size_t depth;
};

/* What names mean here: a value, and what is around it. */
struct scope {
	const struct json *value;
	const struct scope *outer;
};

enum tag_kind {
	TAG_VALUE,
	TAG_SECTION,
	TAG_INVERTED,
	TAG_CLOSE,
	TAG_INCLUDE,
	TAG_REMARK,
};

struct tag {
	enum tag_kind kind;
	const char *at;                /* its first brace */
	const char *before, *after;    /* where the text around it ends and goes on */
	char name[NAME_MAX_BYTES + 1]; /* "" for a remark */
};

struct render {
	struct buf *out;
	struct err *err;
};

static int render_text(struct render *r, const struct template *t, const char *from,
		       const char *to, const struct scope *scope, size_t depth);

static size_t line_of(const struct template *t, const char *at)
{
	size_t line = 1;

	for (const char *p = t->text; p < at; p++)
		line += *p == '\n';
	return line;
}

static int fault(struct render *r, const struct template *t, const char *at,
		 const char *what, const char *name)
{
	return err_set(r->err, ERR_SOFTWARE, "prompts/%s:%zu: {{%s}} %s", t->name,
		       line_of(t, at), name, what);
}

/* -- reading tags */

static bool is_name(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_-./";

	return *name && name[strspn(name, allowed)] == '\0';
}

/* A tag that writes nothing itself and is alone on its line takes the line with it. */
static void take_line(const struct template *t, struct tag *tag)
{
	const char *start = tag->at, *end = tag->after;

	while (start > t->text && (start[-1] == ' ' || start[-1] == '\t'))
		start--;
	end += strspn(end, " \t");
	if (start > t->text && start[-1] != '\n')
		return;
	if (*end && *end != '\n')
		return;
	tag->before = start;
	tag->after = *end ? end + 1 : end;
}

/* Splits what is between the braces into a kind and a name. */
static int read_inside(struct render *r, const struct template *t, struct tag *tag,
		       const char *inside, size_t len)
{
	static const char sigils[] = "#^/>!";
	static const enum tag_kind kinds[] = {
		TAG_SECTION, TAG_INVERTED, TAG_CLOSE, TAG_INCLUDE, TAG_REMARK,
	};
	const char *sigil = len ? memchr(sigils, *inside, sizeof(sigils) - 1) : NULL;

	tag->kind = sigil ? kinds[sigil - sigils] : TAG_VALUE;
	tag->name[0] = '\0';
	if (tag->kind == TAG_REMARK)
		return 0;
	if (sigil) {
		inside++;
		len--;
	}
	while (len > 0 && (*inside == ' ' || *inside == '\t')) {
		inside++;
		len--;
	}
	while (len > 0 && (inside[len - 1] == ' ' || inside[len - 1] == '\t'))
		len--;
	if (len <= NAME_MAX_BYTES) {
		memcpy(tag->name, inside, len);
		tag->name[len] = '\0';
	}
	if (!is_name(tag->name))
		return fault(r, t, tag->at, "is no tag: a name is made of letters, digits, "
			     "'_', '-', '.' and '/'", tag->name);
	return 0;
}

/* The next tag in [from, to). Returns 1 for one, 0 for none, negative on error. */
static int next_tag(struct render *r, const struct template *t, const char *from,
		    const char *to, struct tag *tag)
{
	const char *open = strstr(from, "{{"), *close;

	if (!open || open >= to)
		return 0;
	close = strstr(open, "}}");
	tag->at = tag->before = open;
	if (!close)
		return err_set(r->err, ERR_SOFTWARE, "prompts/%s:%zu: \"{{\" is not closed",
			       t->name, line_of(t, open));
	tag->after = close + 2;
	if (read_inside(r, t, tag, open + 2, (size_t)(close - open) - 2))
		return ERR_SOFTWARE;
	if (tag->kind != TAG_VALUE)
		take_line(t, tag);
	return 1;
}

/* The tag that closes the section that open begins, with all between in order. */
static int find_close(struct render *r, const struct template *t, const struct tag *open,
		      struct tag *close, size_t depth)
{
	const char *pos = open->after, *end = pos + strlen(pos);
	struct tag inner;
	int found;

	if (depth > DEPTH_MAX)
		return fault(r, t, open->at, "is nested too deep", open->name);
	while ((found = next_tag(r, t, pos, end, close)) > 0) {
		if (close->kind == TAG_CLOSE && strcmp(close->name, open->name) == 0)
			return 0;
		if (close->kind == TAG_CLOSE)
			return err_set(r->err, ERR_SOFTWARE, "prompts/%s:%zu: {{/%s}} where "
				       "{{/%s}} was expected, for the section that begins in "
				       "line %zu", t->name, line_of(t, close->at), close->name,
				       open->name, line_of(t, open->at));
		pos = close->after;
		if (close->kind == TAG_SECTION || close->kind == TAG_INVERTED) {
			inner = *close;
			if (find_close(r, t, &inner, close, depth + 1))
				return ERR_SOFTWARE;
			pos = close->after;
		}
	}
	return found < 0 ? found : fault(r, t, open->at, "begins a section that nothing closes",
					 open->name);
}

/* -- values */

static const struct json *member(const struct json *value, const char *name, size_t len)
{
	char key[NAME_MAX_BYTES + 1];

	memcpy(key, name, len);
	key[len] = '\0';
	return json_get(value, key);
}

/* The first part of a.b.c is looked for from the inside out, the rest within it. */
static const struct json *lookup(const struct scope *scope, const char *name)
{
	const struct json *value = NULL;
	size_t len = strcspn(name, ".");

	if (strcmp(name, ".") == 0)
		return scope->value;
	for (; scope && !value; scope = scope->outer)
		value = member(scope->value, name, len);
	while (value && name[len]) {
		name += len + 1;
		len = strcspn(name, ".");
		value = member(value, name, len);
	}
	return value;
}

static bool is_shown(const struct json *value)
{
	if (!value)
		return false;
	switch (json_type(value)) {
	case JSON_NULL:
		return false;
	case JSON_BOOL:
		return json_bool(value, false);
	case JSON_NUMBER:
		return json_number(value, 0) != 0;
	case JSON_STRING:
		return *json_string(value) != '\0';
	default:
		return json_first(value) != NULL;
	}
}

/* -- writing */

static int too_long(struct render *r, const struct template *t)
{
	return err_set(r->err, ERR_RECORD, "the prompt is too long: prompts/%s makes it more "
		       "than %zu bytes", t->name, r->out->max);
}

static int write_bytes(struct render *r, const struct template *t, const char *text, size_t len)
{
	return buf_add(r->out, text, len) ? too_long(r, t) : 0;
}

static int write_value(struct render *r, const struct template *t, const struct tag *tag,
		       const struct scope *scope)
{
	const struct json *value = lookup(scope, tag->name);
	const char *text = json_string(value);

	if (!value || json_is(value, JSON_NULL))
		return fault(r, t, tag->at, "stands for nothing here", tag->name);
	if (text)
		return write_bytes(r, t, text, strlen(text));
	return json_print(value, r->out) ? too_long(r, t) : 0;
}

static int write_section(struct render *r, const struct template *t, const struct tag *open,
			 const struct tag *close, const struct scope *scope, size_t depth)
{
	const struct json *value = lookup(scope, open->name);
	struct scope inner = { .value = value, .outer = scope };
	bool shown = is_shown(value);
	int rc = 0;

	if (open->kind == TAG_INVERTED)
		return shown ? 0 : render_text(r, t, open->after, close->before, scope, depth + 1);
	if (!shown)
		return 0;
	if (!json_is(value, JSON_ARRAY))
		return render_text(r, t, open->after, close->before, &inner, depth + 1);
	for (inner.value = json_first(value); inner.value && !rc;
	     inner.value = json_next(inner.value))
		rc = render_text(r, t, open->after, close->before, &inner, depth + 1);
	return rc;
}

static int read_template(const char *name, struct buf *text, struct err *e)
{
	char *path, *relative;
	int rc;

	relative = mem_printf("prompts/%s", name);
	path = paths_data(relative, e);
	rc = path ? paths_read(path, TEMPLATE_MAX, text, e) : ERR_SOFTWARE;
	if (!rc && strlen(text->data) != text->len)
		rc = err_set(e, ERR_SOFTWARE, "%s holds a NUL byte: it is no template", path);
	free(path);
	free(relative);
	return rc;
}

static int write_include(struct render *r, const struct template *t, const struct tag *tag,
			 const struct scope *scope)
{
	struct template inner = { .name = tag->name, .parent = t, .depth = t->depth + 1 };
	struct err why = ERR_INIT;
	struct buf text;
	int rc;

	for (const struct template *up = t; up; up = up->parent)
		if (strcmp(up->name, tag->name) == 0)
			return fault(r, t, tag->at, "includes itself", tag->name);
	if (inner.depth > DEPTH_MAX)
		return fault(r, t, tag->at, "is included too deep", tag->name);
	if (tag->name[0] == '/' || strstr(tag->name, ".."))
		return fault(r, t, tag->at, "cannot be included: name a file under prompts/",
			     tag->name);
	buf_init(&text, TEMPLATE_MAX);
	rc = read_template(tag->name, &text, &why);
	if (rc) {
		rc = err_set(r->err, rc, "prompts/%s:%zu: {{> %s}} cannot be included: %s",
			     t->name, line_of(t, tag->at), tag->name, why.text);
	} else {
		inner.text = text.data;
		rc = render_text(r, &inner, text.data, text.data + text.len, scope, 0);
	}
	buf_release(&text);
	return rc;
}

static int render_text(struct render *r, const struct template *t, const char *from,
		       const char *to, const struct scope *scope, size_t depth)
{
	struct tag tag, close;
	int found, rc = 0;

	while (!rc && (found = next_tag(r, t, from, to, &tag)) != 0) {
		if (found < 0)
			return found;
		rc = write_bytes(r, t, from, (size_t)(tag.before - from));
		from = tag.after;
		if (rc)
			break;
		switch (tag.kind) {
		case TAG_VALUE:
			rc = write_value(r, t, &tag, scope);
			break;
		case TAG_INCLUDE:
			rc = write_include(r, t, &tag, scope);
			break;
		case TAG_SECTION:
		case TAG_INVERTED:
			rc = find_close(r, t, &tag, &close, depth);
			if (rc)
				break;
			rc = write_section(r, t, &tag, &close, scope, depth);
			from = close.after;
			break;
		case TAG_CLOSE:
			rc = fault(r, t, tag.at, "closes a section that is not open", tag.name);
			break;
		case TAG_REMARK:
			break;
		}
	}
	return rc ? rc : write_bytes(r, t, from, (size_t)(to - from));
}

int prompt_render_text(const char *name, const char *text, const struct json *vars,
		       struct buf *out, struct err *e)
{
	struct render r = { .out = out, .err = e };
	struct template t = { .name = name, .text = text };
	struct scope scope = { .value = vars };

	return render_text(&r, &t, text, text + strlen(text), &scope, 0);
}

int prompt_render(const char *template_name, const struct json *vars, struct buf *out,
		  struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, TEMPLATE_MAX);
	rc = read_template(template_name, &text, e);
	if (rc == 0)
		rc = prompt_render_text(template_name, text.data, vars, out, e);
	buf_release(&text);
	return rc;
}
