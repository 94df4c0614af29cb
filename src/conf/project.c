/* SPDX-License-Identifier: MIT */
#include "conf/project.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int
project_read(const char *folder, struct buf *ret_text, struct err *e)
{
	struct open_how how = {
		.flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	auto_fd int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_fd int fd = -1;
	struct stat st;

	if (dir < 0)
		return err_sys(e, "open the folder '%s'", folder);
	fd = (int)syscall(SYS_openat2, dir, PROJECT_FILE, &how, sizeof(how));
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return err_set(e, ERR_NOTFOUND, "there is no " PROJECT_FILE);
	if (fd < 0 && (errno == ELOOP || errno == EXDEV))
		return err_set(e, ERR_INVALID, "it is a link, or a link leads to it");
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "open it");
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_INVALID, "it is no file");
	return fd_slurp(fd, ret_text, e);
}
