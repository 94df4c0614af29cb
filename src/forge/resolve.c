/* SPDX-License-Identifier: MIT */
#include "forge/resolve.h"

#include "base/path.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The real path of something that exists, by the kernel's own word; *ret_dir when it is a folder. */
static bool
real_of(const char *path, struct buf *ret_real, bool *ret_dir)
{
	auto_fd int fd = open(path, O_PATH | O_CLOEXEC);
	char link[64], real[PATH_MAX];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof(real));
	if (n <= 0 || (size_t)n == sizeof(real) || real[0] != '/')
		return false;
	buf_add(ret_real, (struct str){ real, (size_t)n });
	*ret_dir = S_ISDIR(st.st_mode);
	return true;
}

static struct str
parent_of(struct str path)
{
	while (path.n > 1 && path.p[path.n - 1] != '/')
		path.n--;
	return (struct str){ path.p, path.n > 1 ? path.n - 1 : path.n };
}

/*
 * The nearest thing above that exists, resolved, and the names that do not behind it. A link that
 * leads nowhere is such a name, and counts as a link.
 */
static void
resolve_missing(struct str given, struct resolved *r)
{
	struct str at = given;
	struct stat st;
	bool dir = false;

	if (lstat(given.p, &st) == 0 && S_ISLNK(st.st_mode))
		r->linked = true;
	while (at.n > 1) {
		auto_done(buf) struct buf text = buf_max(PATH_MAX);

		at = parent_of(at);
		buf_add(&text, at);
		if (lstat(buf_text(&text), &st) == 0 && S_ISLNK(st.st_mode))
			r->linked =
			    true; /* nowhere, else the next line would find what is there */
		if (real_of(buf_text(&text), &r->folder, &dir))
			break;
	}
	if (!r->folder.n)
		buf_addc(&r->folder, '/');
	buf_add(&r->real, buf_str(&r->folder));
	if (r->real.n > 1)
		buf_addc(&r->real, '/');
	buf_add(&r->real, str_from(given, at.n > 1 ? at.n + 1 : 1));
}

bool
resolve_path(struct str cwd, struct str path, struct resolved *ret_resolved)
{
	struct resolved *r = ret_resolved;
	bool dir = false;

	*r = (struct resolved){
		.given = buf_max(PATH_MAX),
		.real = buf_max(PATH_MAX),
		.folder = buf_max(PATH_MAX),
	};
	if (!path_normal(cwd, path, &r->given))
		return false;
	if (real_of(buf_text(&r->given), &r->real, &dir))
		buf_add(&r->folder, dir ? buf_str(&r->real) : parent_of(buf_str(&r->real)));
	else
		resolve_missing(buf_str(&r->given), r);
	r->linked = r->linked || !str_eq(buf_str(&r->given), buf_str(&r->real));
	return buf_ok(&r->real) && buf_ok(&r->folder);
}

void
resolved_done(struct resolved *r)
{
	buf_done(&r->given);
	buf_done(&r->real);
	buf_done(&r->folder);
}

struct gate_path
resolved_for_gate(const struct resolved *r, bool write)
{
	bool same = str_eq(buf_str(&r->given), buf_str(&r->real));

	return (struct gate_path){
		.real = buf_str(&r->real),
		.given = same ? (struct str){ NULL, 0 } : buf_str(&r->given),
		.folder = buf_str(&r->folder),
		.write = write,
		.linked = r->linked,
	};
}
