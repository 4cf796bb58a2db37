#include "domain/py_sizes.h"

#include <ctype.h>
#include <string.h>

#define NAME_BYTES "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

static const long value_max = 1L << 40;

/* -- values */

static const char *past_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

/* "16 * 64"; NULL when it is something else. */
static const char *read_product(const char *at, long *value)
{
	*value = 1;
	for (;;) {
		size_t digits = strspn(at, "0123456789");
		long factor = 0;

		if (digits == 0 || digits > 12)
			return NULL;
		for (size_t i = 0; i < digits; i++)
			factor = 10 * factor + (at[i] - '0');
		if (factor > 0 && *value > value_max / factor)
			return NULL;
		*value *= factor;
		at = past_blanks(at + digits);
		if (*at != '*' || at[1] == '*')
			return at;
		at = past_blanks(at + 1);
	}
}

/* "24, 32", as many as there are; NULL when something else is among them. */
static const char *read_products(const char *at, struct py_size *s)
{
	s->count = 0;
	for (;;) {
		if (s->count == PY_SIZE_VALUES_MAX)
			return NULL;
		at = read_product(at, &s->value[s->count]);
		if (!at)
			return NULL;
		s->count++;
		if (*at != ',')
			return at;
		at = past_blanks(at + 1);
		if (strchr(")]\n#", *at)) /* a comma may be the last thing */
			return at;
	}
}

/* What stands right of the last "="; whether it is known, and goes to the line's end. */
static bool read_value(const char *at, struct py_size *s)
{
	char close = *at == '(' ? ')' : *at == '[' ? ']' : '\0';

	s->sequence = close != '\0';
	at = read_products(close ? past_blanks(at + 1) : at, s);
	if (at && close)
		at = *at == close ? past_blanks(at + 1) : NULL;
	return at && strchr("\n#\r", *at);
}

/* -- statements */

static struct py_size *find(struct py_sizes *s, const struct py_name *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->all[i].name.len == name->len
		    && memcmp(s->all[i].name.text, name->text, name->len) == 0)
			return &s->all[i];
	return NULL;
}

static void put(struct py_sizes *s, const struct py_name *name, const struct py_size *value)
{
	struct py_size *one = find(s, name);

	if (!one && s->count == PY_SIZES_MAX)
		return;
	if (!one)
		one = &s->all[s->count++];
	*one = *value;
	one->name = *name;
}

/* The names left of "=" in a statement, and where the value begins. */
struct targets {
	struct py_name names[PY_SIZE_VALUES_MAX];
	size_t count;
	bool unpacked;  /* "a, b = ...", not "a = b = ..." */
	const char *value;
};

static bool read_targets(const char *at, struct targets *t)
{
	*t = (struct targets){ 0 };
	while (t->count < PY_SIZE_VALUES_MAX) {
		size_t len = isdigit((unsigned char)*at) ? 0 : strspn(at, NAME_BYTES);
		const char *after = past_blanks(at + len);
		bool assigned = *after == '=' && after[1] != '=';

		if (len == 0 || !(assigned || (*after == ',' && !t->value)))
			break;
		t->names[t->count++] = (struct py_name){ .text = at, .len = len };
		at = past_blanks(after + 1);
		if (!assigned)
			t->unpacked = true;
		else
			t->value = at;
		if (assigned && t->unpacked)
			break;
	}
	return t->value != NULL;
}

static void read_statement(struct py_sizes *s, const char *text)
{
	struct py_size value = { 0 }, one;
	struct targets t;

	if (!read_targets(text, &t))
		return;
	value.literal = read_value(t.value, &value);
	if (t.unpacked && (value.sequence || value.count != t.count))
		value.literal = false;
	for (size_t i = 0; i < t.count; i++) {
		one = value;
		if (!t.unpacked) {
			one.literal = value.literal && (value.sequence || value.count == 1);
		} else if (value.literal) {
			one.value[0] = value.value[i];
			one.count = 1;
		}
		put(s, &t.names[i], &one);
	}
}

/* -- uses */

