#include "domain/reply.h"

#include <stdint.h>
#include <string.h>

#include "domain/reply_blocks.h"
#include "ground/text.h"
#include "records/json.h"

enum {
	NESTING_MAX = 3,    /* JSON in a fence in JSON */
	QUOTED_BYTES = 120, /* of a reply without code, for the message */
};

static int cut(const char *text, const char *entry, int nesting, struct buf *out, struct err *e);

/* -- what is around the answer */

static const char *find_or_end(const char *text, const char *what)
{
	const char *found = strstr(text, what);

	return found ? found : text + strlen(text);
}

/*
 * Reasoning comes in tags. Where the server's template opened them, only the
 * closing tag is in the reply; where the reply was cut off, only the opening one.
 */
static void drop_reasoning(struct buf *b, const char *open, const char *close)
{
	const char *pos = b->data, *begin = find_or_end(pos, open), *end;
	struct buf kept;

	buf_init(&kept, b->max);
	while ((end = strstr(pos, close))) {
		if (begin < pos)
			begin = find_or_end(pos, open);
		if (begin < end)
			buf_add(&kept, pos, (size_t)(begin - pos));
		pos = end + strlen(close);
	}
	if (begin < pos)
		begin = find_or_end(pos, open);
	buf_add(&kept, pos, (size_t)(begin - pos));
	buf_release(b);
	*b = kept;
}

/* What a chat template leaves behind when a server does not know it. */
static void drop_end_marks(struct buf *b)
{
	static const char *const marks[] = {
		"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "<end_of_turn>", "</s>",
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		size_t n = strlen(marks[i]);

		while (b->len > 0 && strchr(" \t\n", b->data[b->len - 1]))
			buf_truncate(b, b->len - 1);
		if (b->len >= n && memcmp(b->data + b->len - n, marks[i], n) == 0)
			buf_truncate(b, b->len - n);
	}
}

/* Text with Unix line ends, without reasoning or marks of any kind. */
static void clean(const char *text, struct buf *out)
{
	if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
		text += 3;
	while (*text) {
		size_t run = strcspn(text, "\r");

		if (text[run] == '\r' && text[run + 1] != '\n')
			run++;
		buf_add(out, text, run);
		text += run + (text[run] == '\r' && text[run + 1] == '\n');
	}
	drop_reasoning(out, "<think>", "</think>");
	drop_reasoning(out, "<thinking>", "</thinking>");
	drop_end_marks(out);
}

/* -- what a piece of source is worth */

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : NULL;
}

static bool defines(const char *source, const char *entry)
{
	size_t n = entry ? strlen(entry) : 0;

	for (const char *line = n ? source : NULL; line; line = next_line(line)) {
		const char *name = line;
		bool keyword = true;

		if (strncmp(line, "def ", 4) == 0)
			name += 4;
		else if (strncmp(line, "class ", 6) == 0)
			name += 6;
		else
			keyword = false;
		name += strspn(name, " ");
		if (strncmp(name, entry, n) != 0)
			continue;
		name += n;
		name += strspn(name, " ");
		if (keyword ? *name && strchr("(:[", *name) : *name == '=' && name[1] != '=')
			return true;
	}
	return false;
}

static bool looks_like_python(const char *source)
{
	for (const char *line = source; line; line = next_line(line))
		if (*line != '#' && blocks_is_code(line, strcspn(line, "\n")))
			return true;
	return false;
}

static bool uses_triton(const char *source)
{
	return strstr(source, "import triton") || strstr(source, "triton.jit");
}

/* How good a block is as the answer; 0 is none at all. */
static int worth(const struct block *b, const char *entry)
{
	const char *source = b->text.data;
	bool entry_there = defines(source, entry);

	if (!looks_like_python(source) || (b->holds_others && !b->python))
		return 0;
	return 1 + b->closed + 2 * uses_triton(source) + 4 * entry_there;
}

/* -- the forms of an answer */

static int put(struct buf *out, const char *source, struct err *e)
{
	size_t len = strlen(source), before = out->len;

	if (buf_add(out, source, len) == 0
	    && (len == 0 || source[len - 1] == '\n' || buf_addc(out, '\n') == 0))
		return 0;
	buf_truncate(out, before);
	return err_set(e, ERR_RECORD, "the reply's code is too long: more than the %zu bytes "
		       "that a source may have", out->max);
}

