#include "outside/box_request.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "ground/fd.h"

union control {
	struct cmsghdr align;
	char space[CMSG_SPACE(BOX_FDS * sizeof(int))];
};

int box_request_send(int socket, const struct box_limits *limits, const int fds[BOX_FDS])
{
	return fd_send(socket, limits, sizeof(*limits), fds, BOX_FDS);
}

bool box_request_receive(int socket, struct box_limits *limits, int fds[BOX_FDS])
{
	union control control;
	struct iovec iov = { .iov_base = limits, .iov_len = sizeof(*limits) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			    .msg_control = &control, .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	c = CMSG_FIRSTHDR(&m);
	if (n != (ssize_t)sizeof(*limits) || !c || c->cmsg_len != CMSG_LEN(BOX_FDS * sizeof(int)))
		return false;
	memcpy(fds, CMSG_DATA(c), BOX_FDS * sizeof(int));
	return true;
}
