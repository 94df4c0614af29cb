/* SPDX-License-Identifier: MIT */
#include "sandbox/caps.h"

#include <errno.h>
#include <linux/securebits.h>

#include "sandbox/sys.h"
#include "sandbox/test.h"

#define CAP_MAX 62
#define SECURE                                                           \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | \
	    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED)
#define SECURE_LAST (SECURE | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

typedef struct __user_cap_data_struct cap_sets[2];

static uint64_t
join(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

uint64_t
caps_effective(void)
{
	cap_sets now;

	return sys_capget(now) < 0 ? 0 : join(now[0].effective, now[1].effective);
}

/* Leaving uid 0 emptied the effective set, which the steps before caps_enter still need. */
static int
effective_again(struct err *e)
{
	cap_sets sets;

	if (sys_capget(sets) < 0)
		return err_sys(e, "read the capabilities");
	for (int i = 0; i < 2; i++)
		sets[i].effective = sets[i].permitted;
	return sys_capset(sets) < 0 ? err_sys(e, "keep capabilities in effect") : 0;
}

int
caps_become(uid_t uid, gid_t gid, struct err *e)
{
	/* Refused where an ordinary user made the namespace: the groups are then not even
	 * mapped. */
	if (sys_setgroups_none() < 0 && errno != EPERM)
		return err_sys(e, "leave the supplementary groups");
	if (sys_setresgid(gid) < 0)
		return err_sys(e, "become group %u", (unsigned)gid);
	if (sys_prctl(PR_SET_KEEPCAPS, 1, 0) < 0)
		return err_sys(e, "keep capabilities across the change of user");
	if (sys_setresuid(uid) < 0)
		return err_sys(e, "become user %u", (unsigned)uid);
	return effective_again(e);
}

/* Sets permitted, effective and inheritable; only what is permitted now can stay. */
static int
set_all(uint64_t keep, uint64_t *ret_kept, struct err *e)
{
	cap_sets sets;
	uint64_t kept = 0;

	if (sys_capget(sets) < 0)
		return err_sys(e, "read the capabilities");
	kept = keep & join(sets[0].permitted, sets[1].permitted);
	for (int i = 0; i < 2; i++) {
		uint32_t half = (uint32_t)(kept >> (32 * i));

		sets[i] = (struct __user_cap_data_struct){ half, half, half };
	}
	if (sys_capset(sets) < 0)
		return err_sys(e, "drop capabilities");
	*ret_kept = kept;
	return 0;
}

/* The bounding set needs CAP_SETPCAP to shrink; who has none cannot gain by it under nnp. */
static int
shrink_bounding(uint64_t keep, struct err *e)
{
	for (int cap = 0; cap <= CAP_MAX; cap++) {
		int has = sys_prctl(PR_CAPBSET_READ, (unsigned long)cap, 0);

		if (has < 0 && errno == EINVAL)
			break; /* past the last one */
		if (has < 0)
			return err_sys(e, "look for capability %d in the bounding set", cap);
		if (has == 0 || (keep & CAPS_BIT(cap)))
			continue;
		if (sys_prctl(PR_CAPBSET_DROP, (unsigned long)cap, 0) < 0)
			return err_sys(e, "drop capability %d from the bounding set", cap);
	}
	return 0;
}

static int
raise_ambient(uint64_t keep, struct err *e)
{
	if (sys_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0) < 0)
		return err_sys(e, "clear the ambient capabilities");
	for (int cap = 0; cap <= CAP_MAX; cap++)
		if ((keep & CAPS_BIT(cap)) &&
		    sys_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, (unsigned long)cap) < 0)
			return err_sys(e, "keep capability %d across exec", cap);
	return 0;
}

/* For a test that leaves this wall out: an exec would drop capabilities by itself. */
static int
keep_everything(struct err *e)
{
	uint64_t kept = 0;
	int r = set_all(UINT64_MAX, &kept, e);

	return r < 0 ? r : raise_ambient(kept, e);
}

