/* SPDX-License-Identifier: MIT */
#include "sandbox/rlimit.h"

#include <errno.h>

#include "sandbox/sys.h"
#include "sandbox/test.h"

int
rlimit_enter(const struct rlimit_row *rows, size_t count, struct err *e)
{
	if (sandbox_test()->leave_out & LAYER_BIT(rlimits))
		return 0;
	for (size_t i = 0; i < count; i++) {
		struct rlimit64 now;

		if (sys_rlimit(rows[i].resource, NULL, &now) < 0)
			return err_sys(e, "read limit %d", rows[i].resource);
		now.rlim_max = MIN(now.rlim_max, rows[i].most);
		now.rlim_cur = now.rlim_max;
		if (sys_rlimit(rows[i].resource, &now, NULL) < 0)
			return err_sys(e, "set limit %d", rows[i].resource);
	}
	return 0;
}

static bool
can_raise(int resource)
{
	struct rlimit64 now;

	if (sys_rlimit(resource, NULL, &now) < 0)
		return true;
	if (now.rlim_max == RLIM64_INFINITY)
		return false;
	now.rlim_max++;
	return sys_rlimit(resource, &now, NULL) == 0 || errno != EPERM;
}

void
rlimit_prove(const struct rlimit_row *rows, size_t count, struct sandbox_report *r)
{
	if (count == 0 || (sandbox_test()->leave_out & LAYER_BIT(rlimits)))
		return;
	report_hold(r, LAYER_rlimits);
	for (size_t i = 0; i < count; i++) {
		struct rlimit64 now;
		bool low = sys_rlimit(rows[i].resource, NULL, &now) == 0 &&
			   now.rlim_max <= rows[i].most && now.rlim_cur <= rows[i].most;

		report_prove(r, LAYER_rlimits, low, "reading the limits back");
	}
	report_prove(r, LAYER_rlimits, !can_raise(rows[0].resource), "raising a limit");
}
