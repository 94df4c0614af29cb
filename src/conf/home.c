/* SPDX-License-Identifier: MIT */
#include "conf/home.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
	const char *own, *xdg, *below, *words;
} homes[HOME_COUNT] = {
	[HOME_CONFIG] = { "CRISOL_CONFIG_HOME", "XDG_CONFIG_HOME", ".config", "configuration" },
	[HOME_STATE] = { "CRISOL_STATE_HOME", "XDG_STATE_HOME", ".local/state", "state" },
	[HOME_RUNTIME] = { NULL, "XDG_RUNTIME_DIR", NULL, "runtime" },
};

int
home_path(enum home which, struct buf *ret_path, struct err *e)
{
	const char *own = homes[which].own ? getenv(homes[which].own) : NULL;
	const char *xdg = getenv(homes[which].xdg);
	const char *home = homes[which].below ? getenv("HOME") : NULL;

	if (own && *own == '/')
		buf_add(ret_path, str_of(own));
	else if (own && *own)
		return err_set(e, ERR_INVALID, "%s takes an absolute path, not %.200s",
		    homes[which].own, own);
	else if (xdg && *xdg == '/')
		buf_addf(ret_path, "%s/crisol", xdg);
	else if (home && *home == '/')
		buf_addf(ret_path, "%s/%s/crisol", home, homes[which].below);
	else
		return err_set(e, ERR_NOTFOUND, "no %s folder: none of %s%s%s%s is set",
		    homes[which].words, homes[which].own ? homes[which].own : "",
		    homes[which].own ? ", " : "", homes[which].xdg,
		    homes[which].below ? ", HOME" : "");
	return buf_ok(ret_path)
		   ? 0
		   : err_set(e, ERR_INVALID, "the path of the %s folder is too long",
			 homes[which].words);
}

static void
make_folder(const char *path, int *why)
{
	if (mkdir(path, 0700) < 0 && errno != EEXIST && !*why)
		*why = errno;
}

/* mkdir -p, each new folder for this person alone; why the first of them could not be made, or 0. */
static int
make_folders(char *path)
{
	int why = 0;

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		make_folder(path, &why);
		*slash = '/';
	}
	make_folder(path, &why);
	return why;
}

int
home_open_state(const char *folder, int *ret_fd, struct err *e)
{
	auto_done(buf) struct buf path = buf_max(PATH_MAX);
	auto_fd int dir = -1;
	struct stat st;
	int why, r = home_path(HOME_STATE, &path, e);

	if (r < 0)
		return r;
	buf_addf(&path, "/%s", folder);
	if (!buf_ok(&path))
		return err_set(e, ERR_INVALID, "the path of the state folder is too long");
	why = make_folders(path.p);
	dir = open(buf_text(&path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 && errno == ENOENT && why) {
		errno = why;
		return err_sys(e, "make the state folder %s", buf_text(&path));
	}
	if (dir < 0 || fstat(dir, &st) < 0)
		return err_sys(e, "open the state folder %s", buf_text(&path));
	if (st.st_uid != geteuid() || (st.st_mode & 022))
		return err_set(e, ERR_DENIED, "the state folder %s is not this user's alone",
		    buf_text(&path));
	*ret_fd = steal_fd(&dir);
	return 0;
}
