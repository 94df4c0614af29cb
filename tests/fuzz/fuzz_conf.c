/* SPDX-License-Identifier: MIT */
/* A configuration file; the first byte says whose. */
#include "conf/conf.h"
#include "fuzz.h"

static int
same(const struct conf *a, const struct conf *b)
{
	for (int o = 0; o < OPT_COUNT; o++) {
		if (a->value[o] != b->value[o] || a->set[o] != b->set[o])
			return 0;
	}
	return 1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	enum conf_layer layer = n && bytes[0] == 'p' ? CONF_PROJECT : CONF_USER;
	auto_done(buf) struct buf notices = buf_max(KiB(64));
	struct str text = { (const char *)bytes + (n > 0), n - (n > 0) };
	struct conf conf, before;
	struct err e;
	int r;

	conf_defaults(&conf);
	conf_defaults(&before);
	r = conf_apply(&conf, text, "file", layer, &notices, &e);
	must(r == 0 || r == -ERR_INVALID || r == -ERR_LIMIT);
	must(r == 0 || (same(&conf, &before) && strncmp(e.text, "file", 4) == 0));
	for (int o = 0; o < OPT_COUNT; o++) {
		must(conf.value[o] >= option_specs[o].least &&
		     conf.value[o] <= option_specs[o].most);
		must(conf.set[o] || conf.value[o] == option_specs[o].fallback);
		must(layer == CONF_USER || conf.value[o] <= option_specs[o].fallback);
		must(layer == CONF_USER || !conf.set[o] ||
		     option_specs[o].project == PROJECT_LOWER);
	}
	return 0;
}
