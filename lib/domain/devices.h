/* The GPUs of this machine, as a table for a person. */
#ifndef GEAK_DOMAIN_DEVICES_H
#define GEAK_DOMAIN_DEVICES_H

#include "ground/buf.h"
#include "ground/err.h"

/*
 * Appends a line for each GPU: number, name, architecture, compute units, threads a wavefront,
 * LDS a workgroup, memory, and how fast memory was copied, measured here: bytes read and written
 * a second. ERR_SOFTWARE when there is none that works.
 */
int devices_list(struct buf *out, struct err *e);

#endif
