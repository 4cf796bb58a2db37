/*
 * A Python traceback cut down to what its reader can act on: the frames that
 * lie in the candidate's own file, each with the lines of source around it.
 * Owns nothing.
 */
#ifndef GEAK_DOMAIN_TRACE_H
#define GEAK_DOMAIN_TRACE_H

#include "ground/buf.h"

/*
 * Appends the trimmed trace to out; nothing when no frame is the candidate's.
 * Of chained tracebacks every frame counts once; of many the last few are kept.
 * trace and source may be any text.
 */
void trace_trim(const char *trace, const char *source, struct buf *out);

#endif
