/*
 * What a candidate's kernels need on each architecture they were compiled for, side by side, as
 * text for a person, at most 80 columns wide. It shows what eval.compile says. Owns nothing.
 */
#ifndef GEAK_DOMAIN_OBJECTS_H
#define GEAK_DOMAIN_OBJECTS_H

#include "ground/buf.h"
#include "records/json.h"

/*
 * Appends a table for each kernel with a code object: a line for each target, and in what they
 * differ. Of the specialisations of a kernel those are shown that were compiled for the most
 * targets. Nothing for a candidate without code objects.
 */
void objects_add(struct buf *out, const struct json *candidate);

#endif
