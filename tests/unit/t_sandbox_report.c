/* SPDX-License-Identifier: MIT */
/* Reports of walls: marks, the text form both ways, and text that somebody else wrote. */
#include "sandbox/landlock.h"
#include "sandbox/profile.h"
#include "sandbox/report.h"
#include "tap.h"

static void
check_marks(void)
{
	struct sandbox_report r = { .want = LAYERS_ALL };

	report_hold(&r, LAYER_caps);
	ok(r.held == LAYER_BIT(caps) && !r.proved, "held is not proved");
	report_prove(&r, LAYER_caps, true, "x");
	ok(r.proved == LAYER_BIT(caps), "an attempt that failed proves it");
	report_prove(&r, LAYER_nnp, true, "x");
	ok(!(r.proved & LAYER_BIT(nnp)), "what is not held cannot be proved");
	report_prove(&r, LAYER_caps, false, "opening \x01\xff");
	ok(!r.held && !r.proved, "an attempt that got through takes it back");
	is_str(r.why[LAYER_caps].text, "it did not stop: opening ??",
	    "and is the reason, printable");
	report_hold(&r, LAYER_caps);
	ok(!r.why[LAYER_caps].text[0], "held again: no reason left");
	report_lack(&r, LAYER_caps, 1, "%0300d", 1);
	is_int(strlen(r.why[LAYER_caps].text), SANDBOX_WHY_MAX - 1, "a long reason is cut");
	report_lack(&r, LAYER_caps, 99999, "x");
	is_int(r.why[LAYER_caps].sys, 0, "an errno that is none is dropped");
	is_int(sandbox_report_missing(&r), LAYERS_ALL, "everything is missing");
}

static struct sandbox_report
example(void)
{
	struct sandbox_report r = { .mode = SANDBOX_ROOT,
		.want = LAYERS_ALL,
		.landlock_abi = 7,
		.landlock_fs = 65535,
		.landlock_net = 3,
		.landlock_scope = 3,
		.filter_len = 97 };

	for (unsigned i = 0; i < LAYER_COUNT; i++)
		report_hold(&r, (enum sandbox_layer)i);
	report_prove(&r, LAYER_root, true, "x");
	report_lack(&r, LAYER_cgroup, 13, "no right to make a control group");
	report_lack(&r, LAYER_userns, 0, "why not 1 2 3");
	return r;
}

static void
check_round_trip(void)
{
	auto_done(buf) struct buf text = buf_max(SANDBOX_REPORT_MAX);
	auto_done(buf) struct buf again = buf_max(SANDBOX_REPORT_MAX);
	struct sandbox_report r = example(), back = { 0 };
	struct err e = { 0 };

	sandbox_report_write(&r, &text);
	ok(buf_ok(&text), "it fits");
	is_int(sandbox_report_read(buf_str(&text), &back, &e), 0, "it is read back");
	sandbox_report_write(&back, &again);
	ok(str_eq(buf_str(&text), buf_str(&again)), "and says the same");
	ok(back.held == r.held && back.proved == r.proved && back.want == r.want &&
		back.mode == r.mode && back.why[LAYER_cgroup].sys == 13,
	    "as it was");
	r = (struct sandbox_report){ 0 };
	buf_reset(&text);
	sandbox_report_write(&r, &text);
	is_int(sandbox_report_read(buf_str(&text), &back, &e), 0, "an empty one is read back");
	for (unsigned i = 0; i < LAYER_COUNT; i++)
		report_lack(&r, (enum sandbox_layer)i, 4095, "%0200d", 7);
	buf_reset(&text);
	sandbox_report_write(&r, &text);
	ok(buf_ok(&text), "the longest possible one fits (%zu bytes)", text.n);
	is_int(sandbox_report_read(buf_str(&text), &back, &e), 0, "and is read back");
}

#define HEAD   "walls 1\nmode bare\nwant caps nnp\n"
#define TAIL   "landlock 0 0 0 0\nfilter 0\n"
#define MIDDLE "held caps\nproved caps\n"

