/*
 * The builder: a trusted child that turns a kernel's IR into machine code. The
 * front end runs beside the candidate's own code, the builder never sees any: so
 * its figures cannot be forged. It serves one candidate after the other.
 */
#ifndef GEAK_DOMAIN_BUILDER_H
#define GEAK_DOMAIN_BUILDER_H

#include "domain/part.h"
#include "domain/request.h"

struct builder {
	struct part part;
	int irs, objects;     /* shared memory: what the front end wrote, what is made of it */
	struct json *answer;  /* to the request at hand */
	unsigned served;
	struct builder *next; /* of the judge's idle ones */
};

/* One that is idle, or a new one, always so if anew. NULL with e set when none could be started. */
struct builder *builder_take(struct judge *j, bool anew, struct err *e);

/*
 * One kernel for one target: {"at","size","options","target","depth"}. Meanwhile the
 * other part (or NULL) is served too. Returns the answer, which the caller owns, or NULL
 * when the builder ended or did not answer in time: part.end and part.how tell.
 */
struct json *builder_build(struct builder *b, const struct json *request, struct part *meanwhile,
			   int64_t deadline_ns);

void builder_give(struct judge *j, struct builder *b);
void builder_release_all(struct judge *j);

#endif
