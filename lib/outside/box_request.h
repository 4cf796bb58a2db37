/* A request for a child, on its way over a socket that keeps messages apart: its limits, and
 * beside them the descriptors that its holder gets. Owns nothing. */
#ifndef GEAK_OUTSIDE_BOX_REQUEST_H
#define GEAK_OUTSIDE_BOX_REQUEST_H

#include "outside/box.h"

/* 0, or -1 with errno. The descriptors stay the caller's; the receiver gets copies. */
int box_request_send(int socket, const struct box_limits *limits, const int fds[BOX_FDS]);

/* False when the other end is gone. The descriptors are the caller's. */
bool box_request_receive(int socket, struct box_limits *limits, int fds[BOX_FDS]);

#endif
