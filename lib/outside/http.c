#include "outside/http.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "ground/mem.h"

enum {
	CONNECT_TIMEOUT_S = 30,
	EXTRA_MAX = 16,
	LONG_WAIT_MS = 60 * 1000,
	EVENTS = 16, /* looked at before what they brought is handed out: the next questions go
		      * out while other answers still come in */
};

/*
 * libcurl tells which sockets it waits for and until when; epoll tells which of them has
 * something. So a step costs what happens in it, however many requests are open.
 */
struct http {
	CURLM *multi;
	int epoll;
	double wake_at;        /* when libcurl wants to be called; INFINITY: not at all */
	double look_at;        /* when a body may have stalled, at the earliest */
	struct transfer *open; /* a list */
};

struct transfer {
	struct transfer *next, **link;
	struct http *http;
	CURL *easy;
	struct curl_slist *headers;
	struct buf body;
	bool has_head;           /* the final one, all of it */
	double stall_s, heard_at; /* when the last of the body came; 0: none has */
	char why[CURL_ERROR_SIZE];
	http_data_fn *data;
	http_done_fn *done;
	void *ctx;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* -- what libcurl waits for */

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *known)
{
	struct http *h = ctx;
	struct epoll_event e = { .data.fd = fd };

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		epoll_ctl(h->epoll, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	e.events = (what & CURL_POLL_IN ? EPOLLIN : 0U) | (what & CURL_POLL_OUT ? EPOLLOUT : 0U);
	if (epoll_ctl(h->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e))
		return -1;
	curl_multi_assign(h->multi, fd, h); /* anything but NULL: it is known now */
	return 0;
}

static int on_timer(CURLM *multi, long ms, void *ctx)
{
	struct http *h = ctx;

	(void)multi;
	h->wake_at = ms < 0 ? INFINITY : now_s() + (double)ms / 1000;
	return 0;
}

struct http *http_new(struct err *e)
{
	struct http *h = mem_zalloc(1, sizeof(*h));

	h->wake_at = h->look_at = INFINITY;
	h->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (h->epoll >= 0 && !curl_global_init(CURL_GLOBAL_DEFAULT))
		h->multi = curl_multi_init();
	if (h->multi) {
		curl_multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
		curl_multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
		curl_multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, on_timer);
		curl_multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
		return h;
	}
	if (h->epoll >= 0)
		close(h->epoll);
	free(h);
	err_set(e, ERR_SOFTWARE, "libcurl cannot be set up");
	return NULL;
}

/* -- requests */

static void unlink_transfer(struct transfer *t)
{
	*t->link = t->next;
	if (t->next)
		t->next->link = t->link;
}

static void free_transfer(struct transfer *t)
{
	curl_easy_cleanup(t->easy);
	curl_slist_free_all(t->headers);
	buf_release(&t->body);
	free(t);
}

void http_free(struct http *h)
{
	if (!h)
		return;
	while (h->open) {
		struct transfer *t = h->open;

		h->open = t->next;
		curl_multi_remove_handle(h->multi, t->easy);
		free_transfer(t);
	}
	curl_multi_cleanup(h->multi); /* closes sockets, and says so */
	close(h->epoll);
	curl_global_cleanup();
	free(h);
}

static size_t on_body(char *data, size_t size, size_t count, void *ctx)
{
	struct transfer *t = ctx;

	t->heard_at = now_s();
	if (t->stall_s > 0)
		t->http->look_at = fmin(t->http->look_at, t->heard_at + t->stall_s);
	if (t->data)
		t->data(t->ctx, data, size * count);
	/* Anything but the full size makes libcurl give up. */
	return buf_add(&t->body, data, size * count) ? 0 : size * count;
}

/* libcurl takes a connection that ends within the head for an answer without a body. */
static size_t on_head(char *line, size_t size, size_t count, void *ctx)
{
	struct transfer *t = ctx;

	if (size * count >= 5 && memcmp(line, "HTTP/", 5) == 0)
		t->has_head = false; /* after an interim one another begins */
	else
		t->has_head |= line[0] == '\r' || line[0] == '\n';
	return size * count;
}

