/* Descriptors: what the system's own calls leave to do. Owns nothing. */
#ifndef GEAK_GROUND_FD_H
#define GEAK_GROUND_FD_H

#include <stddef.h>
#include <sys/types.h>

/* Closes *fd unless it is -1, and makes it so. */
void fd_close(int *fd);

/* Closes all that is higher than last, whether it is open or not. */
void fd_close_above(int last);

/* Makes from[i] descriptor i, for n of them, and closes all others. Where from[i] is below 0,
 * i leads nowhere. 0, or -1 with errno. */
int fd_arrange(const int *from, int n);

enum { FD_SEND_MAX = 8 };

/* Sends len bytes over a Unix socket, and copies of n descriptors with them, FD_SEND_MAX at most. 0, or
 * -1 with errno. */
int fd_send(int socket, const void *data, size_t len, const int *fds, size_t n);

/* Writes all of len bytes, also where somebody who shares the descriptor has made it
 * non-blocking. Returns 0, or -1 with errno. */
int fd_write(int fd, const void *data, size_t len);

/* All of len bytes at a place in a file. Returns 0, or -1 with errno: EIO also where the
 * file ends before them. */
int fd_read_at(int fd, void *data, size_t len, off_t at);
int fd_write_at(int fd, const void *data, size_t len, off_t at);

#endif
