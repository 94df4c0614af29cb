/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "canary.h"

#define MUCH      GiB(3)
#define MANY      600
#define FILE_GROW 4096

static int held_file = -1, held_device = -1;

void
attempts_prepare(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGXFSZ, &ignore, NULL);
	held_file = (int)syscall(SYS_memfd_create, "held", MFD_CLOEXEC);
	held_device = open("/dev/null", O_RDWR | O_CLOEXEC);
}

/* 0 when the call worked (its descriptor is closed), else errno. */
static int
gave_fd(long fd)
{
	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

static int
worked(long r)
{
	return r < 0 ? errno : 0;
}

static const char *
in_folder(const struct canary *c, const char *name)
{
	static char path[CANARY_PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", c->folder, name);
	return path;
}

static int
attempt_open_passwd(const struct canary *c)
{
	(void)c;
	return gave_fd(open("/etc/passwd", O_RDONLY | O_CLOEXEC));
}

static int
attempt_open_secret(const struct canary *c)
{
	return gave_fd(open(in_folder(c, "secret"), O_RDONLY | O_CLOEXEC));
}

static int
attempt_list_root(const struct canary *c)
{
	static char room[KiB(32)];
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n;

	(void)c;
	if (fd < 0)
		return errno;
	n = syscall(SYS_getdents64, fd, room, sizeof(room));
	close(fd);
	/* "." and ".." take 48 bytes. */
	return n > 48 ? 0 : ENOENT;
}

static int
attempt_make_file(const struct canary *c)
{
	const char *path = in_folder(c, "drop/file");
	int r = gave_fd(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));

	unlink(path);
	return r;
}

static int
attempt_truncate_file(const struct canary *c)
{
	return worked(truncate(in_folder(c, "own"), 0));
}

static int
attempt_truncate_open(const struct canary *c)
{
	return gave_fd(open(in_folder(c, "own"), O_RDONLY | O_TRUNC | O_CLOEXEC));
}

static int
attempt_truncate_openat2(const struct canary *c)
{
	struct open_how how = { .flags = O_RDONLY | O_TRUNC | O_CLOEXEC };

	return gave_fd(syscall(SYS_openat2, AT_FDCWD, in_folder(c, "own"), &how, sizeof(how)));
}

static int
attempt_open_append(const struct canary *c)
{
	return gave_fd(open(in_folder(c, "own"), O_WRONLY | O_APPEND | O_CLOEXEC));
}

static int
attempt_lock_file(const struct canary *c)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	int fd = open(in_folder(c, "secret"), O_RDONLY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return errno;
	r = worked(fcntl(fd, F_SETLK, &lock));
	close(fd);
	return r;
}

static int
attempt_link_own(const struct canary *c)
{
	char from[CANARY_PATH_MAX + 32];
	int r;

	snprintf(from, sizeof(from), "%s", in_folder(c, "own"));
	r = worked(link(from, in_folder(c, "drop/link")));
	unlink(in_folder(c, "drop/link"));
	return r;
}

static int
attempt_rename_own(const struct canary *c)
{
	char from[CANARY_PATH_MAX + 32];
	int r;

	snprintf(from, sizeof(from), "%s", in_folder(c, "own"));
	r = worked(rename(from, in_folder(c, "own-moved")));
	if (r == 0)
		r = worked(rename(in_folder(c, "own-moved"), from));
	return r;
}

static int
attempt_make_symlink(const struct canary *c)
{
	const char *path = in_folder(c, "drop/link");
	int r = worked(symlink("/etc/passwd", path));

	unlink(path);
	return r;
}

static int
make_node(const struct canary *c, mode_t type)
{
	const char *path = in_folder(c, "drop/node");
	int r = worked(mknod(path, type | 0600, 0));

	unlink(path);
	return r;
}

static int
attempt_make_fifo(const struct canary *c)
{
	return make_node(c, S_IFIFO);
}

static int
attempt_make_socket(const struct canary *c)
{
	return make_node(c, S_IFSOCK);
}

static int
attempt_make_folder(const struct canary *c)
{
	const char *path = in_folder(c, "drop/folder");
	int r = worked(mkdir(path, 0700));

	rmdir(path);
	return r;
}

static int
attempt_stat_secret(const struct canary *c)
{
	struct stat st;

	return worked(stat(in_folder(c, "secret"), &st));
}

static int
attempt_chmod_own(const struct canary *c)
{
	return worked(chmod(in_folder(c, "own"), 0644));
}

static int
attempt_set_times(const struct canary *c)
{
	const struct timespec times[2] = { { 1, 0 }, { 1, 0 } };

	return worked(utimensat(AT_FDCWD, in_folder(c, "own"), times, 0));
}

static int
attempt_set_xattr(const struct canary *c)
{
	int r = worked(syscall(SYS_setxattr, in_folder(c, "own"), "user.mark", "x", 1, 0));

	return r == EOPNOTSUPP ? 0 : r; /* reached a file system that has none */
}

static int
attempt_own_memory(const struct canary *c)
{
	(void)c;
	return gave_fd(open("/proc/self/mem", O_RDWR | O_CLOEXEC));
}

static int
attempt_group_path(const struct canary *c)
{
	char text[4096];
	int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	(void)c;
	if (fd < 0)
		return errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* Some group has a name of its own; in a namespace every path is "/" or leads to ours.
	 */
	for (char *save, *line = strtok_r(text, "\n", &save); line;
	    line = strtok_r(NULL, "\n", &save)) {
		const char *path = strchr(strchr(line, ':') + 1, ':') + 1;

		if (strcmp(path, "/") != 0 && strncmp(path, "/crisol-", 8) != 0)
			return 0;
	}
	return ENOENT;
}

static int
attempt_open_handle(const struct canary *c)
{
	struct {
		struct file_handle head;
		char room[128];
	} handle = { .head = { .handle_bytes = 128 } };
	int mount_id, r;
	int fd = open(c->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* tmpfs and ext4 both can; the handle is made, then opened by way of its mount, or of the one
	 * we are in. */
	r = worked(name_to_handle_at(AT_FDCWD, c->folder, &handle.head, &mount_id, 0));
	if (r == 0)
		r = gave_fd(open_by_handle_at(fd < 0 ? AT_FDCWD : fd, &handle.head,
		    O_PATH | O_CLOEXEC));
	close(fd);
	return r;
}

static int
attempt_open_tty(const struct canary *c)
{
	(void)c;
	return gave_fd(open("/dev/full", O_RDWR | O_CLOEXEC | O_NOCTTY));
}

static int
make_socket(int family, int type)
{
	return gave_fd(socket(family, type | SOCK_CLOEXEC, 0));
}

static int
attempt_socket_inet(const struct canary *c)
{
	(void)c;
	return make_socket(AF_INET, SOCK_STREAM);
}

static int
attempt_socket_inet6(const struct canary *c)
{
	int r = make_socket(AF_INET6, SOCK_STREAM);

	(void)c;
	return r == EAFNOSUPPORT ? 0 : r; /* a kernel without it was reached */
}

static int
attempt_socket_unix(const struct canary *c)
{
	(void)c;
	return make_socket(AF_UNIX, SOCK_STREAM);
}

static int
attempt_socket_netlink(const struct canary *c)
{
	(void)c;
	return make_socket(AF_NETLINK, SOCK_RAW);
}

static int
attempt_socket_packet(const struct canary *c)
{
	(void)c;
	return make_socket(AF_PACKET, SOCK_RAW);
}

static int
attempt_socketpair(const struct canary *c)
{
	int pair[2];

	(void)c;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return errno;
	close(pair[0]);
	close(pair[1]);
	return 0;
}

static struct sockaddr_in
local(int port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
}

static int
with_socket(int family, int type, int (*use)(int, const struct sockaddr *, socklen_t),
    const void *address, socklen_t n)
{
	int fd = socket(family, type | SOCK_CLOEXEC, 0);
	int r;

	if (fd < 0)
		return errno;
	r = worked(use(fd, address, n));
	close(fd);
	return r;
}

static int
attempt_tcp_connect(const struct canary *c)
{
	struct sockaddr_in to = local(c->tcp);

	return with_socket(AF_INET, SOCK_STREAM, connect, &to, sizeof(to));
}

static int
attempt_tcp_bind(const struct canary *c)
{
	struct sockaddr_in any = { .sin_family = AF_INET };

	(void)c;
	return with_socket(AF_INET, SOCK_STREAM, bind, &any, sizeof(any));
}

static int
send_byte(int fd, const struct sockaddr *to, socklen_t n)
{
	return (int)sendto(fd, "x", 1, MSG_DONTWAIT, to, n);
}

static int
attempt_udp_send(const struct canary *c)
{
	struct sockaddr_in to = local(c->udp);

	return with_socket(AF_INET, SOCK_DGRAM, send_byte, &to, sizeof(to));
}

static int
attempt_connect_abstract(const struct canary *c)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t n = strlen(c->name);

	memcpy(to.sun_path + 1, c->name, n);
	return with_socket(AF_UNIX, SOCK_STREAM, connect, &to,
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n));
}

