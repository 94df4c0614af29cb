/* SPDX-License-Identifier: MIT */
#include "sandbox/landlock.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/un.h>
#include <time.h>

#include "sandbox/sys.h"
#include "sandbox/test.h"

/* Rights of the file system, in the kernel's numbering. */
#define FS_EXECUTE        (1ULL << 0)
#define FS_WRITE_FILE     (1ULL << 1)
#define FS_READ_FILE      (1ULL << 2)
#define FS_READ_DIR       (1ULL << 3)
#define FS_REMOVE_DIR     (1ULL << 4)
#define FS_REMOVE_FILE    (1ULL << 5)
#define FS_MAKE_CHAR      (1ULL << 6)
#define FS_MAKE_DIR       (1ULL << 7)
#define FS_MAKE_REG       (1ULL << 8)
#define FS_MAKE_SOCK      (1ULL << 9)
#define FS_MAKE_FIFO      (1ULL << 10)
#define FS_MAKE_BLOCK     (1ULL << 11)
#define FS_MAKE_SYM       (1ULL << 12)
#define FS_REFER          (1ULL << 13)
#define FS_TRUNCATE       (1ULL << 14)
#define FS_IOCTL_DEV      (1ULL << 15)
#define FS_UP_TO(last)    (((last) << 1) - 1)
#define NET_TCP           3ULL /* bind, connect */
#define SCOPE_ALL         3ULL /* abstract sockets, signals */

#define CREATE_VERSION    1U
#define RULE_PATH_BENEATH 1

/* Rights that mean something on a file that is no folder; the kernel refuses the others there.
 */
#define FS_OF_FILE (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

struct path_beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

static const struct {
	unsigned access;
	uint64_t rights;
} classes[] = {
	{ LANDLOCK_READ, FS_READ_FILE | FS_READ_DIR },
	{ LANDLOCK_EXEC, FS_EXECUTE | FS_READ_FILE }, /* an exec reads the file */
	{ LANDLOCK_WRITE, FS_WRITE_FILE | FS_TRUNCATE },
	{ LANDLOCK_MAKE,
	    FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG | FS_REFER },
	{ LANDLOCK_SPECIAL,
	    FS_MAKE_CHAR | FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_BLOCK | FS_MAKE_SYM },
	{ LANDLOCK_DEVICE, FS_IOCTL_DEV },
	{ LANDLOCK_LIST, FS_READ_DIR },
	{ LANDLOCK_REPLACE, FS_WRITE_FILE | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG },
};

static const struct landlock_level levels[] = {
	{ 1, "5.13", FS_UP_TO(FS_MAKE_SYM), 0, 0,
	    "opening, making, removing and executing files by path",
	    "moving files between folders fails; truncation, TCP, device ioctl, abstract "
	    "sockets "
	    "and signals are not refused" },
	{ 2, "5.19", FS_UP_TO(FS_REFER), 0, 0, "moving and linking between allowed folders",
	    "truncation of writable-looking files, TCP, device ioctl, abstract sockets and "
	    "signals "
	    "are not refused" },
	{ 3, "6.2", FS_UP_TO(FS_TRUNCATE), 0, 0, "truncation",
	    "TCP, device ioctl, abstract sockets and signals are not refused" },
	{ 4, "6.7", FS_UP_TO(FS_TRUNCATE), NET_TCP, 0, "TCP bind and connect",
	    "device ioctl, abstract sockets and signals are not refused" },
	{ 5, "6.10", FS_UP_TO(FS_IOCTL_DEV), NET_TCP, 0, "ioctl on device files",
	    "abstract sockets and signals are not refused" },
	{ 6, "6.12", FS_UP_TO(FS_IOCTL_DEV), NET_TCP, SCOPE_ALL,
	    "abstract sockets and signals to processes outside", "" },
	{ 7, "6.15", FS_UP_TO(FS_IOCTL_DEV), NET_TCP, SCOPE_ALL,
	    "refusals appear in the audit log", "" },
};

const struct landlock_level *
sandbox_landlock_levels(size_t *ret_count)
{
	*ret_count = COUNT(levels);
	return levels;
}

const struct landlock_level *
sandbox_landlock_level(unsigned abi)
{
	return abi == 0 ? NULL : &levels[MIN(abi, COUNT(levels)) - 1];
}

