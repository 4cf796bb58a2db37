#include "domain/batch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ground/buf.h"
#include "ground/mem.h"

void batch_id(const struct llm_config *config, const struct llm_request *req,
	      const char *prompt_sha256, char id[BATCH_ID])
{
	struct hash *h = hash_new();
	char numbers[160], hex[HASH_HEX];

	snprintf(numbers, sizeof(numbers), "%lld %lld %.17g %ld %lld", (long long)req->sample,
		 (long long)req->round, isnan(config->temperature) ? -1 : config->temperature, config->max_tokens,
		 config->seeded ? llm_seed(config, req->sample) : -1);
	hash_string(h, "batch/2");
	hash_string(h, config->effort ? config->effort : "");
	hash_string(h, req->tool);
	hash_string(h, req->task);
	hash_string(h, numbers);
	hash_string(h, prompt_sha256);
	hash_hex(h, hex);
	snprintf(id, BATCH_ID, "geak-%.32s", hex);
}

struct json *batch_line(const struct llm_dialect *d, const struct llm_config *config,
			const char *name, const struct llm_request *req, int limit,
			const char *id)
{
	struct json *line = json_new_object();
	struct json *question = llm_wire_question(d, config, name, req, limit);
	char url[64];

	json_set_string(line, "custom_id", id);
	if (d == &llm_dialects[LLM_MESSAGES]) {
		json_set(line, "params", question);
		return line;
	}
	snprintf(url, sizeof(url), "/v1%s", d->ending);
	json_set_string(line, "method", "POST");
	json_set_string(line, "url", url);
	json_set(line, "body", question);
	return line;
}

/* -- results */

const char *batch_result_id(const struct json *line)
{
	return json_get(line, "response") || json_get(line, "result") || json_get(line, "error")
	       ? json_get_string(line, "custom_id") : NULL;
}

bool batch_result_good(const struct json *line)
{
	int64_t status = json_get_int(json_get(line, "response"), "status_code", 0);
	const char *type = json_get_string(json_get(line, "result"), "type");

	return (status >= 200 && status < 300) || (type && strcmp(type, "succeeded") == 0);
}

/* In the service's own words, where it has any. */
static int complain(const char *what, const struct json *why, struct err *e)
{
	struct buf body, words;

	buf_init(&body, JSON_MAX_BYTES);
	buf_init(&words, 4096);
	if (why)
		json_print(why, &body);
	llm_wire_complaint(body.data, body.len, &words);
	err_set(e, ERR_RECORD, "the batch's service %s: %s", what, words.data);
	buf_release(&words);
	buf_release(&body);
	return ERR_RECORD;
}

/* {"response":{"status_code","body"},"error":{"code","message"}} */
static int read_openai(const struct json *line, struct llm_wire_text *t, struct err *e)
{
	const struct json *body = json_get(json_get(line, "response"), "body");
	char what[64];

	if (batch_result_good(line))
		return llm_wire_read_json(llm_wire_dialect_of(body), body, t, e);
	if (json_is(json_get(line, "error"), JSON_OBJECT))
		return complain("reports an error", line, e);
	snprintf(what, sizeof(what), "answers with status %lld",
		 (long long)json_get_int(json_get(line, "response"), "status_code", 0));
	return complain(what, body, e);
}

/* {"result":{"type":"succeeded","message"}}, or "errored" with "error", or "canceled", "expired" */
static int read_anthropic(const struct json *line, struct llm_wire_text *t, struct err *e)
{
	const struct json *result = json_get(line, "result");
	const struct json *error = json_get(result, "error");
	const char *type = json_get_string(result, "type");

	if (batch_result_good(line))
		return llm_wire_read_json(&llm_dialects[LLM_MESSAGES], json_get(result, "message"),
					  t, e);
	if (error)
		return complain("reports an error", json_get(error, "error") ? error : result, e);
	return err_set(e, ERR_RECORD, "the batch's service did not answer: the request %s",
		       type && strcmp(type, "expired") == 0 ? "expired"
		       : type && strcmp(type, "canceled") == 0 ? "was canceled" : "has no result");
}

int batch_read(const struct json *line, struct llm_wire_text *t, struct err *e)
{
	int rc = json_get(line, "result") ? read_anthropic(line, t, e) : read_openai(line, t, e);

	if (rc) /* what passes while one asks has passed for good here */
		e->code = ERR_RECORD;
	return rc ? ERR_RECORD : 0;
}
