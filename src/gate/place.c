/* SPDX-License-Identifier: MIT */
#include "gate/place.h"

#include "base/path.h"

#include <strings.h>

bool
place_protected(const struct gate_policy *p, struct str path)
{
	size_t inside = 0, carved = 0;

	for (size_t i = 0; i < p->protected_n; i++) {
		if (path_below(path, p->protected[i]))
			inside = MAX(inside, p->protected[i].n);
	}
	for (size_t i = 0; i < p->roots_n; i++) {
		if (p->roots[i].carved && path_below(path, p->roots[i].path))
			carved = MAX(carved, p->roots[i].path.n);
	}
	return inside && carved <= inside;
}

bool
place_in(const struct gate_policy *p, struct str path, enum gate_root_kind kind)
{
	for (size_t i = 0; i < p->roots_n; i++) {
		if (p->roots[i].kind == kind && !(kind == GATE_DECLARED && p->read_only) &&
		    path_below(path, p->roots[i].path))
			return true;
	}
	return false;
}

bool
place_inside(const struct gate_policy *p, struct str path)
{
	return place_in(p, path, GATE_WORKSPACE) || place_in(p, path, GATE_DECLARED) ||
	       place_in(p, path, GATE_SCRATCH);
}

/* Some file systems know no case. */
static bool
name_is(struct str name, struct str what)
{
	return name.n == what.n && strncasecmp(name.p, what.p, name.n) == 0;
}

bool
place_guarded(const struct gate_policy *p, struct str path)
{
	for (size_t i = 0; i < p->roots_n; i++) {
		if (p->roots[i].carved && path_below(path, p->roots[i].path))
			path = path_rest(path, p->roots[i].path);
	}
	while (path.n) {
		struct str name = str_split(&path, '/');

		if (name_is(name, STR(".git")) || name_is(name, STR(".crisol")))
			return true;
	}
	return false;
}
