/* SPDX-License-Identifier: MIT */
#include "tool/change.h"

#include "base/json.h"
#include "base/utf8.h"
#include "tool/diff.h"
#include "tool/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define SHOWN_MAX 200
#define SHOWN(ch) (int)MIN((ch)->shown.n, (size_t)SHOWN_MAX), (ch)->shown.p

/* ---- the file as it is ---- */

/* The folder's path and the name in it. */
static bool
split_path(struct change *ch, struct str *ret_folder)
{
	struct str path = buf_str(&ch->path), given = args_text(ch->c->in, "path");
	const struct root *root = roots_find(ch->c->roots, path);
	size_t n = path.n;

	while (n > 1 && path.p[n - 1] != '/')
		n--;
	*ret_folder = (struct str){ path.p, n > 1 ? n - 1 : n };
	if (n == path.n || given.p[given.n - 1] == '/' ||
	    (root && strlen(root->path) == path.n))
		return tool_fail(ch->c, CODE_INVALID_INPUT,
		    "path: '%.*s' names a folder; a file's name was expected behind it",
		    (int)MIN(given.n, (size_t)SHOWN_MAX), given.p);
	if (path.n - n > NAME_MAX)
		return tool_fail(ch->c, CODE_INVALID_INPUT,
		    "path: a name of %zu bytes is too long; at most %d can be given",
		    path.n - n, NAME_MAX);
	memcpy(ch->name, path.p + n, path.n - n);
	ch->name[path.n - n] = '\0';
	return true;
}

/* What a write would undo, or could not keep. */
static bool
may_replace(struct change *ch)
{
	const struct stat *st = &ch->was;

	if (st->st_size > (off_t)CHANGE_MAX)
		return tool_fail(ch->c, CODE_TOO_LARGE,
		    "%.*s has %lld bytes; files up to %zu bytes can be changed here", SHOWN(ch),
		    (long long)st->st_size, CHANGE_MAX);
	if (st->st_nlink > 1)
		return tool_fail(ch->c, CODE_TOOL_FAILED,
		    "%.*s has %lu names (hard links), and the others would keep the old text: "
		    "copy it to a new file and move that over this name, which parts them",
		    SHOWN(ch), (unsigned long)st->st_nlink);
	if (st->st_mode & (S_ISUID | S_ISGID))
		return tool_fail(ch->c, CODE_TOOL_FAILED,
		    "%.*s runs with its owner's or group's rights (set-id), and whoever writes "
		    "it "
		    "has them: take that away with chmod first",
		    SHOWN(ch));
	if (!(st->st_mode & 0222))
		return tool_fail(ch->c, CODE_TOOL_FAILED,
		    "%.*s is read-only (mode %04o): whoever made it so did not want it "
		    "changed; "
		    "chmod u+w allows it",
		    SHOWN(ch), st->st_mode & 07777);
	return true;
}

static bool
fail_open(struct change *ch)
{
	if (errno == ELOOP)
		return tool_fail(ch->c, CODE_DENIED,
		    "%.*s is a link, and nothing is written through one: name the file itself",
		    SHOWN(ch));
	if (errno == EROFS)
		return tool_fail(ch->c, CODE_TOOL_FAILED,
		    "%.*s is on a file system that can only be read", SHOWN(ch));
	if (errno == ETXTBSY)
		return tool_fail(ch->c, CODE_TOOL_FAILED, "%.*s is being executed", SHOWN(ch));
	if (errno == EPERM)
		return tool_fail(ch->c, CODE_TOOL_FAILED,
		    "%.*s is immutable or append-only (lsattr shows it): chattr -i or -a "
		    "allows "
		    "a change",
		    SHOWN(ch));
	return tool_fail(ch->c, CODE_TOOL_FAILED, "%.*s may not be written: %s (%s)", SHOWN(ch),
	    strerrordesc_np(errno), strerrorname_np(errno));
}