/* A tensor begins where a function of torch's is named; what makes it stands behind. */
static void mark_inputs(struct py_sizes *s, struct py_names *p, struct py_name *n)
{
	size_t tensor = 0;
	bool any = false, torch = false;

	while (py_names_next(p, n) && n->column > 0) {
		struct py_size *one = n->attribute ? NULL : find(s, n);

		if (torch && n->attribute && any && tensor + 1 < PY_TENSORS_MAX) {
			tensor++;
			any = false;
		}
		torch = py_name_is(n, "torch");
		if (one && one->in_tensor[tensor] < PY_TIMES_MAX) {
			one->in_tensor[tensor]++;
			any = true;
		}
	}
}

static void mark_init(struct py_sizes *s, struct py_names *p, struct py_name *n)
{
	while (py_names_next(p, n) && n->column > 0) {
		struct py_size *one = n->attribute ? NULL : find(s, n);

		if (one)
			one->in_init = true;
	}
}

/* What the two functions name. */
static void mark_uses(struct py_sizes *s, const char *text)
{
	struct py_names p;
	struct py_name n = { 0 };

	py_names_init(&p, text);
	while (n.text || py_names_next(&p, &n)) {
		bool def = n.first && n.column == 0 && py_name_is(&n, "def");

		n.text = NULL;
		if (!def || !py_names_next(&p, &n))
			continue;
		if (py_name_is(&n, "get_inputs"))
			mark_inputs(s, &p, &n);
		else if (py_name_is(&n, "get_init_inputs"))
			mark_init(s, &p, &n);
	}
}

/* Past the parameters of a function whose name ends at at. */
static const char *past_parameters(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		if (*at == '(')
			depth++;
		else if (*at == ')' && --depth <= 0)
			break;
	}
	return at;
}

/* Names that a class uses without a parameter or a variable of the same name anywhere in it. */
static void mark_globals(struct py_sizes *s, const char *text)
{
	bool bound[PY_SIZES_MAX] = { false }, in_class = false, defined = false, looped = false;
	const char *bound_until = text;
	struct targets t;
	struct py_names p;
	struct py_name n;

	py_names_init(&p, text);
	while (py_names_next(&p, &n)) {
		struct py_size *one = n.attribute ? NULL : find(s, &n);

		if (n.first && n.column == 0)
			in_class = py_name_is(&n, "class");
		if (defined)
			bound_until = past_parameters(n.text + n.len);
		else if (n.first && read_targets(n.text, &t))
			bound_until = t.value;
		if (in_class && one && (looped || n.text < bound_until))
			bound[one - s->all] = true;
		else if (in_class && one && !n.assigned)
			one->global = true;
		defined = py_name_is(&n, "def");
		looped = py_name_is(&n, "for");
	}
	for (size_t i = 0; i < s->count; i++)
		s->all[i].global = s->all[i].global && !bound[i];
}

static void mark_source(struct py_size *source, const struct py_size *target)
{
	source->in_init = source->in_init || target->in_init;
	for (size_t t = 0; t < PY_TENSORS_MAX; t++)
		if (source->in_tensor[t] + target->in_tensor[t] <= PY_TIMES_MAX)
			source->in_tensor[t] += target->in_tensor[t];
}

/* What is used is also what a used name is computed from. */
static void mark_sources(struct py_sizes *s, const char *text)
{
	struct py_size *target = NULL, *source;
	struct py_names p;
	struct py_name n;

	py_names_init(&p, text);
	while (py_names_next(&p, &n)) {
		source = n.attribute ? NULL : find(s, &n);
		if (n.first && n.column == 0)
			target = n.assigned ? source : NULL;
		else if (target && source && source != target && !n.assigned)
			mark_source(source, target);
	}
}

bool py_size_in_inputs(const struct py_size *s)
{
	for (size_t t = 0; t < PY_TENSORS_MAX; t++)
		if (s->in_tensor[t])
			return true;
	return false;
}

void py_sizes_read(struct py_sizes *s, const char *text)
{
	struct py_names p;
	struct py_name n;

	s->count = 0;
	py_names_init(&p, text);
	while (py_names_next(&p, &n))
		if (n.first && n.column == 0)
			read_statement(s, n.text);
	mark_uses(s, text);
	mark_globals(s, text);
	mark_sources(s, text);
}
