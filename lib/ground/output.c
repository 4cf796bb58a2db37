#include "ground/output.h"

#include <errno.h>
#include <unistd.h>

#include "ground/fd.h"

static int failure; /* errno of the first */

void output_write(const char *text, size_t len)
{
	if (!failure && fd_write(STDOUT_FILENO, text, len))
		failure = errno;
}

int output_close(struct err *e)
{
	if (close(STDOUT_FILENO) && !failure)
		failure = errno;
	if (!failure)
		return 0;
	errno = failure;
	return err_errno(e, ERR_IO, "standard output cannot be written");
}