/* The first string under one of the usual names, looked for from the outside in. */
static const char *code_in(const struct json *j)
{
	static const char *const names[] = {
		"code", "kernel", "source", "triton_code", "kernel_code", "content",
	};
	const char *found = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !found; i++)
		found = json_get_string(j, names[i]);
	for (const struct json *m = json_first(j); m && !found; m = json_next(m))
		found = code_in(m);
	return found;
}

/*
 * The string that begins after text's first "code": and so on, in JSON that is not
 * quite JSON: with real line ends in the string, or cut off, or with text behind it.
 */
static bool code_in_broken(const char *text, struct buf *out)
{
	static const char *const names[] = {
		"\"code\"", "\"kernel\"", "\"source\"", "\"content\"",
	};
	static const char escapes[] = "nrt\"\\/", meanings[] = "\n\r\t\"\\/";
	const char *p = NULL, *escape;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !p; i++) {
		p = strstr(text, names[i]);
		if (!p)
			continue;
		p += strlen(names[i]);
		p += strspn(p, " \t\n:");
		p = *p == '"' ? p + 1 : NULL;
	}
	for (; p && *p && *p != '"'; p++) {
		escape = *p == '\\' && p[1] ? strchr(escapes, p[1]) : NULL;
		buf_addc(out, escape ? meanings[escape - escapes] : *p);
		p += escape != NULL;
	}
	return out->len > 0;
}

/* The source in a JSON text. ERR_RECORD, without a word, when there is none. */
static int cut_json(const char *text, const char *entry, int nesting, struct buf *out,
		    struct err *e)
{
	struct json *j = json_parse(text, strlen(text), NULL);
	const char *code = code_in(j);
	struct buf broken;
	int rc = ERR_RECORD;

	buf_init(&broken, strlen(text));
	if (!j && code_in_broken(text, &broken))
		code = broken.data;
	if (code && nesting < NESTING_MAX)
		rc = cut(code, entry, nesting + 1, out, e);
	buf_release(&broken);
	json_free(j);
	return rc;
}

/* A block that holds JSON becomes the source in it. */
static void open_json_blocks(struct blocks *blocks, const char *entry, int nesting)
{
	struct buf source;

	for (size_t i = 0; i < blocks->n; i++) {
		struct buf *text = &blocks->list[i].text;

		buf_init(&source, SIZE_MAX / 2);
		if (text->data[strspn(text->data, " \t\n")] == '{'
		    && cut_json(text->data, entry, nesting, &source, NULL) == 0) {
			buf_reset(text);
			buf_add(text, source.data, source.len);
		}
		buf_release(&source);
	}
}

/* A wrapper without its kernel: models show the two in a block each. */
static void add_kernels(const struct blocks *blocks, size_t chosen, struct buf *out)
{
	if (uses_triton(blocks->list[chosen].text.data))
		return;
	for (size_t i = 0; i < blocks->n; i++) {
		const struct block *b = &blocks->list[i];

		if (i == chosen || !strstr(b->text.data, "triton.jit") || !b->closed
		    || b->holds_others)
			continue;
		buf_adds(out, b->text.data);
		buf_addc(out, '\n');
	}
}

static int cut_blocks(struct blocks *blocks, const char *entry, int nesting, struct buf *out,
		      struct err *e)
{
	struct buf joined;
	size_t best = 0;
	int best_worth = 0, rc;

	open_json_blocks(blocks, entry, nesting);
	for (size_t i = 0; i < blocks->n; i++) {
		const struct buf *text = &blocks->list[i].text;
		int w = worth(&blocks->list[i], entry);
		bool better = w > best_worth;

		if (w && w == best_worth)
			better = defines(text->data, entry)
				|| text->len > blocks->list[best].text.len;
		if (better) {
			best = i;
			best_worth = w;
		}
	}
	if (!best_worth)
		return ERR_RECORD;
	buf_init(&joined, SIZE_MAX / 2);
	add_kernels(blocks, best, &joined);
	buf_adds(&joined, blocks->list[best].text.data);
	rc = put(out, joined.data, e);
	buf_release(&joined);
	return rc;
}

static size_t word_length(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
}

