#include "domain/llm_wire.h"

#include <stdio.h>
#include <string.h>

#include "ground/text.h"

enum { TEXT_MAX = 8 * 1024 * 1024, COMPLAINT_MAX = 300 };

void llm_wire_init(struct llm_wire_text *t)
{
	*t = (struct llm_wire_text){
		.usage = LLM_USAGE_UNKNOWN,
	};
	buf_init(&t->text, TEXT_MAX);
}

void llm_wire_release(struct llm_wire_text *t)
{
	buf_release(&t->text);
}

/* -- errors in the services' own words */

/* {"error":{"message":…}}, {"error":"…"}, {"object":"error","message":…}, {"type":"error",
 * "message":…}, {"detail":…}, {"detail":[{"msg":…}]}, or one of them in a list. */
static const char *error_message(const struct json *j)
{
	const struct json *error, *detail;
	const char *type;

	if (json_is(j, JSON_ARRAY))
		j = json_at(j, 0);
	error = json_get(j, "error");
	detail = json_get(j, "detail");
	type = json_get_string(j, "object");
	type = type ? type : json_get_string(j, "type");
	if (json_is(error, JSON_STRING))
		return json_string(error);
	if (json_is(error, JSON_OBJECT)) {
		const char *message = json_get_string(error, "message");

		return message && *message ? message : "an error without a message";
	}
	if (type && strcmp(type, "error") == 0)
		return json_get_string(j, "message");
	if (json_is(detail, JSON_ARRAY))
		return json_get_string(json_at(detail, 0), "msg");
	return json_string(detail);
}

/* Whether an error's code or type is one of those words. */
static bool error_is(const struct json *j, const char *const *words, size_t n)
{
	const struct json *error = json_get(json_is(j, JSON_ARRAY) ? json_at(j, 0) : j, "error");
	const char *type = json_get_string(error, "type"), *code = json_get_string(error, "code");

	for (size_t i = 0; i < n; i++)
		if ((type && strcmp(type, words[i]) == 0) || (code && strcmp(code, words[i]) == 0))
			return true;
	return false;
}

/* text, on one line, of at most COMPLAINT_MAX bytes, cut where a character ends. */
static void add_words(struct buf *out, const char *text, size_t len)
{
	bool cut = len > COMPLAINT_MAX;

	if (cut)
		for (len = COMPLAINT_MAX; len && ((unsigned char)text[len] & 0xC0) == 0x80;)
			len--;
	while (len && strchr(" \r\n\t", text[len - 1]))
		len--;
	text_add_masked(out, text, len, 0);
	if (cut)
		buf_adds(out, "...");
}

static bool is_html(const char *body)
{
	return body[strspn(body, " \t\r\n")] == '<';
}

void llm_wire_complaint(const char *body, size_t len, struct buf *out)
{
	struct json *j = json_parse(body, len, NULL);
	const char *message = error_message(j);
	size_t before = out->len;

	if (message)
		add_words(out, message, strlen(message));
	else if (len && is_html(body))
		buf_adds(out, "it sent an HTML page");
	else
		add_words(out, body, len);
	if (out->len == before)
		buf_adds(out, "it gave no reason");
	json_free(j);
}

bool llm_wire_no_credit(const char *body, size_t len)
{
	static const char *const words[] = {
		"insufficient_quota", "billing_hard_limit_reached", "billing_not_active",
		"billing_error",
	};
	static const char by_message[] = "credit balance is too low"; /* Anthropic, with status 400 */
	struct json *j = json_parse(body, len, NULL);
	const char *message = error_message(j);
	bool yes = error_is(j, words, sizeof(words) / sizeof(*words))
		   || (message && strstr(message, by_message));

	json_free(j);
	return yes;
}

