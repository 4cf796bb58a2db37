/* Any bytes are a template: it renders within its bound, or there is a sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "domain/prompt.h"
#include "ground/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char values[] = "{\"a\":\"x\",\"b\":[1,{\"a\":\"y\"},[]],"
		"\"c\":{\"d\":null,\"e\":\"{{a}}\"},\"t\":true,\"f\":false}";
	struct json *vars = json_parse(values, strlen(values), NULL);
	char *text = mem_strndup((const char *)data, size);
	struct err e = ERR_INIT;
	struct buf out;
	int rc;

	setenv("GEAK_DATADIR", "/nonexistent", 1); /* includes find nothing */
	buf_init(&out, 1 << 16);
	rc = prompt_render_text("fuzz", text, vars, &out, &e);
	if (rc && (e.code != rc || !e.text[0]))
		abort();
	buf_release(&out);
	free(text);
	json_free(vars);
	return 0;
}
