/* SPDX-License-Identifier: MIT */
/*
 * Both levels, names in a path and characters in a name, match in the same way: a star is first
 * taken as nothing, and each time the rest does not fit the last star takes one more. Going back
 * to an earlier star never finds more, so there is no recursion and nothing exponential.
 */
#include "gate/glob.h"

#include "base/utf8.h"

/* The character at the start of s; a byte that is no UTF-8 counts as one, apart from all others. */
static uint32_t
take_char(struct str *ret_rest)
{
	uint32_t point;
	size_t n = 1;

	assert(ret_rest->n);
	point = (unsigned char)ret_rest->p[0];
	if (point >= 0x80) {
		n = utf8_next(*ret_rest, &point);
		if (n == 0) {
			point = 0x110000u + (unsigned char)ret_rest->p[0];
			n = 1;
		}
	}
	*ret_rest = str_from(*ret_rest, n);
	return point;
}

/*
 * Takes a class off *ret_pattern, which stands behind its '[', and says whether c is in it. False
 * with an empty rest when it has no end.
 */
static bool
in_class(struct str *ret_pattern, uint32_t c)
{
	bool negated = ret_pattern->n && (ret_pattern->p[0] == '!' || ret_pattern->p[0] == '^');
	bool in = false;

	if (negated)
		*ret_pattern = str_from(*ret_pattern, 1);
	for (bool first = true; ret_pattern->n; first = false) {
		uint32_t from = take_char(ret_pattern), to = from;

		if (from == ']' && !first)
			return in != negated;
		if (ret_pattern->n > 1 && ret_pattern->p[0] == '-' &&
		    ret_pattern->p[1] != ']') {
			*ret_pattern = str_from(*ret_pattern, 1);
			to = take_char(ret_pattern);
		}
		in = in || (from <= c && c <= to);
	}
	return false;
}

/* Takes one sign that is no star off the pattern; whether c is what it stands for. */
static bool
sign_matches(struct str *ret_pattern, uint32_t c)
{
	uint32_t sign = take_char(ret_pattern);

	if (sign == '[')
		return in_class(ret_pattern, c);
	return sign == '?' || sign == c;
}

/* One name, without slashes, against the pattern of one. */
static bool
name_matches(struct str pattern, struct str name)
{
	struct str star = { NULL, 0 }, again = { NULL, 0 };
	bool starred = false;

	for (;;) {
		struct str pattern_rest = pattern, name_rest = name;

		if (pattern.n && pattern.p[0] == '*') {
			pattern = star = str_from(pattern, 1);
			again = name;
			starred = true;
			continue;
		}
		if (!pattern.n && !name.n)
			return true;
		if (pattern.n && name.n && sign_matches(&pattern_rest, take_char(&name_rest))) {
			pattern = pattern_rest;
			name = name_rest;
			continue;
		}
		if (!starred || !again.n)
			return false;
		take_char(&again);
		pattern = star;
		name = again;
	}
}

/* Takes the first name off a normal path; its slash goes along. */
static struct str
take_name(struct str *ret_path)
{
	return str_split(ret_path, '/');
}

/* With `above` the pattern may end at any folder above the path. */
static bool
names_match(struct str pattern, struct str path, bool above)
{
	struct str star = { NULL, 0 }, again = { NULL, 0 };
	bool starred = false;

	for (;;) {
		struct str pattern_rest = pattern, path_rest = path;
		struct str sign = take_name(&pattern_rest);

		if (pattern.n && str_eq(sign, STR("**"))) {
			pattern = star = pattern_rest;
			again = path;
			starred = true;
			if (!pattern.n)
				return true;
			continue;
		}
		if (!pattern.n && (!path.n || above))
			return true;
		if (pattern.n && path.n && name_matches(sign, take_name(&path_rest))) {
			pattern = pattern_rest;
			path = path_rest;
			continue;
		}
		if (!starred || !again.n)
			return false;
		take_name(&again);
		pattern = star;
		path = again;
	}
}

static bool
matches(struct str pattern, struct str path, bool above)
{
	bool absolute = pattern.n && pattern.p[0] == '/';

	if (absolute != (path.n && path.p[0] == '/'))
		return false;
	if (absolute) {
		pattern = str_from(pattern, 1);
		path = str_from(path, 1);
	}
	return names_match(pattern, path, above);
}

bool
glob_match(struct str pattern, struct str path)
{
	return matches(pattern, path, false);
}

bool
glob_match_above(struct str pattern, struct str path)
{
	return matches(pattern, path, true);
}

/* ---- reading ---- */

/* The byte behind the class that starts behind `at`; 0 when it has no end. */
static size_t
class_end(struct str name, size_t at)
{
	size_t i = at + 1;

	if (i < name.n && (name.p[i] == '!' || name.p[i] == '^'))
		i++;
	for (size_t first = i; i < name.n; i++) {
		if (name.p[i] == ']' && i > first)
			return i + 1;
	}
	return 0;
}