static int
attempt_connect_path(const struct canary *c)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", in_folder(c, "sock"));
	return with_socket(AF_UNIX, SOCK_STREAM, connect, &to, sizeof(to));
}

static int
attempt_list_interfaces(const struct canary *c)
{
	struct ifreq request = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int r;

	(void)c;
	if (fd < 0)
		return errno;
	r = worked(ioctl(fd, SIOCGIFFLAGS, &request));
	close(fd);
	return r == 0 && !(request.ifr_flags & IFF_UP) ? ENETDOWN : r;
}

/* SIGCONT does nothing to a process that runs. */
static int
attempt_signal_canary(const struct canary *c)
{
	return worked(kill(c->pid, SIGCONT));
}

/* Who owns a pipe is told of its bytes, by a signal of one's choice. */
static int
attempt_signal_by_owner(const struct canary *c)
{
	int ends[2], r;

	if (syscall(SYS_pipe2, ends, O_CLOEXEC) < 0)
		return errno;
	r = worked(fcntl(ends[0], F_SETOWN, c->pid));
	close(ends[0]);
	close(ends[1]);
	return r;
}

static int
attempt_ptrace_canary(const struct canary *c)
{
	int status, r = worked(ptrace(PTRACE_SEIZE, c->pid, NULL, NULL));

	if (r == 0) {
		ptrace(PTRACE_INTERRUPT, c->pid, NULL, NULL);
		waitpid(c->pid, &status, __WALL);
		ptrace(PTRACE_DETACH, c->pid, NULL, NULL);
	}
	return r;
}

