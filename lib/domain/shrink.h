/*
 * Smaller sizes for a reference of KernelBench's form, whose own are made for
 * a GPU: gigabytes, that Triton's interpreter would be at for days.
 */
#ifndef GEAK_DOMAIN_SHRINK_H
#define GEAK_DOMAIN_SHRINK_H

#include "records/json.h"

/*
 * Params for a case: names that the text sets at its top level, with values that
 * keep the input near some ten thousand elements. NULL when it holds no name
 * whose value could be made smaller. The caller's.
 */
struct json *shrink_sizes(const char *reference);

#endif