static int
check_class(struct str name, size_t at, size_t *ret_end, struct err *e)
{
	size_t end = class_end(name, at);
	struct str rest = { name.p + at + 1, end ? end - at - 2 : 0 };

	if (end == 0)
		return err_set(e, ERR_INVALID, "'[' has no ']' before the next '/'");
	while (rest.n) {
		uint32_t from = take_char(&rest);

		if (from == '[' && rest.n && strchr(":.=", rest.p[0]))
			return err_set(e, ERR_INVALID,
			    "[:classes:] are not known; write the range, such as [a-z]");
		if (rest.n < 2 || rest.p[0] != '-')
			continue;
		rest = str_from(rest, 1);
		if (take_char(&rest) < from)
			return err_set(e, ERR_INVALID, "a range in [] runs backwards");
	}
	*ret_end = end;
	return 0;
}

/* The signs of one name. */
static int
check_signs(struct str name, struct err *e)
{
	for (size_t i = 0; i < name.n;) {
		int r;

		switch (name.p[i]) {
		case '\\':
			return err_set(e, ERR_INVALID,
			    "a backslash escapes nothing; [*] is a star itself, [\\] a "
			    "backslash");
		case '{':
		case '}':
			return err_set(e, ERR_INVALID,
			    "braces give no choice; write two rules, or [%c] for the sign "
			    "itself",
			    name.p[i]);
		case '[':
			r = check_class(name, i, &i, e);
			if (r < 0)
				return r;
			continue;
		case '*':
			if (i + 1 < name.n && name.p[i + 1] == '*')
				return err_set(e, ERR_INVALID,
				    "'**' stands alone between slashes");
			break;
		default:
			break;
		}
		i++;
	}
	return 0;
}

static int
check_pattern(struct str pattern, struct err *e)
{
	if (pattern.n == 0)
		return err_set(e, ERR_INVALID, "it is empty");
	if (pattern.n > GLOB_MAX)
		return err_set(e, ERR_LIMIT, "%zu bytes, at most %d", pattern.n, GLOB_MAX);
	if (memchr(pattern.p, '\0', pattern.n))
		return err_set(e, ERR_INVALID, "it holds a NUL");
	if (pattern.p[0] == '!')
		return err_set(e, ERR_INVALID, "a '!' in front excepts nothing");
	return 0;
}

int
glob_check_name(struct str pattern, struct err *e)
{
	int r = check_pattern(pattern, e);

	if (r < 0)
		return r;
	if (memchr(pattern.p, '/', pattern.n))
		return err_set(e, ERR_INVALID, "a name has no slash");
	return check_signs(pattern, e);
}

static int
add_name(struct buf *normal, struct str name, struct err *e)
{
	int r;

	if (name.n == 0 || str_eq(name, STR(".")))
		return 0;
	if (str_eq(name, STR("..")))
		return err_set(e, ERR_INVALID, "'..' is not resolved; write the absolute path");
	r = str_eq(name, STR("**")) ? 0 : check_signs(name, e);
	if (r < 0)
		return r;
	if (normal->n && normal->p[normal->n - 1] != '/')
		buf_addc(normal, '/');
	buf_add(normal, name);
	return 0;
}

void
glob_add_plain(struct buf *pattern, struct str path)
{
	for (size_t i = 0; i < path.n; i++) {
		if (strchr("*?[", path.p[i]))
			buf_addf(pattern, "[%c]", path.p[i]);
		else
			buf_addc(pattern, path.p[i]);
	}
}

int
glob_normal(struct str pattern, struct str home, struct buf *ret_normal, struct err *e)
{
	auto_done(buf) struct buf normal = buf_max(GLOB_MAX);
	int r = check_pattern(pattern, e);
	bool folder;

	if (r < 0)
		return r;
	folder = pattern.p[pattern.n - 1] == '/';
	if (pattern.p[0] == '/') {
		buf_addc(&normal, '/');
	} else if (str_starts(pattern, STR("~/"))) {
		if (!home.n)
			return err_set(e, ERR_INVALID, "'~' stands for nothing here");
		glob_add_plain(&normal, home);
		pattern = str_from(pattern, 2);
	} else if (pattern.p[0] == '~') {
		return err_set(e, ERR_INVALID,
		    "'~' is known as '~/' alone; [~] is the sign itself");
	}
	while (pattern.n) {
		r = add_name(&normal, str_split(&pattern, '/'), e);
		if (r < 0)
			return r;
	}
	if (folder)
		r = add_name(&normal, STR("**"), e);
	if (buf_ok(&normal))
		buf_add(ret_normal, buf_str(&normal));
	if (!buf_ok(&normal) || !buf_ok(ret_normal))
		return err_set(e, ERR_LIMIT, "it is over %d bytes", GLOB_MAX);
	return r;
}
