/*
 * Questions that are written into a file, for a batch, instead of being asked. A
 * struct requests owns its file.
 */
#ifndef GEAK_DOMAIN_REQUESTS_H
#define GEAK_DOMAIN_REQUESTS_H

#include "domain/llm.h"

struct requests;

/* Makes or empties the file. NULL with ERR_USAGE when it cannot be written. */
struct requests *requests_open(const char *path, struct err *e);

/* Writes a question, unless the very same is there. 0 or ERR_IO. */
int requests_add(struct requests *r, const struct llm *llm, const struct llm_request *req,
		 struct err *e);

/* 0, or ERR_IO when not everything could be written. */
int requests_close(struct requests *r, struct err *e);

#endif