bool llm_wire_unknown(const char *body, size_t len, const char *name)
{
	static const char *const phrases[] = {
		"nsupported parameter", "unsupported_parameter", "nknown parameter",
		"unknown_parameter", "nknown field", "nknown name", "nrecognized",
		"extra_forbidden", "xtra inputs", "nexpected",
	};

	if (!memmem(body, len, name, strlen(name)))
		return false;
	for (size_t i = 0; i < sizeof(phrases) / sizeof(*phrases); i++)
		if (memmem(body, len, phrases[i], strlen(phrases[i])))
			return true;
	return false;
}

/* An error that comes in the place of a reply, of the kind that has a status of its own (429,
 * 5xx) when it comes before one. */
static bool is_passing(const struct json *j)
{
	static const char *const words[] = {
		"overloaded_error", "rate_limit_error", "api_error", "server_error",
		"rate_limit_exceeded", "timeout_error",
	};

	return error_is(j, words, sizeof(words) / sizeof(*words));
}

bool llm_wire_failed(const struct json *j, struct llm_wire_text *t)
{
	const char *message = error_message(j);
	struct buf words;

	if (!message)
		return false;
	buf_init(&words, 4 * COMPLAINT_MAX);
	add_words(&words, message, strlen(message));
	err_set(&t->failed, is_passing(j) ? ERR_TEMP : ERR_RECORD,
		"the service reports an error: %s", words.data);
	buf_release(&words);
	return true;
}

/* -- what all replies have */

/* A number of tokens; what cannot be one was not told. */
static void take_tokens(const struct json *obj, const char *key, int64_t *out)
{
	const int64_t most = (int64_t)1 << 53;
	int64_t n = json_get_int(obj, key, -1);

	if (n >= 0 && n <= most)
		*out = n;
}

void llm_wire_usage(const struct json *j, struct llm_usage *usage)
{
	int64_t fresh = -1, read = 0, written = 0;

	take_tokens(j, "prompt_tokens", &usage->prompt_tokens);
	take_tokens(json_get(j, "prompt_tokens_details"), "cached_tokens", &usage->cached_tokens);
	take_tokens(j, "completion_tokens", &usage->completion_tokens);
	take_tokens(json_get(j, "input_tokens_details"), "cached_tokens", &usage->cached_tokens);
	/* Anthropic counts what it read from its cache, and what it wrote there, apart. */
	take_tokens(j, "input_tokens", &fresh);
	take_tokens(j, "cache_read_input_tokens", &usage->cached_tokens);
	take_tokens(j, "cache_read_input_tokens", &read);
	take_tokens(j, "cache_creation_input_tokens", &written);
	take_tokens(j, "cache_creation_input_tokens", &usage->written_tokens);
	if (fresh >= 0)
		usage->prompt_tokens = fresh + read + written;
	take_tokens(j, "output_tokens", &usage->completion_tokens);
	usage->cost_usd = json_get_number(j, "cost", usage->cost_usd);
}

void llm_wire_set_reason(char *out, size_t size, const char *reason)
{
	static const char *const same[][2] = {
		{ "end_turn", "stop" }, { "stop_sequence", "stop" }, { "max_tokens", "length" },
		{ "completed", "stop" }, { "max_output_tokens", "length" },
	};
	struct buf masked;

	if (!reason)
		return;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (strcmp(reason, same[i][0]) == 0)
			reason = same[i][1];
	buf_init(&masked, 4096);
	text_add_masked(&masked, reason, strnlen(reason, size - 1), 0);
	snprintf(out, size, "%s", masked.data);
	buf_release(&masked);
}

/* -- the two forms of a response */

/* What every reply must be, however it came. */
static int check(struct llm_wire_text *t, struct err *e)
{
	if (t->failed.code)
		return err_set(e, t->failed.code, "%s", t->failed.text);
	if (buf_overflowed(&t->text))
		return err_set(e, ERR_RECORD, "the reply is longer than the %d MiB that one may "
			       "have", TEXT_MAX >> 20);
	return 0;
}

int llm_wire_read_json(const struct llm_dialect *d, const struct json *reply,
		       struct llm_wire_text *t, struct err *e)
{
	if (!llm_wire_failed(reply, t))
		d->whole(reply, t);
	return check(t, e);
}

