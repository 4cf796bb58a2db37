#include "domain/sequel.h"

#include <stdlib.h>
#include <string.h>

enum {
	TEXT_MAX = 8 * 1024 * 1024,
	REPEATED_MIN = 16,   /* bytes that are not blank; less may be chance */
	REPEATED_MAX = 4096,
};

static const char go_on[] =
	"Your reply was cut off because it reached the limit of its length. Go on with the very "
	"next character, in the middle of the line if need be. Repeat nothing, explain nothing, and "
	"open no new code block: what you write now is put directly behind what you wrote.";

void sequel_init(struct sequel *s)
{
	*s = (struct sequel){ .parts = 0 };
	buf_init(&s->text, TEXT_MAX);
}

void sequel_release(struct sequel *s)
{
	buf_release(&s->text);
	json_free(s->messages);
}

bool sequel_is_cut(const struct llm_reply *reply)
{
	return !reply->err.code && strcmp(reply->finish_reason, "length") == 0
	       && reply->text[strspn(reply->text, " \t\r\n")];
}

/* -- the text */

/* True when text ends within a block of code. */
static bool fence_is_open(const char *text)
{
	bool open = strncmp(text, "```", 3) == 0;

	while ((text = strstr(text, "\n```"))) {
		open = !open;
		text += 4;
	}
	return open;
}

static size_t not_blank(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += !strchr(" \t\r\n", text[i]);
	return n;
}

/* How much of the beginning of part is the end of text once more. */
static size_t repeated(const struct buf *text, const char *part)
{
	size_t most = strlen(part);

	if (most > text->len)
		most = text->len;
	if (most > REPEATED_MAX)
		most = REPEATED_MAX;
	for (size_t n = most; n >= REPEATED_MIN; n--)
		if (memcmp(text->data + text->len - n, part, n) == 0)
			return not_blank(part, n) >= REPEATED_MIN ? n : 0;
	return 0;
}

void sequel_join(struct buf *text, const char *part)
{
	const char *line = strncmp(part, "```", 3) == 0 ? strchr(part, '\n') : NULL;

	/* A bare fence closes the block. */
	if (line && line > part + 3 && fence_is_open(text->data))
		part = line + 1;
	buf_adds(text, part + repeated(text, part));
}

/* -- the whole */

static int64_t sum(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? -1 : a + b;
}

void sequel_add(struct sequel *s, const struct llm_reply *part)
{
	struct llm_usage before = s->reply.usage, *u = &s->reply.usage;
	struct llm_reply first = s->reply;

	s->reply = *part;
	s->reply.text = NULL;
	sequel_join(&s->text, part->text);
	if (s->parts++ == 0)
		return;
	u->prompt_tokens = sum(u->prompt_tokens, before.prompt_tokens);
	u->cached_tokens = sum(u->cached_tokens, before.cached_tokens);
	u->written_tokens = sum(u->written_tokens, before.written_tokens);
	u->completion_tokens = sum(u->completion_tokens, before.completion_tokens);
	u->cost_usd = u->cost_usd < 0 || before.cost_usd < 0 ? -1 : u->cost_usd + before.cost_usd;
	s->reply.latency_s = part->latency_s < 0 || first.latency_s < 0
			     ? -1 : part->latency_s + first.latency_s;
	s->reply.kept = part->kept && first.kept;
	s->reply.parts = s->parts;
	memcpy(s->reply.prompt_sha256, first.prompt_sha256, sizeof(s->reply.prompt_sha256));
}

static void push(struct json *messages, const char *role, const char *content)
{
	struct json *m = json_new_object();

	json_set_string(m, "role", role);
	json_set_string(m, "content", content);
	json_push(messages, m);
}

void sequel_ask(struct sequel *s, const struct json *question)
{
	json_free(s->messages);
	s->messages = json_dup(question);
	push(s->messages, "assistant", s->text.data);
	push(s->messages, "user", go_on);
}
