#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain/asker.h"
#include "ground/cli.h"

enum {
	OPT_MAX_TOKENS = 0x4701, OPT_TIMEOUT, OPT_STREAM, OPT_TARGET, OPT_SHOW_PROMPT,
	OPT_CACHE, OPT_CACHE_FILE, OPT_RPM, OPT_TPM,
	OPT_BUDGET, OPT_PRICES, OPT_EFFORT, OPT_SEED, OPT_CONTINUE, OPT_REQUESTS, OPT_STALL, OPT_UNORDERED,
	IN_FLIGHT_MAX = 1024,
	CONTINUES = 3, CONTINUES_MAX = 100,
	DAY_S = 86400,
	SEED_MAX = 2000000000, /* a sample's own has room above it in 31 bits */
};

struct asker_options asker_options = {
	.llm = { .temperature = NAN, .timeout_s = 600, .stall_s = 120, .in_flight = 8 },
	.target = "gfx942",
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "The model:", 10 },
	{ "model", 'm', "MODEL", 0, "The model to ask (default: GEAK_MODEL)", 0 },
	{ "temperature", 't', "T", 0,
	  "Sample at this temperature, 0 to 2 (default: the service decides)", 0 },
	{ "effort", OPT_EFFORT, "LEVEL", 0,
	  "Have it reason that hard: none, minimal, low, medium, high, "
	  "xhigh or max (default: the service decides)", 0 },
	{ "seed", OPT_SEED, "N", 0, "Draw the samples from seeds N, N+1, ...", 0 },
	{ "max-tokens", OPT_MAX_TOKENS, "N", 0,
	  "End a reply after N tokens (default: the service decides)", 0 },
	{ "continue", OPT_CONTINUE, "N", OPTION_ARG_OPTIONAL,
	  "Ask a reply that its limit cut to go on, "
	  "up to N times (default 3, without the option 0)", 0 },
	{ "timeout", OPT_TIMEOUT, "SECONDS", 0, "Time for a reply (default 600)", 0 },
	{ "jobs", 'j', "N", 0, "Questions in flight at once (default 8)", 0 },
	{ "unordered", OPT_UNORDERED, NULL, 0, "Write records as their replies come", 0 },
	{ "rpm", OPT_RPM, "N", 0, "Send at most N requests a minute", 0 },
	{ "tpm", OPT_TPM, "N", 0, "Use at most N tokens a minute", 0 },
	{ "budget", OPT_BUDGET, "USD", 0, "Stop asking before more than this is spent", 0 },
	{ "prices", OPT_PRICES, "FILE", 0, "What tokens cost (default: geak's own list)", 0 },
	{ "stream", OPT_STREAM, NULL, 0, "Have replies sent piece by piece", 0 },
	{ "stall", OPT_STALL, "SECONDS", 0,
	  "Give up a stream that is silent for so long (default 120)", 0 },
	{ "cache", OPT_CACHE, "off|use|only", 0,
	  "Take replies that are kept, and keep new ones (default: "
	  "GEAK_CACHE, else use for services and off for commands)", 0 },
	{ "cache-file", OPT_CACHE_FILE, "FILE", 0,
	  "Keep them there (default: ~/.cache/geak/replies.db)", 0 },
	{ "requests", OPT_REQUESTS, "FILE", 0,
	  "Write the questions into FILE, for a batch, and ask nobody", 0 },
	{ NULL, 0, NULL, 0, "The prompt:", 20 },
	{ "target", OPT_TARGET, "ARCH", 0, "Give facts about this GPU (default gfx942)", 0 },
	{ "show-prompt", OPT_SHOW_PROMPT, NULL, 0, "Print the prompts and ask nobody", 0 },
	{ 0 },
};

static bool cache_mode(const char *name, enum llm_cache *out)
{
	static const struct {
		const char *name;
		enum llm_cache mode;
	} modes[] = { { "off", LLM_CACHE_OFF }, { "use", LLM_CACHE_USE }, { "only", LLM_CACHE_ONLY } };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(name, modes[i].name) == 0) {
			*out = modes[i].mode;
			return true;
		}
	return false;
}