/* The same addresses are mapped in the canary: it is a fork of a sibling of ours, or no
 * address. */
static int
attempt_read_canary(const struct canary *c)
{
	char byte;
	struct iovec ours = { &byte, 1 }, theirs = { NULL, 1 };
	int r = worked(process_vm_readv(c->pid, &ours, 1, &theirs, 1, 0));

	return r == EFAULT ? 0 : r; /* allowed, but there is nothing at NULL */
}

static int
attempt_pidfd_canary(const struct canary *c)
{
	return gave_fd(syscall(SYS_pidfd_open, c->pid, 0));
}

static int
attempt_getfd_canary(const struct canary *c)
{
	int pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	int r;

	if (pidfd < 0)
		return errno;
	r = gave_fd(syscall(SYS_pidfd_getfd, pidfd, 0, 0));
	close(pidfd);
	return r;
}

static int
open_of_canary(const struct canary *c, const char *file, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", c->pid, file);
	return open(path, flags | O_CLOEXEC);
}

static int
attempt_canary_memory_file(const struct canary *c)
{
	return gave_fd(open_of_canary(c, "mem", O_RDWR));
}

/* The host-name namespace: joining it changes nothing else. */
static int
attempt_join_canary_ns(const struct canary *c)
{
	int fd = open_of_canary(c, "ns/uts", O_RDONLY);
	int r;

	if (fd < 0)
		return errno;
	r = worked(setns(fd, CLONE_NEWUTS));
	close(fd);
	return r;
}

static int
attempt_fork(const struct canary *c)
{
	long pid = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);

	(void)c;
	if (pid < 0)
		return errno;
	if (pid == 0)
		syscall(SYS_exit_group, 0);
	waitpid((pid_t)pid, NULL, 0);
	return 0;
}

static int
thread_body(void *arg)
{
	(void)arg;
	syscall(SYS_exit, 0);
	return 0;
}

