#include "ground/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void fd_close_above(int last)
{
	if (syscall(SYS_close_range, last + 1, ~0U, 0)) /* Linux before 5.9 */
		for (int fd = last + 1; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
			close(fd);
}

int fd_arrange(const int *from, int n)
{
	int high[16];

	for (int i = 0; i < n; i++) { /* first out of the way of each other */
		int nowhere = from[i] < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : from[i];

		high[i] = fcntl(nowhere, F_DUPFD, n);
		if (high[i] < 0)
			return -1;
	}
	for (int i = 0; i < n; i++)
		dup2(high[i], i);
	fd_close_above(n - 1);
	return 0;
}

int fd_send(int socket, const void *data, size_t len, const int *fds, size_t n)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(FD_SEND_MAX * sizeof(int))];
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)data, .iov_len = len };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			    .msg_controllen = CMSG_SPACE(n * sizeof(int)) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	ssize_t sent;

	if (n > FD_SEND_MAX) {
		errno = EINVAL;
		return -1;
	}
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	do
		sent = sendmsg(socket, &m, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -1 : 0;
}

int fd_read_at(int fd, void *data, size_t len, off_t at)
{
	for (char *p = data; len > 0;) {
		ssize_t n = pread(fd, p, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return -1;
		p += n;
		len -= (size_t)n;
		at += n;
	}
	return 0;
}

int fd_write(int fd, const void *data, size_t len)
{
	for (const char *p = data; len > 0;) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
		else if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

int fd_write_at(int fd, const void *data, size_t len, off_t at)
{
	for (const char *p = data; len > 0;) {
		ssize_t n = pwrite(fd, p, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
		at += n;
	}
	return 0;
}