/* All that any service knows; which of them its models take, the service says. */
static bool is_effort(const char *word)
{
	static const char *const words[] = { "none", "minimal", "low", "medium", "high", "xhigh",
					     "max" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

/* What a reply depends on: true when key is one of these options. */
static bool parse_parameter(int key, char *arg, struct argp_state *state)
{
	struct llm_config *llm = &asker_options.llm;

	switch (key) {
	case 'm':
		llm->model = arg;
		return true;
	case 't':
		llm->temperature = cli_real(state, "--temperature", arg, 0, 2);
		return true;
	case OPT_EFFORT:
		if (!is_effort(arg))
			argp_error(state, "--effort takes none, minimal, low, medium, high, xhigh or "
				   "max, not '%s'", arg);
		llm->effort = arg;
		return true;
	case OPT_SEED:
		llm->seed = cli_number(state, "--seed", arg, 0, SEED_MAX);
		llm->seeded = true;
		return true;
	case OPT_MAX_TOKENS:
		llm->max_tokens = cli_number(state, "--max-tokens", arg, 1, 10 * 1000 * 1000);
		return true;
	case OPT_CONTINUE:
		asker_options.continues = arg ? cli_number(state, "--continue", arg, 0, CONTINUES_MAX)
					      : CONTINUES;
		return true;
	default:
		return false;
	}
}

/* Where no --cache was given. */
static void take_cache_mode(struct argp_state *state)
{
	const char *mode = getenv("GEAK_CACHE");

	if (asker_options.llm.cache == LLM_CACHE_SERVICES && mode && *mode
	    && !cache_mode(mode, &asker_options.llm.cache))
		argp_error(state, "GEAK_CACHE is off, use or only, not '%s'", mode);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct llm_config *llm = &asker_options.llm;

	if (parse_parameter(key, arg, state))
		return 0;
	switch (key) {
	case ARGP_KEY_INIT:
		llm->model = getenv("GEAK_MODEL");
		return 0;
	case ARGP_KEY_END:
		take_cache_mode(state);
		return 0;
	case OPT_TIMEOUT:
		llm->timeout_s = cli_real(state, "--timeout", arg, 0.001, DAY_S);
		return 0;
	case 'j':
		llm->in_flight = (int)cli_number(state, "--jobs", arg, 1, IN_FLIGHT_MAX);
		return 0;
	case OPT_UNORDERED:
		asker_options.unordered = true;
		return 0;
	case OPT_RPM:
		llm->requests_per_minute = cli_real(state, "--rpm", arg, 0.001, 1e9);
		return 0;
	case OPT_TPM:
		llm->tokens_per_minute = cli_real(state, "--tpm", arg, 1, 1e12);
		return 0;
	case OPT_BUDGET:
		asker_options.budget_usd = cli_real(state, "--budget", arg, 1e-6, 1e9);
		llm->must_know_price = true;
		return 0;
	case OPT_PRICES:
		llm->prices = arg;
		return 0;
	case OPT_STREAM:
		llm->stream = true;
		return 0;
	case OPT_STALL:
		llm->stall_s = cli_real(state, "--stall", arg, 0.001, DAY_S);
		return 0;
	case OPT_CACHE:
		if (!cache_mode(arg, &llm->cache))
			argp_error(state, "--cache takes off, use or only, not '%s'", arg);
		return 0;
	case OPT_CACHE_FILE:
		llm->cache_file = arg;
		return 0;
	case OPT_REQUESTS:
		asker_options.requests = arg;
		return 0;
	case OPT_TARGET:
		asker_options.target = arg;
		return 0;
	case OPT_SHOW_PROMPT:
		asker_options.show_prompt = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static char *add_models(int key, const char *text, void *input)
{
	char *help = NULL;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)(uintptr_t)text;
	if (asprintf(&help, "Models:\n%s", llm_help) < 0)
		return NULL;
	return help;
}

const struct argp asker_argp = {
	.options = options, .parser = parse, .doc = "\v", .help_filter = add_models,
};
