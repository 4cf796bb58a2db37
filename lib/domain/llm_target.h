/*
 * Where a service's model is asked: its URL, its dialect, its key. A struct
 * llm_target owns its texts. The key lies in one of them and nowhere else.
 */
#ifndef GEAK_DOMAIN_LLM_TARGET_H
#define GEAK_DOMAIN_LLM_TARGET_H

#include <stdbool.h>

#include "domain/llm_impl.h"
#include "domain/llm_wire.h"

struct llm_target {
	const struct llm_site *site;
	const struct llm_dialect *dialect;
	char *url, *host;
	char *name;        /* the model's; "" where the server has but one */
	char *key_header;  /* NULL where there is no key */
	const char *key;   /* in key_header */
};

/* model is the whole name as -m took it, rest what follows the provider's prefix. Without
 * wants_key none is looked for. Returns 0, ERR_USAGE, or ERR_SERVICE where a key is missing. */
int llm_target_init(struct llm_target *t, const struct llm_provider *p, const char *model,
		    const char *rest, bool wants_key, struct err *e);
void llm_target_release(struct llm_target *t);

#endif
