/* Any bytes are a service's answer. There is a text, or a sentence that says why not. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "domain/batch.h"
#include "domain/llm_wire.h"
#include "ground/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as(const struct llm_dialect *dialect, const char *body, size_t len)
{
	struct llm_wire_text t;
	struct err e = ERR_INIT;
	int rc;

	llm_wire_init(&t);
	rc = llm_wire_read(dialect, body, len, &t, &e);
	if (rc && ((rc != ERR_RECORD && rc != ERR_TEMP) || e.text[0] == '\0'))
		abort();
	if (strlen(t.text.data) != t.text.len)
		abort();
	llm_wire_release(&t);
}

static void read_result(const char *body, size_t len)
{
	struct json *line = json_parse(body, len, NULL);
	struct llm_wire_text t;
	struct err e = ERR_INIT;
	int rc;

	if (batch_result_id(line)) {
		llm_wire_init(&t);
		rc = batch_read(line, &t, &e);
		if (rc && (rc != ERR_RECORD || e.text[0] == '\0'))
			abort();
		llm_wire_release(&t);
	}
	json_free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *body = mem_strndup((const char *)data, size);
	size_t len = strlen(body); /* what holds a NUL is refused before */
	struct buf words;

	for (size_t i = 0; i < LLM_DIALECTS; i++)
		read_as(&llm_dialects[i], body, len);
	read_result(body, len);
	buf_init(&words, 4096);
	llm_wire_complaint(body, len, &words);
	if (words.len == 0 && len && body[strspn(body, " \t\r\n")])
		abort();
	llm_wire_no_credit(body, len);
	llm_wire_unknown(body, len, "max_tokens");
	buf_release(&words);
	free(body);
	return 0;
}
