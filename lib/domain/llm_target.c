#include "domain/llm_target.h"

#include <stdlib.h>
#include <string.h>

#include "ground/buf.h"
#include "ground/mem.h"
#include "outside/http.h"

enum { URL_MAX = 4096 };

/* The last that Azure gave a date; from then on it needs none, and any URL will do. */
static const char azure_version[] = "2024-10-21";

static int take_key(struct llm_target *t, struct err *e)
{
	const struct llm_site *s = t->site;
	const char *key = getenv(s->key_variable);

	if (!key || !*key) {
		if (!s->key_needed)
			return 0;
		return err_set(e, ERR_SERVICE, "there is no key for the model's service: set %s",
			       s->key_variable);
	}
	for (const char *c = key; *c; c++)
		if (*c <= ' ' || *c > '~')
			return err_set(e, ERR_SERVICE, "the key in %s holds a blank or another "
				       "character that no key has; set it anew", s->key_variable);
	t->key_header = mem_printf("%s%s", s->key_header, key);
	t->key = t->key_header + strlen(s->key_header);
	return 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && strcmp(text + len - n, end) == 0;
}

/* What fits into a path or a query as it is. */
static int check_word(const char *word, const char *what, struct err *e)
{
	size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");

	if (n && !word[n])
		return 0;
	return err_set(e, ERR_USAGE, "%s is letters, digits, '.', '_' and '-', not '%s'", what, word);
}

/* base with a path in which {name} and {version} are filled in; frees base. */
static int fill_in(struct llm_target *t, char *base, const char *path, struct err *e)
{
	const char *version = getenv("OPENAI_API_VERSION");
	const char *braces = strchr(path, '{');
	struct buf url;
	int rc = 0;

	if (!version || !*version)
		version = azure_version;
	if (braces)
		rc = check_word(t->name, "a deployment's name", e)
		     || check_word(version, "OPENAI_API_VERSION", e) ? ERR_USAGE : 0;
	buf_init(&url, URL_MAX);
	buf_adds(&url, base);
	for (; braces; braces = strchr(path, '{')) {
		buf_add(&url, path, (size_t)(braces - path));
		buf_adds(&url, braces[1] == 'n' ? t->name : version);
		path = strchr(braces, '}') + 1;
	}
	buf_adds(&url, path);
	free(base);
	t->url = buf_detach(&url);
	return rc;
}

/* "http://host/v1#name", whose path may say how it is to be asked. */
static const char *split_name(struct llm_target *t, char *base)
{
	char *hash = strchr(base, '#');

	t->name = mem_strdup(hash ? hash + 1 : "");
	if (hash)
		*hash = '\0';
	for (size_t i = 0; i < LLM_DIALECTS; i++)
		if (ends_with(base, llm_dialects[i].ending)) {
			t->dialect = &llm_dialects[i];
			return "";
		}
	return t->dialect->ending;
}

static int take_url(struct llm_target *t, const struct llm_provider *p, const char *model,
		    const char *rest, struct err *e)
{
	const char *variable = t->site->base_variable, *path = p->path;
	const char *own = variable ? getenv(variable) : NULL;
	char *base;

	if (variable && !t->site->base && !(own && *own))
		return err_set(e, ERR_USAGE, "%s is not set: it is the service's URL", variable);
	base = mem_strdup(!variable ? model : own && *own ? own : t->site->base);
	if (variable)
		t->name = mem_strdup(rest);
	else
		path = split_name(t, base);
	for (size_t n = strlen(base); n && base[n - 1] == '/'; n--)
		base[n - 1] = '\0';
	t->host = http_url_host(base, e);
	if (t->host)
		return fill_in(t, base, path, e);
	free(base);
	return err_prefix(e, "%s", variable ? variable : "the model's URL");
}

int llm_target_init(struct llm_target *t, const struct llm_provider *p, const char *model,
		    const char *rest, bool wants_key, struct err *e)
{
	int rc;

	*t = (struct llm_target){ .site = p->site, .dialect = &llm_dialects[p->dialect] };
	rc = take_url(t, p, model, rest, e);
	if (!rc && wants_key)
		rc = take_key(t, e);
	if (rc)
		llm_target_release(t);
	return rc;
}

void llm_target_release(struct llm_target *t)
{
	free(t->url);
	free(t->host);
	free(t->name);
	free(t->key_header);
	*t = (struct llm_target){ .site = NULL };
}
