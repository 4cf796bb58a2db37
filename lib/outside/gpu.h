/* Which GPU is here. Asks the file system alone: no driver is woken, no context made. */
#ifndef GEAK_OUTSIDE_GPU_H
#define GEAK_OUTSIDE_GPU_H

#include <stdbool.h>

bool gpu_present(void);

#endif
