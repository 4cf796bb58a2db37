/* Who can be asked, where, and how each words it: three tables. */
#include <string.h>

#include "domain/llm_impl.h"
#include "domain/llm_wire.h"

/*
 * None has "n", which makes several replies to one question: two of the three do not know it, one
 * failure would lose them all, and what it saves is the price of prompts, of which a service that
 * keeps what it has read takes most away as it is.
 */
const struct llm_dialect llm_dialects[] = {
	[LLM_CHAT] = {
		.ending       = "/chat/completions",
		.limit        = { "max_tokens", "max_completion_tokens" },
		.effort       = "reasoning_effort",
		.seed         = "seed",
		.stream_usage = "stream_options.include_usage",
		.messages = llm_chat_messages, .whole = llm_chat_whole, .event = llm_chat_event,
	},
	[LLM_RESPONSES] = {
		.ending       = "/responses",
		.limit        = { "max_output_tokens" },
		.effort       = "reasoning.effort",
		.messages = llm_responses_messages, .whole = llm_responses_whole,
		.event = llm_responses_event,
	},
	[LLM_MESSAGES] = {
		.ending       = "/messages",
		.limit        = { "max_tokens" },
		.usual_limit  = 8192, /* it insists on a number */
		.effort       = "output_config.effort",
		.header       = "anthropic-version: 2023-06-01",
		.marks        = true,
		.messages = llm_messages_messages, .whole = llm_messages_whole,
		.event = llm_messages_event,
	},
};

#define BEARER "Authorization: Bearer "
#define X_KEY "x-api-key: "

/* Where a service lies and how it is given its key: base URL, the variable that overrides it,
 * that of the key, whether there must be one, its header; prefix in the list of prices. */
static const struct llm_site
	openai    = { "https://api.openai.com/v1", "OPENAI_BASE_URL",
		      "OPENAI_API_KEY", true, BEARER, "openai:" },
	anthropic = { "https://api.anthropic.com", "ANTHROPIC_BASE_URL",
		      "ANTHROPIC_API_KEY", true, X_KEY, "anthropic:" },
	azure     = { NULL, "AZURE_OPENAI_ENDPOINT",
		      "AZURE_OPENAI_API_KEY", true, "api-key: ", "azure:" },
	named     = { NULL, NULL,
		      "GEAK_API_KEY", false, BEARER, NULL };

#define AZURE_PATH "/openai/deployments/{name}/chat/completions?api-version={version}"
#define OLDER 0 /* of the names of a limit */
#define NEWER 1

const struct llm_provider llm_providers[] = {
/*	  model's name         asked by   at          path                 in             limit */
	{ "openai:",           &llm_http, &openai,    "/chat/completions", LLM_CHAT,      NEWER },
	{ "openai-responses:", &llm_http, &openai,    "/responses",        LLM_RESPONSES, OLDER },
	{ "anthropic:",        &llm_http, &anthropic, "/v1/messages",      LLM_MESSAGES,  OLDER },
	{ "azure:",            &llm_http, &azure,     AZURE_PATH,          LLM_CHAT,      NEWER },
	{ "http:",             &llm_http, &named,     NULL,                LLM_CHAT,      OLDER },
	{ "https:",            &llm_http, &named,     NULL,                LLM_CHAT,      OLDER },
	{ "exec:",             &llm_exec, NULL,       NULL,                0,             0 },
	{ "replay:",           &llm_replay, NULL,     NULL,                0,             0 },
	{ 0 },
};

const struct llm_provider *llm_provider_of(const char *model)
{
	const struct llm_provider *p = llm_providers;

	while (p->prefix && strncmp(model, p->prefix, strlen(p->prefix)) != 0)
		p++;
	return p->prefix ? p : NULL;
}

const char *llm_named(const char *model)
{
	const struct llm_provider *p = model ? llm_provider_of(model) : NULL;
	const char *hash = model;

	if (p && p->means == &llm_replay)
		while ((hash = strchr(hash, '#')))
			if (llm_provider_of(++hash))
				return hash;
	return model;
}

const char llm_help[] =
	"  openai:NAME\t\tOpenAI's chat completions; key in OPENAI_API_KEY\n"
	"  openai-responses:NAME\tOpenAI's Responses; the same key\n"
	"  anthropic:NAME\tAnthropic's service; key in ANTHROPIC_API_KEY\n"
	"  azure:DEPLOYMENT\ta resource at AZURE_OPENAI_ENDPOINT; key in\n"
	"\t\t\tAZURE_OPENAI_API_KEY\n"
	"  http://HOST/v1#NAME\tany server that speaks one of these; a key, where it\n"
	"\t\t\twants one, in GEAK_API_KEY\n"
	"  exec:COMMAND\t\ta shell command: prompt in, reply out\n"
	"  replay:FILE#MODEL\trecorded replies, or the results of a batch\n";
