/* SPDX-License-Identifier: MIT */
/*
 * Which system calls js may make at all, as the tests see it: a second opinion on
 * filter/js.def, written down by hand so that a row that slips into the filter is noticed.
 */
#ifndef TESTS_ESCAPE_SWEEP_H
#define TESTS_ESCAPE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>

#define SWEEP_END    600 /* past every number there is */
#define SWEEP_ENOSYS 424 /* from here on a refused call does not exist */

static const int sweep_calls[] = {
	SYS_read,
	SYS_write,
	SYS_readv,
	SYS_writev,
	SYS_sendmsg,
	SYS_recvmsg,
	SYS_close,
	SYS_lseek,
	SYS_fstat,
	SYS_fcntl,
	SYS_epoll_pwait,
	SYS_epoll_ctl,
	SYS_timerfd_settime,
	SYS_timer_settime,
	SYS_timer_gettime,
	SYS_clock_gettime,
	SYS_clock_nanosleep,
	SYS_getrandom,
	SYS_mmap,
	SYS_mprotect,
	SYS_munmap,
	SYS_mremap,
	SYS_brk,
	SYS_madvise,
	SYS_rt_sigreturn,
	SYS_rt_sigprocmask,
	SYS_sigaltstack,
	SYS_futex,
	SYS_getpid,
	SYS_gettid,
	SYS_exit,
	SYS_exit_group,
	SYS_restart_syscall,
#ifdef SYS_epoll_wait
	SYS_epoll_wait,
#endif
};

/*
 * Two numbers of x86-64 that the kernel itself lets past every filter (from 6.13 on): the ends
 * of probes it has put into a program. Who calls them without a probe is killed by SIGILL.
 */
#ifdef __x86_64__
#define SWEEP_PROBES(nr) ((nr) == 335 || (nr) == 336)
#else
#define SWEEP_PROBES(nr) false
#endif

static inline bool
sweep_allowed(int nr)
{
	if (SWEEP_PROBES(nr))
		return true;
	for (size_t i = 0; i < sizeof(sweep_calls) / sizeof(sweep_calls[0]); i++)
		if (sweep_calls[i] == nr)
			return true;
	return false;
}

#endif