unsigned
landlock_abi(void)
{
	const struct sandbox_test *test = sandbox_test();
	int abi = sys_landlock_create(NULL, 0, CREATE_VERSION);

	if (abi <= 0)
		return 0;
	if (test->has_abi && test->landlock_abi == 0)
		errno = ENOSYS;
	return test->has_abi ? MIN((unsigned)abi, test->landlock_abi) : (unsigned)abi;
}

static uint64_t
rights_of(unsigned access)
{
	uint64_t rights = 0;

	for (size_t i = 0; i < COUNT(classes); i++)
		if (access & classes[i].access)
			rights |= classes[i].rights;
	return rights;
}

static int
add_rule(int ruleset, const struct landlock_rule *rule, uint64_t handled, struct err *e)
{
	auto_fd int opened = -1;
	struct path_beneath beneath = { .allowed = rights_of(rule->access) & handled };
	const char *name = rule->path ? rule->path : "a descriptor";
	struct stat st;

	beneath.parent = rule->fd;
	if (rule->path) {
		opened = rule->access & LANDLOCK_REAL
			     ? sys_open_real(rule->path)
			     : sys_openat(AT_FDCWD, rule->path, O_PATH, 0);
		if (opened < 0 && errno == ENOENT && (rule->access & LANDLOCK_OPTIONAL))
			return 0;
		if (opened < 0)
			return err_sys(e, "open '%s' for a Landlock rule", name);
		beneath.parent = opened;
	}
	if (fstat(beneath.parent, &st) < 0)
		return err_sys(e, "look at '%s' for a Landlock rule", name);
	if (!S_ISDIR(st.st_mode))
		beneath.allowed &= FS_OF_FILE;
	if (beneath.allowed == 0)
		return 0;
	if (sys_landlock_add(ruleset, RULE_PATH_BENEATH, &beneath) < 0)
		return err_sys(e, "add a Landlock rule for '%s'", name);
	return 0;
}

