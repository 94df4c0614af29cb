/* SPDX-License-Identifier: MIT */
#include "base/path.h"

/* Takes the last name off a normal path; "/" stays. */
static void
go_up(struct buf *path)
{
	while (path->n > 1 && path->p[path->n - 1] != '/')
		path->n--;
	if (path->n > 1)
		path->n--;
	path->p[path->n] = '\0';
}

static void
add_names(struct buf *path, struct str names)
{
	while (names.n) {
		struct str name = str_split(&names, '/');

		if (name.n == 0 || str_eq(name, STR(".")))
			continue;
		if (str_eq(name, STR(".."))) {
			go_up(path);
			continue;
		}
		if (path->n > 1)
			buf_addc(path, '/');
		buf_add(path, name);
	}
}

bool
path_normal(struct str from, struct str path, struct buf *ret_path)
{
	auto_done(buf) struct buf normal = buf_max(ret_path->max);
	bool absolute = path.n && path.p[0] == '/';

	if ((path.n && memchr(path.p, '\0', path.n)) ||
	    (!absolute && (!from.n || from.p[0] != '/')))
		return false;
	buf_addc(&normal, '/');
	if (!buf_ok(&normal))
		return false;
	if (!absolute)
		add_names(&normal, from);
	add_names(&normal, path);
	buf_add(ret_path, buf_str(&normal));
	return buf_ok(&normal) && buf_ok(ret_path);
}

bool
path_below(struct str path, struct str folder)
{
	if (folder.n == 1)
		return path.n > 0;
	return str_starts(path, folder) && (path.n == folder.n || path.p[folder.n] == '/');
}

struct str
path_rest(struct str path, struct str folder)
{
	struct str rest = str_from(path, folder.n == 1 ? 1 : folder.n + 1);

	return rest.n ? rest : STR(".");
}