const struct llm_dialect *llm_wire_dialect_of(const struct json *reply)
{
	enum llm_dialect_name name = json_get(reply, "output") ? LLM_RESPONSES
				     : json_get(reply, "content") ? LLM_MESSAGES : LLM_CHAT;

	return &llm_dialects[name];
}

static int read_whole(const struct llm_dialect *d, const char *body, size_t len,
		      struct llm_wire_text *t, struct err *e)
{
	struct json *j = json_parse(body, len, e);
	int rc;

	if (!j) {
		err_prefix(e, "the answer cannot be read");
		return ERR_RECORD;
	}
	rc = llm_wire_read_json(d, j, t, e);
	json_free(j);
	return rc;
}

/* One event's data, which may have come in several "data:" lines. */
static int take_event(const struct llm_dialect *d, struct buf *data, struct llm_wire_text *t,
		      struct err *e)
{
	struct json *j;

	if (data->len == 0 || t->failed.code)
		return 0;
	if (strcmp(data->data, "[DONE]") == 0) {
		t->ended = true;
		buf_reset(data);
		return 0;
	}
	j = json_parse(data->data, data->len, e);
	if (!j) {
		err_prefix(e, "an event of the reply's stream cannot be read");
		return ERR_RECORD;
	}
	if (!llm_wire_failed(j, t))
		d->event(j, t);
	json_free(j);
	buf_reset(data);
	return 0;
}

/* Server-sent events: fields a line, an empty line after each event. Of the fields
 * only "data" counts here, since the services repeat the event's name within it. */
static int read_stream(const struct llm_dialect *d, const char *body, size_t len,
		       struct llm_wire_text *t, struct err *e)
{
	const char *end = body + len;
	struct buf data;
	int rc = 0;

	buf_init(&data, JSON_MAX_BYTES);
	while (!rc && body < end) {
		const char *nl = memchr(body, '\n', (size_t)(end - body));
		size_t n = (size_t)((nl ? nl : end) - body);
		const char *line = body;

		body = nl ? nl + 1 : end;
		if (n && line[n - 1] == '\r')
			n--;
		if (n == 0) {
			rc = take_event(d, &data, t, e);
		} else if (n >= 5 && memcmp(line, "data:", 5) == 0) {
			size_t skip = n > 5 && line[5] == ' ' ? 6 : 5;

			if (data.len)
				buf_addc(&data, '\n');
			buf_add(&data, line + skip, n - skip);
		}
	}
	if (!rc) /* without the empty line after it; when it was cut it is none */
		take_event(d, &data, t, NULL);
	buf_release(&data);
	if (!rc && !t->failed.code && !t->ended && !t->finish_reason[0])
		rc = err_set(e, ERR_TEMP, "the stream of the reply broke off before its end");
	return rc;
}

/* A stream begins with one of its fields or a comment; of one that was cut there may be less. */
static bool is_stream(const char *body)
{
	static const char *const fields[] = { "data:", "event:", "id:", "retry:", ":" };

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (strncmp(body, fields[i], strnlen(body, strlen(fields[i]))) == 0)
			return true;
	return false;
}

int llm_wire_read(const struct llm_dialect *d, const char *body, size_t len,
		  struct llm_wire_text *t, struct err *e)
{
	static const char mark[] = "\xEF\xBB\xBF"; /* of byte order, which some put first */
	const char *start;
	int rc;

	if (strncmp(body, mark, strlen(mark)) == 0) {
		body += strlen(mark);
		len -= strlen(mark);
	}
	start = body + strspn(body, " \t\r\n");
	if (*start == '\0')
		return err_set(e, ERR_TEMP, "the answer is empty");
	if (*start == '<')
		return err_set(e, ERR_RECORD, "the answer is an HTML page, not JSON; is the "
			       "URL that of a model's service?");
	/* A server may ignore the wish for a stream, so what came decides. */
	if (!is_stream(start))
		return read_whole(d, body, len, t, e);
	rc = read_stream(d, body, len, t, e);
	return rc ? rc : check(t, e);
}
