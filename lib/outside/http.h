/*
 * Many HTTP requests at once in one thread. Nothing is followed, kept or cached:
 * a redirect is a result like any other, and so never carries a key elsewhere.
 * A struct http owns the requests that are open; http_free() drops them.
 *
 * This is the only file pair that knows libcurl.
 */
#ifndef GEAK_OUTSIDE_HTTP_H
#define GEAK_OUTSIDE_HTTP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "ground/buf.h"
#include "ground/err.h"

struct http;

struct http_post {
	const char *url;
	const char *const *headers; /* "Name: value", NULL-terminated; may hold secrets */
	const char *body;           /* copied, as is everything here */
	size_t body_len;
	double timeout_s;
	double stall_s;             /* how long a body that has begun may be silent; 0: for ever */
	size_t max_bytes;           /* of the response's body */
};

enum http_failure {
	HTTP_ANSWERED,    /* there is a response, whatever its status */
	HTTP_UNREACHABLE, /* no connection: unknown host, refused, TLS */
	HTTP_UNTRUSTED,   /* the server's certificate does not hold; nothing was sent */
	HTTP_FOREIGN,     /* what answers does not speak HTTP */
	HTTP_BROKEN,      /* the connection ended or failed before the response did */
	HTTP_TIMED_OUT,
	HTTP_STALLED,     /* the body began and came to a stop */
	HTTP_TOO_LARGE,
};

struct http_result {
	enum http_failure failure;
	const char *why;       /* libcurl's words for a failure, else "" */
	long status;           /* 0 when no status line arrived */
	double retry_after_s;  /* 0 when the server did not say, or nonsense */
	struct buf *body;      /* what has arrived, on failure too; may be changed */
};

typedef void http_done_fn(void *ctx, const struct http_result *result);

/* The authorities whose certificates count are the system's, or those in the file that
 * SSL_CERT_FILE names. NULL with ERR_SOFTWARE when libcurl cannot be set up. */
struct http *http_new(struct err *e);
void http_free(struct http *h);

/* The library in use, as "libcurl/7.88.1 OpenSSL/3.0.17 …". */
const char *http_version(void);

/* Part of a body has arrived. May not call back into the http. */
typedef void http_data_fn(void *ctx, const char *data, size_t len);

/* Starts a POST; done is called once, from a later http_step(), and data (or NULL) before it
 * whenever something arrives. */
int http_post(struct http *h, const struct http_post *post, http_data_fn *data,
	      http_done_fn *done, void *ctx, struct err *e);

/* Waits at most timeout_ms for something to happen, also on extra (nextra of them,
 * for their events; revents is not filled in), then moves all requests on.
 * Returns 0 or ERR_SOFTWARE. */
int http_step(struct http *h, const struct pollfd *extra, size_t nextra, int timeout_ms,
	      struct err *e);

/* -- URLs */

/* The "host:port" or "host" of an http(s) URL for a message; the caller frees it.
 * NULL with ERR_USAGE when url is none. One with a user, a query or a fragment is
 * refused too: what could be a secret has no place in an argument. */
char *http_url_host(const char *url, struct err *e);

#endif
