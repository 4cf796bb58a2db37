/* Which devices a judge has: those of the GPUs that it is told to use which work, or the
 * interpreter. They become the judge's. */
#ifndef GEAK_DOMAIN_DEVICE_FIND_H
#define GEAK_DOMAIN_DEVICE_FIND_H

#include "domain/judge.h"

/*
 * Sets j->devices, of which there is at least one, and j->device. GPUs are asked through the
 * compiler's zygote, which is started for that. One that cannot be used, or is of another kind
 * than the first, is left out, with a message; without any the interpreter takes their place,
 * unless config.need_gpu.
 */
int device_find(struct judge *j, struct err *e);

#endif