/* A line of a sentence, a list or a tag, and not of Python. */
static bool is_prose(const char *line)
{
	size_t n = word_length(line);

	if (*line == '<' || *line == '*' || *line == '`' || strncmp(line, "- ", 2) == 0)
		return true;
	if (*line < 'A' || *line > 'Z')
		return false;
	/* "Would you", "I'll", "Here's", "Sure!": no two names stand side by side in Python. */
	return line[n] == '\'' || line[n] == '!'
		|| (line[n] == ' ' && word_length(line + n + 1) > 0);
}

/* NAME = VALUE, and not an attribute in the last line of a tag. */
static bool is_assignment(const char *line)
{
	size_t n = word_length(line), len = strcspn(line, "\n");

	n += strspn(line + n, " ");
	return n > 0 && line[n] == '=' && line[n + 1] != '=' && line[len - 1] != '>';
}

/*
 * Where code that nothing marks begins: at the first line that can only be code,
 * or at the comments and constants before it. A '#' alone may be a heading.
 */
static const char *code_start(const char *text)
{
	const char *start = NULL, *before = NULL;

	for (const char *line = text; line && !start; line = next_line(line)) {
		if (*line != '#' && blocks_is_code(line, strcspn(line, "\n")))
			start = before ? before : line;
		else if (*line == '#' || is_assignment(line))
			before = before ? before : line;
		else if (*line != '\n')
			before = NULL;
	}
	return start;
}

/* Where the last line of code ends; a closing tag ends it for good. */
static size_t code_end(const char *text)
{
	size_t end = 0;

	for (const char *line = text; line && strncmp(line, "</", 2) != 0; line = next_line(line))
		if (*line != '\n' && *line && !is_prose(line))
			end = (size_t)(line - text) + strcspn(line, "\n");
	return end;
}

static int cut_bare(const char *text, const char *entry, int nesting, struct buf *out,
		    struct err *e)
{
	const char *start, *brace = *text == '{' ? text : strstr(text, "\n{");
	struct buf flat;
	int rc = ERR_RECORD;

	buf_init(&flat, SIZE_MAX / 2);
	blocks_add_flat(&flat, text);
	start = code_start(flat.data);
	if (brace && (!start || brace - text < start - flat.data))
		rc = cut_json(brace, entry, nesting, out, e);
	if (rc && start) {
		buf_truncate(&flat, (size_t)(start - flat.data) + code_end(start));
		rc = put(out, start, e);
	}
	buf_release(&flat);
	return rc;
}

static int cut(const char *text, const char *entry, int nesting, struct buf *out, struct err *e)
{
	struct blocks blocks;
	int rc = ERR_RECORD;

	if (text[strspn(text, " \t\n")] == '{')
		rc = cut_json(text, entry, nesting, out, e);
	if (rc == 0)
		return 0;
	blocks_find(text, &blocks);
	rc = cut_blocks(&blocks, entry, nesting, out, e);
	if (rc && !buf_overflowed(out))
		rc = cut_bare(text, entry, nesting, out, e);
	blocks_release(&blocks);
	return rc;
}

/* Says what is there instead of code. */
static int no_code(const char *text, const struct buf *cleaned, struct err *e)
{
	const char *start = cleaned->data + strspn(cleaned->data, " \t\n");
	size_t len = strlen(start);
	struct buf quoted;

	if (!*start && strstr(text, "<think"))
		return err_set(e, ERR_RECORD, "the reply holds no code: it ends with its "
			       "reasoning; allow the model more tokens");
	if (!*start)
		return err_set(e, ERR_RECORD, "the reply is empty");
	buf_init(&quoted, 2 * QUOTED_BYTES);
	text_add_masked(&quoted, start, len < QUOTED_BYTES ? len : QUOTED_BYTES, 0);
	err_set(e, ERR_RECORD, "the reply holds no code; it begins \"%s%s\"", quoted.data,
		len < QUOTED_BYTES ? "" : "...");
	buf_release(&quoted);
	return ERR_RECORD;
}

int reply_code(const char *text, const char *entry, struct buf *out, struct err *e)
{
	struct buf cleaned;
	struct err why = ERR_INIT;
	int rc;

	buf_init(&cleaned, strlen(text));
	clean(text, &cleaned);
	rc = cut(cleaned.data, entry, 0, out, &why);
	if (rc && why.code)
		err_set(e, rc, "%s", why.text);
	else if (rc)
		no_code(text, &cleaned, e);
	buf_release(&cleaned);
	return rc;
}
