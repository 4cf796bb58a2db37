#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "ground/mem.h"
#include "outside/http.h"

char *http_url_host(const char *url, struct err *e)
{
	static const CURLUPart secret[] = { CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY,
					    CURLUPART_FRAGMENT };
	CURLU *u = curl_url();
	char *scheme = NULL, *host = NULL, *port = NULL, *text = NULL;
	bool plain = true;

	if (!u || curl_url_set(u, CURLUPART_URL, url, 0)
	    || curl_url_get(u, CURLUPART_SCHEME, &scheme, 0)
	    || (strcmp(scheme, "http") && strcmp(scheme, "https"))
	    || curl_url_get(u, CURLUPART_HOST, &host, 0)) {
		err_set(e, ERR_USAGE, "not a URL that can be asked; it should look like "
			"http://127.0.0.1:8080/v1");
	} else {
		for (size_t i = 0; i < sizeof(secret) / sizeof(*secret); i++) {
			char *part = NULL;

			if (!curl_url_get(u, secret[i], &part, 0))
				plain = false;
			curl_free(part);
		}
		if (!curl_url_get(u, CURLUPART_PORT, &port, 0))
			text = mem_printf("%s:%s", host, port);
		else
			text = mem_strdup(host);
	}
	if (!plain) {
		free(text);
		text = NULL;
		err_set(e, ERR_USAGE, "a model's URL may hold no user, password or query; "
			"a key belongs in the environment");
	}
	curl_free(scheme);
	curl_free(host);
	curl_free(port);
	curl_url_cleanup(u);
	return text;
}

const char *http_version(void)
{
	return curl_version();
}
