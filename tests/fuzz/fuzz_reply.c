/* Any bytes are a reply. There is code, or a sentence that says why not. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "domain/reply.h"
#include "ground/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size);
	struct buf whole, small;
	struct err e = ERR_INIT;
	int rc;

	buf_init(&whole, 1 << 20);
	buf_init(&small, 40);
	rc = reply_code(text, "softmax", &whole, &e);
	if (rc == 0 ? whole.len == 0 : (rc != ERR_RECORD || e.text[0] == '\0' || whole.len > 0))
		abort();
	if (reply_code(text, NULL, &small, &e) == 0 && small.len > small.max)
		abort();
	buf_release(&small);
	buf_release(&whole);
	free(text);
	return 0;
}
