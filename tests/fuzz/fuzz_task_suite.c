/* Python files of other people's suites: cut in two, and read for names and sizes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "domain/shrink.h"
#include "domain/task_suite.h"
#include "ground/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size), *kernel = NULL, *tests = NULL;
	struct err e = ERR_INIT;

	if (suite_split(text, &kernel, &tests, &e) == 0)
		free(suite_result(tests));
	free(suite_entry(kernel ? kernel : text, tests));
	json_free(shrink_sizes(text));
	free(kernel);
	free(tests);
	free(text);
	return 0;
}
