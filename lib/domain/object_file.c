#include "domain/object_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ground/fd.h"
#include "ground/mem.h"

int object_folder_make(const char *dir, struct err *e)
{
	struct stat st;

	if (mkdir(dir, 0777) == 0)
		return 0;
	if (errno != EEXIST)
		return err_errno(e, ERR_USAGE, "--save-objects: '%s' cannot be made", dir);
	if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		return err_set(e, ERR_USAGE, "--save-objects: %s is no folder; name one, or one to be "
			       "made", dir);
	if (access(dir, W_OK | X_OK))
		return err_errno(e, ERR_USAGE, "--save-objects: %s cannot be written to", dir);
	return 0;
}

int object_file_write(const char *stem, const char *suffix, const char *data, size_t len)
{
	char *path = mem_printf("%s.%s", stem, suffix);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), why = 0;

	if (fd < 0 || fd_write_at(fd, data, len, 0))
		why = errno;
	if (fd >= 0 && close(fd) && !why)
		why = errno;
	if (fd >= 0 && why)
		unlink(path);
	free(path);
	errno = why;
	return why ? -1 : 0;
}
