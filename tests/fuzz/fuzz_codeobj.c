/* Objects are not trusted: whatever the bytes, reading them ends and stays inside. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "domain/codeobj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const targets[] = { "gfx942", "gfx1100", "sm_90" };
	struct codeobj_input in = { 0 };
	struct codeobj out;
	struct err e = ERR_INIT;
	size_t i;

	in.data = data;
	in.len = size;
	in.asm_text = (const char *)data;
	in.asm_len = size;
	for (i = 0; i < sizeof targets / sizeof *targets; i++) {
		in.target = targets[i];
		in.kernel = i % 2 ? "mm" : NULL;
		in.shared = i % 2 ? 1 << 20 : 0;
		if (codeobj_read(&in, &out, &e) == 0 &&
		    (memchr(out.kernel, '\0', sizeof out.kernel) == NULL || out.occupancy < -1))
			abort();
	}
	return 0;
}