/* A machine's own server is never reached through a proxy, whatever the environment says. */
static bool is_loopback(const char *url)
{
	CURLU *u = curl_url();
	unsigned char bytes[4];
	char *host = NULL;
	bool yes = false;

	if (u && !curl_url_set(u, CURLUPART_URL, url, 0)
	    && !curl_url_get(u, CURLUPART_HOST, &host, 0))
		yes = strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0
		      || (inet_pton(AF_INET, host, bytes) == 1 && bytes[0] == 127);
	curl_free(host);
	curl_url_cleanup(u);
	return yes;
}

static void set_options(struct transfer *t, const struct http_post *post)
{
	const char *authorities = getenv("SSL_CERT_FILE");
	CURL *c = t->easy;

	curl_easy_setopt(c, CURLOPT_URL, post->url);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
	if (is_loopback(post->url))
		curl_easy_setopt(c, CURLOPT_PROXY, "");
	/* A handshake each would be a waste, where the server may take all over one connection. */
	if (strncmp(post->url, "https:", 6) == 0)
		curl_easy_setopt(c, CURLOPT_PIPEWAIT, 1L);
	curl_easy_setopt(c, CURLOPT_USERAGENT, "geak");
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, t->headers);
	curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->body_len);
	curl_easy_setopt(c, CURLOPT_COPYPOSTFIELDS, post->body);
	curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)(post->timeout_s * 1000) + 1);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_TIMEOUT_S);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_head);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
	/* Some servers and proxies compress without being asked. */
	curl_easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
	if (authorities && *authorities)
		curl_easy_setopt(c, CURLOPT_CAINFO, authorities);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, t->why);
	curl_easy_setopt(c, CURLOPT_PRIVATE, t);
	/* CURLOPT_NOSIGNAL stays off: with it libcurl would not shield its own writes
	 * from SIGPIPE, which is deadly here by intent. */
}

int http_post(struct http *h, const struct http_post *post, http_data_fn *data,
	      http_done_fn *done, void *ctx, struct err *e)
{
	struct transfer *t = mem_zalloc(1, sizeof(*t));

	buf_init(&t->body, post->max_bytes);
	t->http = h;
	t->stall_s = post->stall_s;
	t->data = data;
	t->done = done;
	t->ctx = ctx;
	t->easy = curl_easy_init();
	for (size_t i = 0; post->headers[i]; i++) {
		struct curl_slist *longer = curl_slist_append(t->headers, post->headers[i]);

		t->headers = longer ? longer : t->headers;
	}
	if (!t->easy) {
		free_transfer(t);
		return err_set(e, ERR_SOFTWARE, "libcurl cannot make a request");
	}
	set_options(t, post);
	if (curl_multi_add_handle(h->multi, t->easy)) {
		free_transfer(t);
		return err_set(e, ERR_SOFTWARE, "libcurl cannot start a request");
	}
	t->next = h->open;
	t->link = &h->open;
	if (t->next)
		t->next->link = &t->next;
	h->open = t;
	return 0;
}

static enum http_failure failure_of(const struct transfer *t, CURLcode code)
{
	switch (code) {
	case CURLE_OK:
		return t->has_head ? HTTP_ANSWERED : HTTP_BROKEN;
	case CURLE_WRITE_ERROR:
		return buf_overflowed(&t->body) ? HTTP_TOO_LARGE : HTTP_BROKEN;
	case CURLE_OPERATION_TIMEDOUT: {
		curl_off_t connected = 0;

		/* Not even a connection in all that time: nobody is there. */
		curl_easy_getinfo(t->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
		return connected ? HTTP_TIMED_OUT : HTTP_UNREACHABLE;
	}
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_PARTIAL_FILE:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
	case CURLE_BAD_CONTENT_ENCODING:
	case CURLE_WEIRD_SERVER_REPLY:
		return HTTP_BROKEN;
	case CURLE_UNSUPPORTED_PROTOCOL: /* "HTTP/0.9": no head at all */
		return HTTP_FOREIGN;
	case CURLE_PEER_FAILED_VERIFICATION:
		return HTTP_UNTRUSTED;
	default:
		return HTTP_UNREACHABLE;
	}
}

/* In seconds; some services tell it in milliseconds as well, and then mean that. */
static double retry_after(CURL *c)
{
	struct curl_header *ms = NULL;
	curl_off_t s = 0;
	double after;

	curl_easy_getinfo(c, CURLINFO_RETRY_AFTER, &s);
	after = (double)s;
	if (!curl_easy_header(c, "Retry-After-Ms", 0, CURLH_HEADER, -1, &ms) && atof(ms->value) > 0)
		after = atof(ms->value) / 1000;
	return after > 0 ? after : 0;
}

static void finish(struct http *h, struct transfer *t, enum http_failure failure, CURLcode code)
{
	struct http_result r = { .failure = failure, .body = &t->body, .why = "" };

	if (code)
		r.why = t->why[0] ? t->why : curl_easy_strerror(code);
	else if (r.failure == HTTP_BROKEN)
		r.why = "it ended within the head of the answer";
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &r.status);
	r.retry_after_s = retry_after(t->easy);
	curl_multi_remove_handle(h->multi, t->easy);
	unlink_transfer(t);
	t->done(t->ctx, &r);
	free_transfer(t);
}

