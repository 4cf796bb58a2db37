/* What the two sides of a zygote's control socket agree on. */
#ifndef GEAK_OUTSIDE_ZYGOTE_WIRE_H
#define GEAK_OUTSIDE_ZYGOTE_WIRE_H

#include "outside/zygote.h"

extern const char *const zygote_kind_names[]; /* by enum zygote_kind; NULL ends */

enum {
	ZYGOTE_CONTROL_FD = 3,
	ZYGOTE_GREETING_MAX = 4096, /* {"versions":{…},"box":{…},"boxed":…}, or '!' and a sentence */
	ZYGOTE_CALL_SIZE = 1, /* bytes of a call, which is answered with itself: no request is so short */
};

#endif