static int
add_groups(int ruleset, const struct landlock_group *groups, size_t count, uint64_t handled,
    struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < groups[i].count; k++) {
			int r = add_rule(ruleset, &groups[i].rules[k], handled, e);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

static void
lack_all(struct sandbox_report *r, int sys, const char *why)
{
	report_lack(r, LAYER_landlock, sys, "%s", why);
	report_lack(r, LAYER_landlock_net, sys, "%s", why);
	report_lack(r, LAYER_landlock_scope, sys, "%s", why);
}

/* Marks what a domain of this ABI holds, and says of the rest that the kernel is too old. */
static void
mark(const struct sys_landlock_ruleset *set, unsigned abi, bool tcp, struct sandbox_report *r)
{
	r->landlock_abi = abi;
	r->landlock_fs = set->fs;
	r->landlock_net = set->net;
	r->landlock_scope = set->scope;
	report_hold(r, LAYER_landlock);
	if (set->net)
		report_hold(r, LAYER_landlock_net);
	else if (tcp)
		report_lack(r, LAYER_landlock_net, 0,
		    "Landlock ABI %u knows no TCP rules (from 4 on)", abi);
	if (set->scope)
		report_hold(r, LAYER_landlock_scope);
	else
		report_lack(r, LAYER_landlock_scope, 0,
		    "Landlock ABI %u knows no scopes (from 6 on)", abi);
}

int
landlock_enter(const struct landlock_group *groups, size_t count, bool tcp,
    struct sandbox_report *r, struct err *e)
{
	uint32_t out = sandbox_test()->leave_out;
	unsigned abi = landlock_abi();
	const struct landlock_level *level = sandbox_landlock_level(abi);
	struct sys_landlock_ruleset set;
	int n;

	if (out & LAYER_BIT(landlock))
		return 0;
	if (!level) {
		lack_all(r, errno,
		    errno == EOPNOTSUPP ? "Landlock is switched off at boot"
					: "the kernel has no Landlock");
		return 0;
	}
	set = (struct sys_landlock_ruleset){ level->fs, tcp ? level->net : 0, level->scope };
	if (out & LAYER_BIT(landlock_net))
		set.net = 0;
	if (out & LAYER_BIT(landlock_scope))
		set.scope = 0;
	/* An older kernel refuses a struct longer than it knows unless the rest is zero. */
	auto_fd int ruleset = sys_landlock_create(&set, sizeof(set), 0);
	if (ruleset < 0)
		return err_sys(e, "make a Landlock ruleset of ABI %u", abi);
	n = add_groups(ruleset, groups, count, set.fs, e);
	if (n < 0)
		return n;
	if (sys_landlock_restrict(ruleset) < 0)
		return err_sys(e, "enter the Landlock domain");
	mark(&set, abi, tcp, r);
	return 0;
}

int
landlock_prepare(const struct landlock_rule *rules, size_t count, int *ret_fd, struct err *e)
{
	const struct landlock_level *level = sandbox_landlock_level(landlock_abi());
	const struct landlock_group group = { rules, count };
	struct sys_landlock_ruleset set;
	auto_fd int ruleset = -1;
	int r;

	*ret_fd = -1;
	if (!level)
		return 0;
	set = (struct sys_landlock_ruleset){ level->fs, 0, level->scope };
	ruleset = sys_landlock_create(&set, sizeof(set), 0);
	if (ruleset < 0)
		return err_sys(e, "make a Landlock ruleset");
	r = add_groups(ruleset, &group, 1, set.fs, e);
	if (r == 0)
		*ret_fd = steal_fd(&ruleset);
	return r;
}

int
landlock_join(int ruleset, struct err *e)
{
	if (ruleset >= 0 && sys_landlock_restrict(ruleset) < 0)
		return err_sys(e, "enter the Landlock domain");
	return 0;
}

static socklen_t
abstract_address(const char *name, struct sockaddr_un *ret_address)
{
	*ret_address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(ret_address->sun_path + 1, name, strlen(name));
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}

/* Folders that are there in most trees; an empty root still has itself. */
static const char *const folders[] = { "/", "/proc", "/usr", "/etc", "/dev", "/tmp" };

static unsigned
can_open(unsigned among)
{
	unsigned can = 0;

	for (unsigned i = 0; i < COUNT(folders); i++) {
		auto_fd int fd = -1;

		if (!(among & (1U << i)))
			continue;
		fd = sys_openat(AT_FDCWD, folders[i], O_RDONLY | O_DIRECTORY, 0);
		if (fd >= 0)
			can |= 1U << i;
	}
	return can;
}

/* A TCP port of the kernel's choice, given back at once. */
static bool
can_bind(void)
{
	auto_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in any = { .sin_family = AF_INET };

	return fd >= 0 && bind(fd, (struct sockaddr *)&any, sizeof(any)) == 0;
}

static bool
can_connect(const char *name)
{
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address;
	socklen_t n = abstract_address(name, &address);

	return fd >= 0 && connect(fd, (struct sockaddr *)&address, n) == 0;
}

void
landlock_aim(struct landlock_aim *ret_aim)
{
	struct sockaddr_un address;
	struct timespec now;
	socklen_t n;

	*ret_aim =
	    (struct landlock_aim){ .listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(ret_aim->name, sizeof(ret_aim->name), "crisol-%d-%lx", (int)getpid(),
	    (unsigned long)now.tv_nsec);
	n = abstract_address(ret_aim->name, &address);
	ret_aim->could_open = can_open(~0U);
	ret_aim->could_bind = can_bind();
	ret_aim->could_connect = ret_aim->listener >= 0 &&
				 bind(ret_aim->listener, (struct sockaddr *)&address, n) == 0 &&
				 listen(ret_aim->listener, 2) == 0 &&
				 can_connect(ret_aim->name);
}

/* An attempt counts when it worked before; when it did not, the layer is held but not proved.
 */
void
landlock_prove(struct landlock_aim *aim, bool closed, bool tcp, struct sandbox_report *r)
{
	unsigned still = can_open(aim->could_open);

	if (aim->could_open && (closed || still != aim->could_open) &&
	    (r->held & LAYER_BIT(landlock)))
		report_prove(r, LAYER_landlock, !closed || !still, "opening a folder");
	if (tcp && aim->could_bind && (r->held & LAYER_BIT(landlock_net)))
		report_prove(r, LAYER_landlock_net, !can_bind() && errno == EACCES,
		    "binding a TCP port");
	if (aim->could_connect && (r->held & LAYER_BIT(landlock_scope)))
		report_prove(r, LAYER_landlock_scope, !can_connect(aim->name) && errno == EPERM,
		    "connecting to an abstract socket");
	base_close_fd(&aim->listener);
}
