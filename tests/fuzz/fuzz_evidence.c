/* Any JSON is a candidate to what reads verdicts: kinds of failure, words, bottlenecks. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "domain/bottleneck.h"
#include "domain/failure.h"
#include "domain/history.h"
#include "domain/judged.h"
#include "domain/measures.h"
#include "domain/mismatch.h"
#include "domain/trace.h"
#include "domain/unguarded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char gpu[] = "{\"memory_gbs\":5300,\"peak_tflops\":{\"fp32\":163.4}}";
	struct err e = ERR_INIT;
	struct json *j = json_parse((const char *)data, size, &e), *arch;
	const char *source = json_get_string(j, "source"), *trace;
	struct bottleneck b;
	struct judged judged;
	struct buf words;

	if (!j)
		return 0;
	arch = json_parse(gpu, strlen(gpu), &e);
	buf_init(&words, 1 << 16);
	if (judged_read(j, &judged, &e) == 0 && judged.round < 0)
		abort();
	if (!failure_class(j))
		abort();
	mismatch_describe(j, &words);
	measures_describe(j, &words);
	trace = json_get_string(json_get(json_get(j, "eval"), "error"), "trace");
	trace_trim(trace ? trace : "", source ? source : "", &words);
	unguarded_line(source ? source : "");
	bottleneck_find(j, arch, &b);
	if (b.kind > BOTTLENECK_UNKNOWN || !*b.why)
		abort();
	json_free(history_vars(j));
	buf_release(&words);
	json_free(arch);
	json_free(j);
	return 0;
}
