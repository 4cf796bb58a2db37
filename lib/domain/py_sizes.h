/*
 * The whole numbers that a Python text of KernelBench's form gives to names at
 * its top level ("batch_size = 128", "M = K = 16 * 64", "H, W = 24, 32",
 * "shape = (3, 224)"), and what they are for. Names lie in the caller's text.
 */
#ifndef GEAK_DOMAIN_PY_SIZES_H
#define GEAK_DOMAIN_PY_SIZES_H

#include <stdbool.h>
#include <stddef.h>

#include "domain/py_names.h"

enum { PY_SIZES_MAX = 64, PY_SIZE_VALUES_MAX = 8, PY_TENSORS_MAX = 8, PY_TIMES_MAX = 8 };

struct py_size {
	struct py_name name;
	long value[PY_SIZE_VALUES_MAX];
	size_t count;
	bool sequence;   /* a tuple or a list, of count numbers */
	bool literal;    /* value and count are known; else it is computed from other names */
	bool in_init;    /* get_init_inputs() needs it, directly or through another name */
	bool global;     /* a class uses it as it is, with no parameter or variable of that name */
	/* How often get_inputs() names it (at most PY_TIMES_MAX) in the making of its first,
	 * second, ... tensor. */
	unsigned char in_tensor[PY_TENSORS_MAX];
};

struct py_sizes {
	struct py_size all[PY_SIZES_MAX];
	size_t count;
};

/* Does get_inputs() need it? */
bool py_size_in_inputs(const struct py_size *s);

/* Reads text. Of a name that is set more than once the last value counts. */
void py_sizes_read(struct py_sizes *s, const char *text);

#endif
