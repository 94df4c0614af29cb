/* SPDX-License-Identifier: MIT */
#include "sandbox/probe.h"

#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>

#include "sandbox/sys.h"

#define NOBODY     (-1) /* no pid and no descriptor */
#define BAD_FLAGS  0x40000000
#define PAGE       ((size_t)sysconf(_SC_PAGESIZE))
#define NEW_FILE   "/tmp/crisol-probe"
#define PEEK       2      /* PTRACE_PEEKDATA */
#define NO_COMMAND 0xffff /* of keyctl */

/* What was made is given back: an attempt leaves nothing behind. */
static long
drop_fd(long fd)
{
	if (fd >= 0)
		close((int)fd);
	return fd;
}

static long
open_file(void)
{
	return drop_fd(syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY | O_CLOEXEC));
}

static long
open_root(void)
{
	return drop_fd(syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static long
make_file(void)
{
	long fd = syscall(SYS_openat, AT_FDCWD, NEW_FILE,
	    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0)
		syscall(SYS_unlinkat, AT_FDCWD, NEW_FILE, 0);
	return drop_fd(fd);
}

static long
open_own_memory(void)
{
	return drop_fd(syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR | O_CLOEXEC));
}

static long
stat_path(void)
{
	struct stat st;

	return syscall(SYS_newfstatat, AT_FDCWD, "/etc", &st, 0);
}

static long
change_mode(void)
{
	return syscall(SYS_fchmodat, AT_FDCWD, NULL, 0);
}

static long
socket_of(int family, int type)
{
	return drop_fd(syscall(SYS_socket, family, type | SOCK_CLOEXEC, 0));
}

static long
socket_inet(void)
{
	return socket_of(AF_INET, SOCK_STREAM);
}

static long
socket_unix(void)
{
	return socket_of(AF_UNIX, SOCK_STREAM);
}

static long
socket_netlink(void)
{
	return socket_of(AF_NETLINK, SOCK_RAW);
}

static long
connect_out(void)
{
	return syscall(SYS_connect, NOBODY, NULL, 0);
}

/* A thread that shares no signal handlers cannot be. */
static long
make_process(void)
{
	return syscall(SYS_clone, CLONE_THREAD, NULL, NULL, NULL, 0);
}

static long
execute(void)
{
	return syscall(SYS_execve, NULL, NULL, NULL);
}

static long
trace(void)
{
	return syscall(SYS_ptrace, PEEK, NOBODY, NULL, NULL);
}

static long
signal_first(void)
{
	return syscall(SYS_kill, 1, 0);
}

static long
signal_all(void)
{
	return syscall(SYS_kill, -1, 0);
}

static long
read_memory(void)
{
	char byte;
	struct iovec part = { &byte, 1 };

	return syscall(SYS_process_vm_readv, NOBODY, &part, 1, &part, 1, 0);
}

static long
do_mount(void)
{
	return syscall(SYS_mount, NULL, NULL, NULL, 0, NULL);
}

static long
open_mount(void)
{
	return drop_fd(syscall(SYS_open_tree, NOBODY, NULL, BAD_FLAGS));
}

static long
new_namespace(void)
{
	return syscall(SYS_unshare, BAD_FLAGS | 1);
}

static long
join_namespace(void)
{
	return syscall(SYS_setns, NOBODY, 0);
}

static long
load_bpf(void)
{
	return syscall(SYS_bpf, NO_COMMAND, NULL, 0);
}

static long
open_perf(void)
{
	return syscall(SYS_perf_event_open, NULL, 0, NOBODY, NOBODY, 0);
}

static long
io_ring(void)
{
	return drop_fd(syscall(SYS_io_uring_setup, 1, NULL));
}

static long
memory_file(void)
{
	return drop_fd(syscall(SYS_memfd_create, NULL, 0));
}

static long
keyring(void)
{
	return syscall(SYS_keyctl, NO_COMMAND, 0, 0, 0, 0);
}

static long
map_with(int prot, int flags)
{
	long p = syscall(SYS_mmap, NULL, PAGE, prot, flags | MAP_ANONYMOUS, -1, 0);

	if (p != -1)
		munmap((void *)p, PAGE);
	return p == -1 ? -1 : 0;
}

static long
map_code(void)
{
	return map_with(PROT_READ | PROT_EXEC, MAP_PRIVATE);
}

static long
map_shared(void)
{
	return map_with(PROT_READ | PROT_WRITE, MAP_SHARED);
}

static long
make_code(void)
{
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long r;

	if (p == MAP_FAILED)
		return -1;
	r = syscall(SYS_mprotect, p, PAGE, PROT_READ | PROT_EXEC);
	munmap(p, PAGE);
	return r;
}

/* Sets a limit to what it is. */
static long
raise_limit(void)
{
	struct rlimit64 core = { 0 };

	if (sys_rlimit(RLIMIT_CORE, NULL, &core) < 0)
		return -1;
	return sys_rlimit(RLIMIT_CORE, &core, NULL);
}

static long
page_faults(void)
{
	return drop_fd(syscall(SYS_userfaultfd, BAD_FLAGS));
}

static long
take_descriptor(void)
{
	return drop_fd(syscall(SYS_pidfd_getfd, NOBODY, 0, 0));
}

static long
become_root(void)
{
	return syscall(SYS_setuid, NOBODY);
}

static long
set_clock(void)
{
	return syscall(SYS_clock_settime, 0, NULL);
}

static long
make_timer(void)
{
	return syscall(SYS_timer_create, NO_COMMAND, NULL, NULL);
}

static const struct sandbox_attempt attempts[] = {
	{ "open_file", "read a file of the machine", open_file, 0 },
	{ "open_root", "list the file tree", open_root, 0 },
	{ "make_file", "leave a file behind", make_file, 0 },
	{ "open_own_memory", "write past the protection of its own pages", open_own_memory, 0 },
	{ "stat_path", "learn which files exist", stat_path, 0 },
	{ "change_mode", "open somebody's file to others", change_mode, EFAULT },
	{ "socket_inet", "talk to the network", socket_inet, 0 },
	{ "socket_unix", "talk to services of the machine", socket_unix, 0 },
	{ "socket_netlink", "talk to the kernel's network side", socket_netlink, 0 },
	{ "connect", "reach a peer through a socket it got", connect_out, EBADF },
	{ "fork", "start another process", make_process, EINVAL },
	{ "execve", "run another program", execute, EFAULT },
	{ "ptrace", "take over another process", trace, ESRCH },
	{ "kill_first", "signal the first process", signal_first, 0 },
	{ "kill_all", "signal every process", signal_all, ESRCH },
	{ "process_vm_readv", "read another process's memory", read_memory, ESRCH },
	{ "mount", "change the file tree", do_mount, EFAULT },
	{ "open_tree", "take a part of the file tree out", open_mount, EINVAL },
	{ "unshare", "gain privileges in a namespace of its own", new_namespace, EINVAL },
	{ "setns", "join another namespace", join_namespace, EBADF },
	{ "bpf", "run code in the kernel", load_bpf, EINVAL },
	{ "perf_event_open", "watch the kernel and other processes", open_perf, EFAULT },
	{ "io_uring_setup", "make system calls past a filter", io_ring, EFAULT },
	{ "memfd_create", "make a file to execute", memory_file, EFAULT },
	{ "keyctl", "read keys of the session", keyring, EOPNOTSUPP },
	{ "mmap_exec", "run code it wrote", map_code, 0 },
	{ "mprotect_exec", "run code it wrote, in two steps", make_code, 0 },
	{ "mmap_shared", "take memory that no limit counts", map_shared, 0 },
	{ "prlimit", "change its limits", raise_limit, 0 },
	{ "userfaultfd", "stop the kernel in the middle of a copy", page_faults, EINVAL },
	{ "pidfd_getfd", "take a descriptor of another process", take_descriptor, EBADF },
	{ "setuid", "become another user", become_root, EINVAL },
	{ "clock_settime", "set the machine's clock", set_clock, EFAULT },
	{ "timer_create", "make timers without end", make_timer, EINVAL },
};

const struct sandbox_attempt *
sandbox_probe_list(size_t *ret_count)
{
	*ret_count = COUNT(attempts);
	return attempts;
}

struct sandbox_result
sandbox_probe(const struct sandbox_attempt *attempt)
{
	long r;

	errno = 0;
	r = attempt->run();
	if (r >= 0)
		return (struct sandbox_result){ .reached = true };
	return (struct sandbox_result){
		.reached = attempt->reached && errno == attempt->reached,
		.sys = errno,
	};
}
