#include "domain/llm_failure.h"

#include "domain/llm_wire.h"
#include "ground/buf.h"

/* A response that is no reply; words are the service's own. */
static int refusal(const struct llm_target *t, const struct http_result *result,
		   const struct llm_attempt *a, const char *words, struct err *e)
{
	const char *variable = t->site->key_variable;
	long status = result->status;
	/* Where replies came from the address is right, and this will pass. */
	int astray = a->served ? ERR_TEMP : ERR_SERVICE;

	if (status == 401 || status == 403)
		return err_set(e, ERR_SERVICE, "the service refused %s %s (status %ld: %s); check the "
			       "key and what it is allowed", t->key ? "the key in"
			       : "a request without a key, which belongs in", variable, status, words);
	if (status == 402 || llm_wire_no_credit(result->body->data, result->body->len))
		return err_set(e, ERR_SERVICE, "the account behind %s has no credit left (status %ld: "
			       "%s)", variable, status, words);
	if (status == 404 || status == 405)
		return err_set(e, astray, "the service knows no such model or address (status %ld: %s); "
			       "check -m", status, words);
	if (status >= 300 && status < 400)
		return err_set(e, astray, "the service redirects elsewhere (status %ld), where the key "
			       "will not be sent; give its final URL", status);
	if (a->too_late && result->retry_after_s > 0)
		return err_set(e, ERR_TEMP, "the service answers with status %ld and asks to wait %g s, "
			       "for which --timeout leaves no time: %s", status, result->retry_after_s,
			       words);
	return err_set(e, status == 429 || status >= 500 ? ERR_TEMP : ERR_RECORD,
		       "the service answers with status %ld: %s%s", status, words,
		       a->tries > 1 ? ", also after further tries" : "");
}

int llm_failure(const struct llm_target *t, const struct llm_config *config,
		const struct http_result *result, const struct llm_attempt *a, struct err *e)
{
	struct buf words;
	int rc = ERR_SOFTWARE;

	switch (result->failure) {
	case HTTP_ANSWERED:
		buf_init(&words, 4096);
		llm_wire_complaint(result->body->data, result->body->len, &words);
		rc = refusal(t, result, a, words.data, e);
		buf_release(&words);
		return rc;
	case HTTP_UNREACHABLE: /* where others were answered meanwhile it is there */
		return err_set(e, a->heard ? ERR_TEMP : ERR_SERVICE, "the model's service cannot be "
			       "reached: %s; check that it runs and that its address is right",
			       result->why);
	case HTTP_UNTRUSTED:
		return err_set(e, ERR_SERVICE, "the service cannot be trusted, and was sent nothing: "
			       "%s; a certificate authority of your own belongs in the file that "
			       "SSL_CERT_FILE names", result->why);
	case HTTP_FOREIGN:
		return err_set(e, a->served ? ERR_TEMP : ERR_SERVICE, "what answers there does not "
			       "speak HTTP; check -m");
	case HTTP_BROKEN:
		return err_set(e, ERR_TEMP, "the connection broke before the reply was complete: %s",
			       result->why);
	case HTTP_STALLED:
		return err_set(e, ERR_TEMP, "the stream of the reply came to a stop: nothing for %g s, "
			       "also after further tries; --stall gives it more time",
			       config->stall_s);
	case HTTP_TIMED_OUT:
		return err_set(e, ERR_TEMP, "no reply within %g s; --timeout gives it more time",
			       config->timeout_s);
	case HTTP_TOO_LARGE:
		return err_set(e, ERR_RECORD, "the answer is larger than a reply may be");
	}
	return rc;
}
