/*
 * What a model's tokens cost, in US dollars, as a file says: prompts/prices.json, or the
 * user's own. Prices change; each there has the date on which it was looked up.
 */
#ifndef GEAK_DOMAIN_PRICE_H
#define GEAK_DOMAIN_PRICE_H

#include <stdbool.h>
#include <stdint.h>

#include "ground/err.h"

struct price { /* of a million tokens */
	double input, cached_input, cache_write, output;
	double batch; /* what part of all that is paid for what a batch has answered */
};

/*
 * Fills the price of a model, named as -m takes it, on a day ("2026-11-30"). file may be
 * NULL, for geak's own. Returns 1, or 0 when it is not listed; ERR_USAGE for a file that
 * cannot be used.
 */
int price_find(const char *file, const char *model, const char *day, struct price *out,
	       struct err *e);

/* cached_tokens of prompt_tokens came from the service's own cache, written_tokens of the others
 * went there; -1 is none. */
double price_of(const struct price *p, int64_t prompt_tokens, int64_t cached_tokens,
		int64_t written_tokens, int64_t completion_tokens);

#endif