int
caps_enter(uint64_t keep, struct sandbox_report *r, struct err *e)
{
	cap_sets now;
	uint64_t kept = 0;
	int n;

	if (sandbox_test()->leave_out & LAYER_BIT(caps))
		return keep_everything(e);
	if (sys_capget(now) < 0)
		return err_sys(e, "read the capabilities");
	if (now[0].effective & CAPS_BIT(CAP_SETPCAP)) {
		n = shrink_bounding(keep, e);
		if (n < 0)
			return n;
		if (!(keep & CAPS_PLAIN) &&
		    sys_prctl(PR_SET_SECUREBITS, keep ? SECURE : SECURE_LAST, 0) < 0)
			return err_sys(e, "lock the secure bits");
	}
	n = set_all(keep, &kept, e);
	if (n < 0)
		return n;
	n = raise_ambient(kept, e);
	if (n < 0)
		return n;
	report_hold(r, LAYER_caps);
	return 0;
}

int
caps_no_new_privs(struct sandbox_report *r, struct err *e)
{
	if (sandbox_test()->leave_out & LAYER_BIT(nnp))
		return 0;
	if (sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0) < 0)
		return err_sys(e, "set no_new_privs");
	report_hold(r, LAYER_nnp);
	return 0;
}

int
caps_not_dumpable(struct sandbox_report *r, struct err *e)
{
	if (sandbox_test()->leave_out & LAYER_BIT(dumpable))
		return 0;
	if (sys_prctl(PR_SET_DUMPABLE, 0, 0) < 0)
		return err_sys(e, "make the process not dumpable");
	report_hold(r, LAYER_dumpable);
	return 0;
}

static bool
sets_within(uint64_t keep)
{
	cap_sets sets;
	uint64_t any = 0;

	if (sys_capget(sets) < 0)
		return false;
	for (int i = 0; i < 2; i++)
		any |= (uint64_t)(sets[i].permitted | sets[i].effective | sets[i].inheritable)
		       << (32 * i);
	for (int cap = 0; cap <= CAP_MAX; cap++) {
		int has = sys_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, (unsigned long)cap);

		if (has < 0 && errno == EINVAL)
			break; /* past the last one */
		if (has < 0)
			return false;
		any |= has ? CAPS_BIT(cap) : 0;
	}
	return (any & ~keep) == 0;
}

/* A length that is refused anyway: the answer tells whether the capability was asked for first.
 */
static bool
may_name_host(void)
{
	return syscall(SYS_sethostname, NULL, -1) < 0 && errno != EPERM;
}

void
caps_prove(uint64_t keep, struct sandbox_report *r)
{
	bool admin = keep & CAPS_BIT(CAP_SYS_ADMIN);

	report_prove(r, LAYER_caps, sets_within(keep), "reading the capability sets");
	if (!admin)
		report_prove(r, LAYER_caps, !may_name_host(), "sethostname");
	report_prove(r, LAYER_nnp, sys_prctl(PR_GET_NO_NEW_PRIVS, 0, 0) == 1,
	    "PR_GET_NO_NEW_PRIVS");
	if (r->held & LAYER_BIT(dumpable))
		report_prove(r, LAYER_dumpable, sys_prctl(PR_GET_DUMPABLE, 0, 0) == 0,
		    "PR_GET_DUMPABLE");
}

void
caps_look_ids(bool own, struct sandbox_report *r)
{
	uid_t u[3];
	gid_t g[3];

	if (sandbox_test()->leave_out & LAYER_BIT(ids))
		return;
	if (!own) {
		report_lack(r, LAYER_ids, 0,
		    "an ordinary user has one id, and it is the person's");
		return;
	}
	report_hold(r, LAYER_ids);
	if (getresuid(&u[0], &u[1], &u[2]) < 0 || getresgid(&g[0], &g[1], &g[2]) < 0) {
		report_lack(r, LAYER_ids, errno, "the ids cannot be read");
		return;
	}
	for (int i = 0; i < 3; i++)
		report_prove(r, LAYER_ids,
		    u[i] != 0 && u[i] == u[0] && g[i] != 0 && g[i] == g[0], "reading the ids");
	report_prove(r, LAYER_ids, getgroups(0, NULL) == 0, "reading the supplementary groups");
}