static int
attempt_thread(const struct canary *c)
{
	static char stack[KiB(64)];
	static volatile int gone;
	struct timespec moment = { .tv_nsec = 1000000 };
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		    CLONE_SYSVSEM | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID;

	(void)c;
	gone = 1;
	if (clone(thread_body, stack + sizeof(stack), flags, NULL, NULL, NULL, &gone) < 0)
		return errno;
	for (int i = 0; i < 1000 && gone; i++)
		nanosleep(&moment, NULL);
	return 0;
}

/* What is executed is no program: found, allowed, then refused for what it is. */
static int
exec_junk(int dir, const char *path, int flags)
{
	char *none[] = { NULL };
	int r = worked(syscall(SYS_execveat, dir, path, none, none, flags));

	return r == ENOEXEC ? 0 : r;
}

static int
attempt_exec_file(const struct canary *c)
{
	return exec_junk(AT_FDCWD, in_folder(c, "junk"), 0);
}

static int
attempt_exec_memory(const struct canary *c)
{
	int fd = (int)syscall(SYS_memfd_create, "code", MFD_CLOEXEC);
	int r;

	(void)c;
	if (fd < 0)
		return errno;
	r = write(fd, "junk", 4) < 0 ? errno : exec_junk(fd, "", AT_EMPTY_PATH);
	close(fd);
	return r;
}

static int
attempt_open_queue(const struct canary *c)
{
	return gave_fd(syscall(SYS_mq_open, c->name, O_RDONLY, 0, NULL));
}

static int
attempt_open_shm(const struct canary *c)
{
	return worked(syscall(SYS_shmget, c->shm, 0, 0));
}

static int
attempt_become_root(const struct canary *c)
{
	(void)c;
	return worked(syscall(SYS_setresuid, 0, 0, 0));
}

/* While this flag is not set, setuid programs work. */
static int
attempt_gain_privileges(const struct canary *c)
{
	int set = (int)syscall(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);

	(void)c;
	if (set < 0)
		return errno;
	return set ? EPERM : 0;
}

static int
attempt_name_host(const struct canary *c)
{
	struct utsname name;

	if (uname(&name) < 0)
		return errno;
	return strcmp(name.nodename, c->host) == 0 ? 0 : ENOENT;
}

static int
attempt_set_host_name(const struct canary *c)
{
	return worked(sethostname(c->host, strlen(c->host)));
}

/* On the root where the folder is not there: that is then a root of its own. */
static int
attempt_mount_tmpfs(const struct canary *c)
{
	const char *at = c->folder;
	int r = worked(mount("t", at, "tmpfs", 0, "size=4k"));

	if (r == ENOENT) {
		at = "/";
		r = worked(mount("t", at, "tmpfs", 0, "size=4k"));
	}
	if (r == 0)
		umount2(at, MNT_DETACH);
	return r;
}

static int
attempt_open_tree(const struct canary *c)
{
	(void)c;
	return gave_fd(syscall(SYS_open_tree, AT_FDCWD, "/", 1 | O_CLOEXEC));
}

static int
attempt_chroot(const struct canary *c)
{
	(void)c;
	return chroot("/") < 0 ? errno : worked(chdir("/"));
}

static int
attempt_new_userns(const struct canary *c)
{
	int r = worked(unshare(CLONE_NEWUSER));

	(void)c;
	return r;
}

static int
attempt_io_uring(const struct canary *c)
{
	int r = gave_fd(syscall(SYS_io_uring_setup, 1, NULL));

	(void)c;
	return r == EFAULT ? 0 : r;
}

static int
attempt_bpf(const struct canary *c)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 4,
		.max_entries = 1,
	};

	(void)c;
	return gave_fd(syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)));
}

static int
attempt_perf(const struct canary *c)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
	};

	(void)c;
	/* A whole processor, not only itself. */
	return gave_fd(syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0));
}

static int
attempt_keyring(const struct canary *c)
{
	(void)c;
	return worked(
	    syscall(SYS_keyctl, 0, -2, 1)); /* the id of the process keyring, made anew */
}

static int
attempt_userfault(const struct canary *c)
{
	int r = gave_fd(syscall(SYS_userfaultfd, 1 | O_CLOEXEC)); /* user mode only */

	(void)c;
	return r;
}

static int
attempt_seccomp_listener(const struct canary *c)
{
	int r = worked(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    SECCOMP_FILTER_FLAG_NEW_LISTENER, NULL));

	(void)c;
	return r == EFAULT ? 0 : r;
}