static const struct {
	const char *name, *text;
	bool good;
} hostile[] = {
	{ "a good one", HEAD MIDDLE TAIL, true },
	{ "with a reason", HEAD MIDDLE TAIL "why nnp 1 because\n", true },
	{ "nothing", "", false },
	{ "another first line", "walls 2\nmode bare\nwant\nheld\nproved\n" TAIL, false },
	{ "no mode", "walls 1\nwant caps\n" MIDDLE TAIL, false },
	{ "no filter", HEAD MIDDLE "landlock 0 0 0 0\n", false },
	{ "unknown mode", "walls 1\nmode open\nwant caps\n" MIDDLE TAIL, false },
	{ "unknown key", HEAD MIDDLE TAIL "extra 1\n", false },
	{ "unknown layer", HEAD "held moat\nproved \n" TAIL, false },
	{ "a layer twice", HEAD "held caps caps\nproved caps\n" TAIL, false },
	{ "a key twice", HEAD MIDDLE MIDDLE TAIL, false },
	{ "proved but not held", HEAD "held caps\nproved nnp\n" TAIL, false },
	{ "two reasons for one", HEAD MIDDLE TAIL "why nnp 1 a\nwhy nnp 1 b\n", false },
	{ "a reason without text", HEAD MIDDLE TAIL "why nnp 1 \n", false },
	{ "a number too large", HEAD MIDDLE "landlock 0 0 0 0\nfilter 65536\n", false },
	{ "a number that is none", HEAD MIDDLE "landlock 0 0 0 x\nfilter 0\n", false },
	{ "a negative number", HEAD MIDDLE "landlock 0 0 0 -1\nfilter 0\n", false },
	{ "too few numbers", HEAD MIDDLE "landlock 0 0 0\nfilter 0\n", false },
	{ "too many numbers", HEAD MIDDLE "landlock 0 0 0 0 0\nfilter 0\n", false },
	{ "an escape sequence", HEAD MIDDLE TAIL "why nnp 1 \x1b[2J\n", false },
	{ "a byte above", HEAD MIDDLE TAIL "why nnp 1 \xc3\xa9\n", false },
	{ "two blanks", HEAD "held  caps\nproved caps\n" TAIL, false },
	{ "an empty line", HEAD "\n" MIDDLE TAIL, false },
};

static void
check_hostile(void)
{
	static char big[SANDBOX_REPORT_MAX + 2];
	struct sandbox_report r;
	struct err e = { 0 };

	for (size_t i = 0; i < COUNT(hostile); i++) {
		int n = sandbox_report_read(str_of(hostile[i].text), &r, &e);

		ok(hostile[i].good ? n == 0 : n == -ERR_PROTO, "%s: %s", hostile[i].name,
		    hostile[i].good ? "taken" : e.text);
	}
	memset(big, 'a', sizeof(big) - 1);
	is_int(sandbox_report_read(str_of(big), &r, &e), -(int)ERR_PROTO, "too long");
	is_int(sandbox_report_read((struct str){ "walls 1\0mode", 12 }, &r, &e),
	    -(int)ERR_PROTO, "a NUL");
}

/* Cut anywhere, with any one byte changed: never more than what a report can say. */
static void
check_damage(void)
{
	auto_done(buf) struct buf text = buf_max(SANDBOX_REPORT_MAX);
	struct sandbox_report r = example(), back;
	struct err e;
	unsigned taken = 0;

	sandbox_report_write(&r, &text);
	for (size_t n = 0; n < text.n; n++)
		taken += sandbox_report_read((struct str){ text.p, n }, &back, &e) == 0;
	for (size_t n = 0; n < text.n; n++) {
		char was = text.p[n];

		for (int c = 0; c < 256; c += 7) {
			text.p[n] = (char)c;
			if (sandbox_report_read(buf_str(&text), &back, &e) == 0 &&
			    (back.proved & ~back.held))
				ok(false, "byte %zu as %d contradicts itself", n, c);
		}
		text.p[n] = was;
	}
	ok(taken < 200, "most cut reports are refused (%u are whole lines)", taken);
}

static void
check_tables(void)
{
	size_t count;
	const struct landlock_level *levels = sandbox_landlock_levels(&count);
	uint64_t fs = 0;

	for (unsigned i = 0; i < LAYER_COUNT; i++) {
		ok(sandbox_layer_text((enum sandbox_layer)i)[0], "layer %s has a text",
		    sandbox_layer_name((enum sandbox_layer)i));
		for (unsigned k = 0; k < i; k++)
			if (strcmp(sandbox_layer_name((enum sandbox_layer)i),
				sandbox_layer_name((enum sandbox_layer)k)) == 0)
				ok(false, "a layer's name is used twice");
	}
	for (size_t i = 0; i < count; i++) {
		ok(levels[i].abi == i + 1 && (levels[i].fs & fs) == fs && levels[i].adds[0],
		    "Landlock ABI %u only adds", levels[i].abi);
		fs = levels[i].fs;
	}
	ok(sandbox_landlock_level(0) == NULL, "no row for no Landlock");
	ok(sandbox_landlock_level(99) == &levels[count - 1],
	    "a newer kernel counts as the newest known");
	for (size_t i = 0; i < PROFILE_COUNT; i++) {
		const struct sandbox_profile *p = &sandbox_profiles[i];

		ok(p->name && p->limit_count && p->want &&
			(p->want & LAYER_BIT(seccomp) ? p->filter && p->filter->count
						      : !p->filter),
		    "profile %s is filled in", p->name);
		ok((p->must & ~p->want) == 0, "profile %s insists only on what it wants",
		    p->name);
		ok(p->self_closing || !(p->want & LAYER_BIT(dumpable)),
		    "profile %s: only a program of ours can stay undumpable", p->name);
	}
}

int
main(void)
{
	check_marks();
	check_round_trip();
	check_hostile();
	check_damage();
	check_tables();
	return tap_done();
}
