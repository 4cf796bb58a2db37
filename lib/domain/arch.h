/*
 * Facts about GPUs: one file each in prompts/arch. What is loaded is the caller's.
 */
#ifndef GEAK_DOMAIN_ARCH_H
#define GEAK_DOMAIN_ARCH_H

#include <stdint.h>

#include "ground/err.h"
#include "records/json.h"

/*
 * The facts for a GPU ("mi300x") or for an architecture ("gfx942": the GPU that
 * is marked as its default); letter case does not matter. Returns 0, ERR_USAGE
 * for a target that nobody knows (e lists those that are), or ERR_SOFTWARE for a file that
 * cannot be used.
 */
int arch_load(const char *target, struct json **out, struct err *e);

/*
 * The facts for a device, by what its driver tells of it: an H200 and an H100 are one
 * architecture. The same errors; ERR_USAGE also for a slice of a GPU.
 */
int arch_of_device(const char *arch, int compute_units, uint64_t memory_bytes, struct json **out,
		   struct err *e);

#endif
