/* What codeobj.c and its two readers share; for them alone. */
#ifndef GEAK_DOMAIN_CODEOBJ_IMPL_H
#define GEAK_DOMAIN_CODEOBJ_IMPL_H

#include "domain/codeobj.h"
#include "domain/elf64.h"

/* Each fills out but for the counts from the text and the occupancy, and lds
 * with its static part. rdna_pair: a workgroup may use two compute units. */
int codeobj_read_amd(const struct codeobj_input *in, const struct elf64 *elf, struct codeobj *out,
		     bool *rdna_pair, struct err *e);
int codeobj_read_nvidia(const struct codeobj_input *in, const struct elf64 *elf,
			struct codeobj *out, struct err *e);

/* A figure from a file: unknown unless it fits an int and is not negative. */
static inline int codeobj_figure(long long value)
{
	return value >= 0 && value <= 0x7fffffff ? (int)value : CODEOBJ_UNKNOWN;
}

#endif