static bool
read_before(struct change *ch)
{
	char *space = buf_space(&ch->before, CHANGE_MAX + 1);
	size_t n = 0;

	while (n < CHANGE_MAX + 1) {
		ssize_t got = pread(ch->old, space + n, CHANGE_MAX + 1 - n, (off_t)n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail_open(ch);
		if (got == 0)
			break;
		n += (size_t)got;
	}
	ch->before.n = n;
	if (n > CHANGE_MAX)
		return tool_fail(ch->c, CODE_TOO_LARGE,
		    "%.*s grows while it is read: files up to %zu bytes can be changed here",
		    SHOWN(ch), CHANGE_MAX);
	sha_bytes(buf_str(&ch->before), ch->hash);
	return true;
}

/*
 * What it is is found out before it is opened: opening a device may do something. It is opened for
 * writing, as the one who may not write a file may not replace it, and the system knows best.
 */
static bool
open_old(struct change *ch)
{
	struct str name = str_of(ch->name);
	auto_fd int look = roots_below(ch->folder, name, O_PATH);
	struct stat st;

	if (look < 0)
		return errno == ENOENT || fail_open(ch);
	if (!tool_file(ch->c, look, ch->shown) || fstat(look, &ch->was) < 0 || !may_replace(ch))
		return false;
	ch->old = roots_below(ch->folder, name, O_RDWR);
	if (ch->old < 0 || fstat(ch->old, &st) < 0)
		return fail_open(ch);
	if (st.st_ino != ch->was.st_ino || st.st_dev != ch->was.st_dev)
		return tool_fail(ch->c, CODE_STALE_FILE,
		    "%.*s was replaced by somebody else at this moment: read it again",
		    SHOWN(ch));
	ch->was = st;
	return read_before(ch);
}

bool
change_open(struct change *ch, struct tool_call *c)
{
	struct str folder;
	struct tool_failure why = { 0 };

	*ch = (struct change){
		.c = c,
		.folder = -1,
		.old = -1,
		.before = buf_max(CHANGE_MAX + 1),
		.made = buf_max(KiB(64)),
	};
	if (!tool_path(c, "path", &ch->path) || !tool_given(c, "path", &ch->given))
		return false;
	ch->shown = tool_shown(c, buf_str(&ch->given));
	if (!split_path(ch, &folder))
		return false;
	auto_done(buf) struct buf text = buf_max(PATH_MAX);

	buf_add(&text, folder);
	ch->folder = roots_open(c->roots, (struct str){ buf_text(&text), text.n },
	    O_RDONLY | O_DIRECTORY, &why);
	if (ch->folder < 0 && why.code == CODE_NOT_FOUND)
		return true;
	if (ch->folder < 0) {
		c->failed = why;
		return false;
	}
	return tool_folder(c, ch->folder, ch->shown) && folder_lock(c, ch->folder, ch->shown) &&
	       open_old(ch);
}

void
change_done(struct change *ch)
{
	buf_done(&ch->path);
	buf_done(&ch->given);
	buf_done(&ch->before);
	buf_done(&ch->made);
	base_close_fd(&ch->old);
	base_close_fd(&ch->folder);
}

/* ---- the fingerprint ---- */

static bool
is_hash(struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = (char)(text.p[i] | 0x20);

		if (!((text.p[i] >= '0' && text.p[i] <= '9') || (c >= 'a' && c <= 'f')))
			return false;
	}
	return text.n == SHA_HEX_SIZE - 1;
}

bool
change_check(struct change *ch, bool must)
{
	struct str expected = args_text(ch->c->in, "expectedHash");

	if (expected.n && !is_hash(expected))
		return tool_fail(ch->c, CODE_INVALID_INPUT,
		    "expectedHash: 64 hexadecimal digits were expected, as read_file gives "
		    "them "
		    "in sha256");
	if (ch->old < 0 && (must || expected.n))
		return tool_fail(ch->c, CODE_NOT_FOUND,
		    "%.*s is not there%s: write_file without expectedHash makes a new file",
		    SHOWN(ch), expected.n ? " (any more)" : "");
	if (ch->old >= 0 && !expected.n)
		return tool_fail(ch->c, CODE_STALE_FILE,
		    "%.*s exists: read it with read_file first, and give its sha256 as "
		    "expectedHash",
		    SHOWN(ch));
	if (ch->old >= 0 && strncasecmp(expected.p, ch->hash, expected.n) != 0)
		return tool_fail(ch->c, CODE_STALE_FILE,
		    "%.*s has changed since it was read: it has the fingerprint %s now; read "
		    "it "
		    "again and repeat the change on what is there",
		    SHOWN(ch), ch->hash);
	return true;
}

/* ---- the change ---- */

