/*
 * What is to be compiled, of the launches that were seen, and how far. Deciding
 * costs the more the further it goes, so not every specialisation goes all the way:
 *
 *     "ir"      Triton's front end: names, types, shapes, constants
 *     "llvm"    and lowering for the target: layouts, shared memory, conversions
 *     "object"  and a code object, whose figures are reported
 *
 * For the first target, which decides, the largest launch of a kernel becomes an
 * object, the largest for each combination of its tensors' types goes to "llvm" (unless
 * the builder sees nothing in it that hangs on types), and every other goes through the
 * front end. For the other targets each kernel's largest becomes an object.
 *
 * Where a GPU has run the kernels and nobody asks for figures, the front end is enough.
 */
#ifndef GEAK_DOMAIN_PLAN_H
#define GEAK_DOMAIN_PLAN_H

#include "records/json.h"

enum plan_objects { PLAN_OF_LARGEST, PLAN_OF_ALL, PLAN_OF_NONE };

/* [{"launch": index, "target": name, "depth": word}, …]; the caller owns it. */
struct json *plan_compile(const struct json *launches, const char *const *targets, size_t n_targets,
			  enum plan_objects objects);

#endif
