#include "domain/llm_pace.h"

#include <math.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "domain/llm_impl.h"

/* Before a second try; doubles from there to the longest. */
static const double first_pause_s = 0.5, longest_pause_s = 60;
static const double minute_s = 60;

/* English text and code, roughly; what a reply really took is set right once it is told. */
static const double bytes_per_token = 4, usual_reply_tokens = 2000;

void llm_pace_init(struct llm_pace *p)
{
	*p = (struct llm_pace){ .next_request = 0 };
	if (getrandom(p->random, sizeof(p->random), 0) < 0)
		p->random[0] = (unsigned short)getpid();
}

double llm_pace_guess(const struct llm_config *c, size_t bytes)
{
	return (double)bytes / bytes_per_token
	       + (c->max_tokens ? (double)c->max_tokens : usual_reply_tokens);
}

double llm_pace_slot(struct llm_pace *p, const struct llm_config *c, double now, double tokens)
{
	double at = fmax(now, fmax(p->next_request, p->next_tokens));

	if (c->requests_per_minute > 0)
		p->next_request = at + minute_s / c->requests_per_minute;
	if (c->tokens_per_minute > 0)
		p->next_tokens = at + tokens * minute_s / c->tokens_per_minute;
	return at;
}

void llm_pace_settle(struct llm_pace *p, const struct llm_config *c, double guessed,
		     const struct llm_usage *took)
{
	double limit = c->tokens_per_minute;
	double tokens = (double)(took->prompt_tokens + took->completion_tokens);

	if (limit > 0 && took->prompt_tokens >= 0 && took->completion_tokens >= 0)
		p->next_tokens += (tokens - guessed) * minute_s / limit;
}

double llm_pace_pause(struct llm_pace *p, int tries, double retry_after_s)
{
	double most = fmin(ldexp(first_pause_s, tries - 1), longest_pause_s);
	double drawn = most * (1 + erand48(p->random)) / 2;

	return retry_after_s > 0 ? fmax(retry_after_s, most) + drawn - most / 2 : drawn;
}