/* The length of a tick, to what it is. */
static int
attempt_set_clock(const struct canary *c)
{
	struct timex t = { 0 };

	(void)c;
	if (syscall(SYS_adjtimex, &t) < 0)
		return errno;
	t.modes = ADJ_TICK;
	return worked(syscall(SYS_adjtimex, &t));
}

static int
attempt_renice(const struct canary *c)
{
	int r = worked(setpriority(PRIO_PROCESS, 0, -1));

	(void)c;
	if (r == 0)
		setpriority(PRIO_PROCESS, 0, 0);
	return r;
}

static int
attempt_realtime(const struct canary *c)
{
	struct sched_param fifo = { 1 }, other = { 0 };
	int r = worked(sched_setscheduler(0, SCHED_FIFO, &fifo));

	(void)c;
	if (r == 0)
		sched_setscheduler(0, SCHED_OTHER, &other);
	return r;
}

static int
attempt_trust_device(const struct canary *c)
{
	int n, r = worked(ioctl(held_device, FIONREAD, &n));

	(void)c;
	return r == ENOTTY || r == EINVAL ? 0 : r; /* the device was asked */
}

static int
map_with(int prot, int flags, size_t n)
{
	void *p = mmap(NULL, n, prot, flags | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return errno;
	munmap(p, n);
	return 0;
}

static int
attempt_map_code(const struct canary *c)
{
	(void)c;
	return map_with(PROT_READ | PROT_EXEC, MAP_PRIVATE, KiB(4));
}

static int
attempt_make_code(const struct canary *c)
{
	void *p =
	    mmap(NULL, KiB(4), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int r;

	(void)c;
	if (p == MAP_FAILED)
		return 0;
	r = worked(mprotect(p, KiB(4), PROT_READ | PROT_EXEC));
	munmap(p, KiB(4));
	return r;
}

static int
attempt_shared_memory(const struct canary *c)
{
	(void)c;
	return map_with(PROT_READ | PROT_WRITE, MAP_SHARED, KiB(4));
}

static int
attempt_memory_file(const struct canary *c)
{
	(void)c;
	return gave_fd(syscall(SYS_memfd_create, "more", MFD_CLOEXEC));
}

static int
attempt_much_memory(const struct canary *c)
{
	(void)c;
	return map_with(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, MUCH);
}

static int
attempt_many_descriptors(const struct canary *c)
{
	int fds[MANY], n = 0, r = 0;

	(void)c;
	while (n < MANY && (fds[n] = dup(0)) >= 0)
		n++;
	if (n < MANY)
		r = errno;
	while (n > 0)
		close(fds[--n]);
	return r;
}

static int
attempt_many_timers(const struct canary *c)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	int ids[MANY], n = 0, r = 0;

	(void)c;
	while (n < MANY && syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &ids[n]) == 0)
		n++;
	if (n < MANY)
		r = errno;
	while (n > 0)
		syscall(SYS_timer_delete, ids[--n]);
	return r;
}

static int
attempt_raise_limit(const struct canary *c)
{
	struct rlimit now;

	(void)c;
	if (syscall(SYS_prlimit64, 0, RLIMIT_CORE, NULL, &now) < 0)
		return errno;
	return worked(syscall(SYS_prlimit64, 0, RLIMIT_CORE, &now, NULL));
}

static int
attempt_lock_memory(const struct canary *c)
{
	static char page[KiB(4)];
	int r = worked(mlock(page, sizeof(page)));

	(void)c;
	if (r == 0)
		munlock(page, sizeof(page));
	return r;
}

static int
attempt_file_space(const struct canary *c)
{
	int r;

	(void)c;
	r = worked(syscall(SYS_ftruncate, held_file, FILE_GROW));
	if (r == 0)
		r = worked(syscall(SYS_ftruncate, held_file, 0));
	return r;
}

static int
attempt_personality(const struct canary *c)
{
	int now = personality(0xffffffff);

	(void)c;
	return worked(now < 0 ? -1 : personality((unsigned long)now));
}

const struct attempt attempts[] = {
#define ATTEMPT(name, walls, may, who, text) { #name, attempt_##name },
#include "attempts.def"
#undef ATTEMPT
};
const size_t attempt_count = COUNT(attempts);
