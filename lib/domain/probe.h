/* Asks the GPU who it is, in a child of a zygote. */
#ifndef GEAK_DOMAIN_PROBE_H
#define GEAK_DOMAIN_PROBE_H

#include "ground/err.h"
#include "outside/zygote.h"

/* Fills *device ("NVIDIA H200") and *target ("sm_90"), the caller's to free.
 * ERR_SOFTWARE when the framework cannot use the GPU, with its own reason. */
int probe_gpu(struct zygote *z, const char *folder, char **device, char **target, struct err *e);

#endif