/* Folders on the way that are missing, one by one below the root; each reaches the disk. */
static int
make_folders(struct change *ch, const struct root *root, struct str rest)
{
	int at = roots_below(root->fd, STR("."), O_RDONLY | O_DIRECTORY);
	size_t done = root->path[1] ? strlen(root->path) + 1 : 1; /* bytes of the path so far */

	json_open(&ch->made, NULL, '[');
	while (at >= 0 && rest.n) {
		struct str name = str_split(&rest, '/');
		auto_done(buf) struct buf text = buf_max(NAME_MAX + 1);
		int next = roots_below(at, name, O_RDONLY | O_DIRECTORY);

		done += name.n;
		buf_add(&text, name);
		if (next < 0 && errno == ENOENT && buf_ok(&text)) {
			struct str path = { ch->path.p, done };

			if (mkdirat(at, buf_text(&text), 0777) == 0 && fsync(at) == 0)
				json_put_str(&ch->made, NULL, tool_shown(ch->c, path));
			else if (errno != EEXIST && errno != EINVAL) {
				base_close_fd(&at);
				return -1;
			}
			next = roots_below(at, name, O_RDONLY | O_DIRECTORY);
		}
		done++;
		base_close_fd(&at);
		at = next;
	}
	json_close(&ch->made, ']');
	return at;
}

static bool
make_way(struct change *ch)
{
	struct str path = buf_str(&ch->path);
	const struct root *root = roots_find(ch->c->roots, path);
	struct str rest;

	if (!root)
		return tool_fail(ch->c, CODE_OUTSIDE_ROOTS,
		    "%.*s is outside the folders that may be touched", SHOWN(ch));
	rest = path_rest(path, str_of(root->path));
	rest.n -= MIN(rest.n, strlen(ch->name) + 1);
	ch->folder = make_folders(ch, root, rest);
	if (ch->folder >= 0)
		return tool_folder(ch->c, ch->folder, ch->shown) &&
		       folder_lock(ch->c, ch->folder, ch->shown);
	if (errno == ENOTDIR)
		return tool_fail(ch->c, CODE_TOOL_FAILED,
		    "a name on the way to %.*s is a file, no folder", SHOWN(ch));
	if (errno == ELOOP)
		return tool_fail(ch->c, CODE_DENIED,
		    "a name on the way to %.*s is a link, and nothing is written through one",
		    SHOWN(ch));
	return tool_fail(ch->c, CODE_TOOL_FAILED,
	    "the folders for %.*s could not be made: %s (%s)", SHOWN(ch),
	    strerrordesc_np(errno), strerrorname_np(errno));
}

static void
put_diff(struct change *ch, struct str after)
{
	auto_done(buf) struct buf raw = buf_max(DIFF_MAX + KiB(32));
	auto_done(buf) struct buf clean = buf_max(3 * raw.max);

	diff_unified(buf_str(&ch->before), after, ch->shown, ch->old < 0, &raw);
	utf8_scrub(buf_str(&raw), &clean);
	json_open(ch->c->out, "diff", '{');
	json_put_str(ch->c->out, "path", ch->shown);
	json_put_str(ch->c->out, "lang", str_of(diff_language(ch->shown)));
	json_put_str(ch->c->out, "text", buf_str(&clean));
	json_close(ch->c->out, '}');
}

static void
put_result(struct change *ch, struct str after, const char *status, bool unsure)
{
	struct buf *out = ch->c->out;
	char hash[SHA_HEX_SIZE];

	sha_bytes(after, hash);
	json_open(out, NULL, '{');
	json_put_str(out, "path", ch->shown);
	json_put_str(out, "status", str_of(status));
	json_put_str(out, "sha256", str_of(hash));
	if (ch->old >= 0)
		json_put_str(out, "was", str_of(ch->hash));
	else
		json_put_null(out, "was");
	json_put_u64(out, "bytes", after.n);
	if (ch->made.n > 2)
		json_put_raw(out, "folders", buf_str(&ch->made));
	if (unsure)
		json_put_str(out, "warning",
		    STR("it is done, but the disk did not confirm it: a power cut now may undo "
			"it"));
	if (strcmp(status, "unchanged") != 0)
		put_diff(ch, after);
	json_close(out, '}');
}

bool
change_put(struct change *ch, struct str after)
{
	struct replace r;

	if (after.n > CHANGE_MAX)
		return tool_fail(ch->c, CODE_TOO_LARGE,
		    "%.*s would have %zu bytes; files up to %zu bytes can be written here",
		    SHOWN(ch), after.n, CHANGE_MAX);
	if (ch->old >= 0 && str_eq(buf_str(&ch->before), after)) {
		put_result(ch, after, "unchanged", false);
		return true;
	}
	if (ch->folder < 0 && !make_way(ch))
		return false;
	r = (struct replace){
		.folder = ch->folder,
		.name = ch->name,
		.old = ch->old,
		.was = ch->was,
		.before = buf_str(&ch->before),
	};
	if (!replace_file(&r, after, ch->c, ch->shown))
		return false;
	put_result(ch, after, ch->old < 0 ? "created" : "changed", r.unsure);
	return true;
}
