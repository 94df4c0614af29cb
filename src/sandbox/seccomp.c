/* SPDX-License-Identifier: MIT */
#include "sandbox/seccomp.h"

#include <errno.h>
#include <linux/seccomp.h>

#include "sandbox/sys.h"
#include "sandbox/test.h"

#define KEYCTL_NONE 0xffff

int
seccomp_enter(const struct seccomp_filter *filter, struct sandbox_report *r, struct err *e)
{
	/* The kernel copies the program; the field is not const in its header. */
	struct sock_fprog program = {
		.len = filter->count,
		.filter = (struct sock_filter *)(uintptr_t)filter->code,
	};

	if (sandbox_test()->leave_out & LAYER_BIT(seccomp))
		return 0;
	if (sys_seccomp(SECCOMP_SET_MODE_FILTER, 0, &program) < 0) {
		if (errno != ENOSYS && errno != EINVAL)
			return err_sys(e, "load the system call filter '%s'", filter->name);
		report_lack(r, LAYER_seccomp, errno, "the kernel has no system call filters");
		return 0;
	}
	r->filter_len = filter->count;
	report_hold(r, LAYER_seccomp);
	return 0;
}

int
seccomp_aim(void)
{
	return syscall(SYS_keyctl, KEYCTL_NONE, 0, 0, 0, 0) < 0 ? errno : 0;
}

void
seccomp_prove(int before, struct sandbox_report *r)
{
	if (before != EPERM && (r->held & LAYER_BIT(seccomp)))
		report_prove(r, LAYER_seccomp, seccomp_aim() == EPERM, "keyctl");
}