/* Calls back for each request that is over; true when there was one. */
static bool hand_out(struct http *h)
{
	bool any = false;
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(h->multi, &left))) {
		struct transfer *t = NULL;
		CURLcode result = m->data.result;

		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &t);
		finish(h, t, failure_of(t, result), result);
		any = true;
	}
	return any;
}

/* Ends those whose body has begun and then been silent for too long. */
static bool end_stalled(struct http *h)
{
	double now = now_s();
	struct transfer *next;
	bool any = false;

	if (now < h->look_at)
		return false;
	h->look_at = INFINITY;
	for (struct transfer *t = h->open; t; t = next) {
		next = t->next;
		if (!(t->stall_s > 0) || !(t->heard_at > 0))
			continue;
		if (t->heard_at + t->stall_s > now) {
			h->look_at = fmin(h->look_at, t->heard_at + t->stall_s);
			continue;
		}
		finish(h, t, HTTP_STALLED, CURLE_OK);
		any = true;
	}
	return any;
}

/* Lets libcurl look at the sockets on which something happened, and at the time. */
static CURLMcode move_on(struct http *h)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(h->epoll, events, EVENTS, 0), running;
	CURLMcode code = CURLM_OK;

	for (int i = 0; i < n && !code; i++) {
		uint32_t e = events[i].events;
		int what = (e & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0)
			   | (e & EPOLLOUT ? CURL_CSELECT_OUT : 0)
			   | (e & EPOLLERR ? CURL_CSELECT_ERR : 0);

		code = curl_multi_socket_action(h->multi, events[i].data.fd, what, &running);
	}
	if (!code && h->wake_at <= now_s()) {
		h->wake_at = INFINITY;
		code = curl_multi_socket_action(h->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	}
	return code;
}

/* Rounded up: to wake too early is to wake again. */
static int wait_ms(const struct http *h, int timeout_ms)
{
	double ms = fmax(ceil((fmin(h->wake_at, h->look_at) - now_s()) * 1000), 0);

	if (timeout_ms >= 0 && timeout_ms < ms)
		return timeout_ms;
	return ms < LONG_WAIT_MS ? (int)ms : LONG_WAIT_MS;
}

int http_step(struct http *h, const struct pollfd *extra, size_t nextra, int timeout_ms,
	      struct err *e)
{
	struct pollfd wait[1 + EXTRA_MAX] = { { .fd = h->epoll, .events = POLLIN } };
	CURLMcode code;

	nextra = nextra < EXTRA_MAX ? nextra : EXTRA_MAX;
	for (size_t i = 0; i < nextra; i++)
		wait[1 + i] = extra[i];
	/* What just ended is handed out first: there may be nothing else to wait for. */
	code = move_on(h);
	if (!code && !hand_out(h) && !end_stalled(h)) {
		if (poll(wait, 1 + nextra, wait_ms(h, timeout_ms)) < 0 && errno != EINTR)
			return err_errno(e, ERR_SOFTWARE, "waiting for the model's service failed");
		code = move_on(h);
		hand_out(h);
		end_stalled(h);
	}
	if (code)
		return err_set(e, ERR_SOFTWARE, "waiting for the model's service failed: %s",
			       curl_multi_strerror(code));
	return 0;
}
