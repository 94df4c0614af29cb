/* SPDX-License-Identifier: MIT */
#include "conf/conf.h"

#include "ipc/limits.h"

#include "tap.h"

#include <ctype.h>

static struct err e;

/* A key and its value as nested objects. */
static void
nest(struct str key, const char *value, struct buf *ret_text)
{
	unsigned depth = 0;

	while (key.n) {
		struct str name = str_split(&key, '.');

		buf_addf(ret_text, "{\"%.*s\":", STR_ARG(name));
		depth++;
	}
	buf_add(ret_text, str_of(value));
	while (depth-- > 0)
		buf_addc(ret_text, '}');
}

static int
apply(struct conf *conf, const char *text, enum conf_layer layer, struct buf *notices)
{
	return conf_apply(conf, str_of(text), "file.json", layer, notices, &e);
}

static int
apply_key(struct conf *conf, const char *key, const char *value, enum conf_layer layer,
    struct buf *notices)
{
	auto_done(buf) struct buf text = buf_max(KiB(4));

	nest(str_of(key), value, &text);
	return apply(conf, buf_text(&text), layer, notices);
}

static bool
same(const struct conf *a, const struct conf *b)
{
	for (int o = 0; o < OPT_COUNT; o++) {
		if (a->value[o] != b->value[o] || a->set[o] != b->set[o])
			return false;
	}
	return true;
}

/* ---- the table ---- */

static bool
key_is_written_well(const char *key)
{
	if (!islower((unsigned char)key[0]))
		return false;
	for (const char *p = key; *p; p++) {
		if (!isalnum((unsigned char)*p) && (*p != '.' || !islower((unsigned char)p[1])))
			return false;
	}
	return strlen(key) < 100;
}

static unsigned
words_in(const char *words)
{
	struct str rest = str_of(words);
	unsigned n = 0;

	for (; rest.n; n++)
		str_split(&rest, ' ');
	return n;
}

static void
table_walk(void)
{
	for (int o = 0; o < OPT_COUNT; o++) {
		const struct option_spec *spec = &option_specs[o];
		bool unique = true, alone = true;

		for (int other = 0; other < OPT_COUNT; other++) {
			const char *key = option_specs[other].key;

			unique = unique && (other == o || strcmp(key, spec->key) != 0);
			/* No key is also the folder of another. */
			alone = alone && !(strncmp(key, spec->key, strlen(spec->key)) == 0 &&
					     key[strlen(spec->key)] == '.');
		}
		ok(unique && alone && key_is_written_well(spec->key), "%s: a key of its own",
		    spec->key);
		ok(spec->least <= spec->fallback && spec->fallback <= spec->most,
		    "%s: its value without a file is allowed", spec->key);
		ok(spec->kind != OPTION_SWITCH || (spec->least == 0 && spec->most == 1),
		    "%s: a switch is on or off", spec->key);
		ok(spec->kind == OPTION_WORD
			? words_in(spec->words) == spec->most + 1 && spec->least == 0
			: !*spec->words,
		    "%s: words for each of its values", spec->key);
	}
}

static void
defaults(void)
{
	auto_done(conf) struct conf conf = { 0 };
	bool good = true;

	memset(&conf, 0xee, sizeof(conf));
	conf_defaults(&conf);
	for (int o = 0; o < OPT_COUNT; o++)
		good = good && conf.value[o] == option_specs[o].fallback && !conf.set[o];
	ok(good, "defaults are what the table says");
	is_int(apply(&conf, "{}", CONF_USER, &(struct buf){ 0 }), 0, "an empty object");
	for (int o = 0; o < OPT_COUNT; o++)
		good = good && !conf.set[o];
	ok(good, "sets nothing");
	is_int(apply(&conf, "{\"forge\":{\"javascript\":{}}}", CONF_USER, &(struct buf){ 0 }),
	    0, "neither do empty ones inside");
}

/* ---- values ---- */

static void
accepts(enum option o, const char *value, uint64_t want)
{
	auto_done(buf) struct buf notices = buf_max(KiB(1));
	auto_done(conf) struct conf conf = { 0 };

	conf_defaults(&conf);
	ok(apply_key(&conf, option_specs[o].key, value, CONF_USER, &notices) == 0 &&
		conf.value[o] == want && conf.set[o] && notices.n == 0,
	    "%s takes %s", option_specs[o].key, value);
	for (int other = 0; other < OPT_COUNT; other++) {
		if (other != (int)o &&
		    (conf.set[other] || conf.value[other] != option_specs[other].fallback))
			ok(false, "and leaves %s alone", option_specs[other].key);
	}
}

static void
refuses(enum option o, const char *value)
{
	auto_done(buf) struct buf notices = buf_max(KiB(1));
	auto_done(conf) struct conf conf = { 0 };
	struct conf before;

	conf_defaults(&conf);
	conf_defaults(&before);
	ok(apply_key(&conf, option_specs[o].key, value, CONF_USER, &notices) == -ERR_INVALID &&
		strstr(e.text, "file.json") && strstr(e.text, option_specs[o].key),
	    "%s does not take %s: %s", option_specs[o].key, value, e.text);
	ok(same(&conf, &before), "and nothing changes");
}

static const char *const no_values[] = { "null", "\"1\"", "\"\"", "[]", "[1]", "[1,2,3,4]",
	"[1,2,3,4,5,6]", "{\"a\":1}", "{}", "1.0", "1e2", "0.5", "-1", "-0",
	"18446744073709551616", "1e300", "\"true\"", "\"on\"" };

static void
number_edges(enum option o)
{
	const struct option_spec *spec = &option_specs[o];
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)spec->least);
	accepts(o, text, spec->least);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)spec->most);
	accepts(o, text, spec->most);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)spec->most + 1);
	refuses(o, text);
	if (spec->least) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)spec->least - 1);
		refuses(o, text);
	}
	refuses(o, "18446744073709551615");
	refuses(o, "true");
}

static void
word_edges(enum option o)
{
	for (uint64_t v = option_specs[o].least; v <= option_specs[o].most; v++) {
		char text[80];

		snprintf(text, sizeof(text), "\"%.*s\"", STR_ARG(conf_word(o, v)));
		accepts(o, text, v);
		snprintf(text, sizeof(text), "\"%.*sx\"", STR_ARG(conf_word(o, v)));
		refuses(o, text);
		snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
		refuses(o, text);
	}
	is_int(conf_word(o, option_specs[o].most + 1).n, 0, "there is no word behind the last");
	refuses(o, "\" \"");
	refuses(o, "true");
}

static void
values(void)
{
	for (int o = 0; o < OPT_COUNT; o++) {
		switch (option_specs[o].kind) {
		case OPTION_NUMBER:
			number_edges((enum option)o);
			break;
		case OPTION_SWITCH:
			accepts((enum option)o, "true", 1);
			accepts((enum option)o, "false", 0);
			refuses((enum option)o, "1");
			break;
		case OPTION_WORD:
			word_edges((enum option)o);
			break;
		case OPTION_LIST:
			accepts((enum option)o, "[]", 0);
			accepts((enum option)o, "[1,{}]", 0);
			refuses((enum option)o, "{}");
			continue;
		case OPTION_TEXT:
			accepts((enum option)o, "\"a\"", 0);
			refuses((enum option)o, "1");
			continue;
		}
		for (size_t i = 0; i < COUNT(no_values); i++)
			refuses((enum option)o, no_values[i]);
	}
}

/* ---- keys ---- */

static void
suggests(void)
{
	for (int o = 0; o < OPT_COUNT; o++) {
		char key[128];
		auto_done(conf) struct conf conf = { 0 };

		snprintf(key, sizeof(key), "%s", option_specs[o].key);
		key[strlen(key) - 1] = key[strlen(key) - 1] == 'x' ? 'y' : 'x';
		conf_defaults(&conf);
		ok(apply_key(&conf, key, "1", CONF_USER, &(struct buf){ 0 }) == -ERR_INVALID &&
			strstr(e.text, key) && strstr(e.text, option_specs[o].key),
		    "%s", e.text);
	}
}

static const struct {
	const char *what, *text;
	int result;
	const char *named; /* in the error */
} files[] = {
	{ "no JSON", "nonsense", -ERR_INVALID, "line 1" },
	{ "nothing", "", -ERR_INVALID, "file.json" },
	{ "a list", "[]", -ERR_INVALID, "object" },
	{ "a string", "\"x\"", -ERR_INVALID, "object" },
	{ "null", "null", -ERR_INVALID, "object" },
	{ "comments", "{} // x", -ERR_INVALID, "line 1" },
	{ "a comma too many", "{\"schemaVersion\":1,}", -ERR_INVALID, "line 1" },
	{ "an unknown key", "{\"nothingLikeIt\":1}", -ERR_INVALID, "nothingLikeIt" },
	{ "an unknown key inside", "{\"forge\":{\"nothingLikeIt\":1}}", -ERR_INVALID,
	    "forge.nothingLikeIt" },
	{ "an empty name", "{\"\":1}", -ERR_INVALID, "no key" },
	{ "an empty name inside", "{\"forge\":{\"\":{}}}", -ERR_INVALID, "no key" },
	{ "a value for a folder", "{\"forge\":1}", -ERR_INVALID, "forge takes an object" },
	{ "a list for a folder", "{\"forge\":[]}", -ERR_INVALID, "forge takes an object" },
	{ "null for a folder", "{\"forge\":{\"javascript\":null}}", -ERR_INVALID,
	    "forge.javascript takes an object" },
	{ "an object for a value", "{\"schemaVersion\":{}}", -ERR_INVALID, "schemaVersion" },
	{ "deeper than any key", "{\"schemaVersion\":{\"a\":{\"b\":1}}}", -ERR_INVALID,
	    "schemaVersion" },
	{ "deeper below a folder", "{\"forge\":{\"javascript\":{\"enabled\":{\"x\":1}}}}",
	    -ERR_INVALID, "enabled" },
	{ "a key twice", "{\"schemaVersion\":1,\"schemaVersion\":1}", -ERR_INVALID,
	    "schemaVersion" },
	{ "a folder twice", "{\"forge\":{},\"forge\":{}}", -ERR_INVALID, "forge" },
	{ "a key twice in other letters", "{\"schemaVersion\":1,\"schema\\u0056ersion\":1}",
	    -ERR_INVALID, "schemaVersion" },
	{ "a key with dots", "{\"forge.javascript.enabled\":true}", -ERR_INVALID,
	    "no key 'forge.javascript.enabled'" },
	{ "a folder with dots", "{\"forge.javascript\":{\"enabled\":true}}", -ERR_INVALID,
	    "forge.javascript" },
	{ "a key with a NUL", "{\"schemaVersion\\u0000\":1}", -ERR_INVALID, "schemaVersion" },
	{ "a key with a NUL and more", "{\"schemaVersion\\u0000x\":1}", -ERR_INVALID,
	    "schemaVersion" },
	{ "a folder with a NUL", "{\"forge\\u0000\":{\"javascript\":{\"enabled\":true}}}",
	    -ERR_INVALID, "forge" },
	{ "another case", "{\"schemaversion\":1}", -ERR_INVALID, "did you mean schemaVersion" },
	{ "a blank behind a key", "{\"schemaVersion \":1}", -ERR_INVALID,
	    "did you mean schemaVersion" },
	{ "a prefix of a key", "{\"schema\":1}", -ERR_INVALID, "schema" },
	{ "another version", "{\"schemaVersion\":2}", -ERR_INVALID, "schemaVersion" },
	{ "a number out of any range", "{\"schemaVersion\":1e400}", -ERR_INVALID, "line 1" },
	{ "a surrogate", "{\"\\ud800\":1}", -ERR_INVALID, "file.json" },
};

static void
wrong_files(void)
{
	for (size_t i = 0; i < COUNT(files); i++) {
		auto_done(conf) struct conf conf = { 0 };
		struct conf before;

		conf_defaults(&conf);
		conf_defaults(&before);
		ok(apply(&conf, files[i].text, CONF_USER, &(struct buf){ 0 }) ==
			    files[i].result &&
			strstr(e.text, files[i].named) && strstr(e.text, "file.json"),
		    "%s: %s", files[i].what, e.text);
		ok(same(&conf, &before), "leaves all as it was");
	}
}

static void
sizes(void)
{
	auto_done(buf) struct buf text = buf_max(MiB(1));
	auto_done(conf) struct conf conf = { 0 };

	conf_defaults(&conf);
	buf_add(&text, STR("{\"schemaVersion\":1"));
	while (text.n + 1 < CONFIG_MAX)
		buf_addc(&text, ' ');
	buf_addc(&text, '}');
	is_int(apply(&conf, buf_text(&text), CONF_USER, &(struct buf){ 0 }), 0,
	    "a file as large as may be");
	buf_addc(&text, ' ');
	is_int(apply(&conf, buf_text(&text), CONF_USER, &(struct buf){ 0 }), -ERR_LIMIT,
	    "a byte more");
	buf_reset(&text);
	for (int i = 0; i < 70; i++)
		buf_add(&text, STR("{\"forge\":"));
	buf_addc(&text, '1');
	for (int i = 0; i < 70; i++)
		buf_addc(&text, '}');
	is_int(apply(&conf, buf_text(&text), CONF_USER, &(struct buf){ 0 }), -ERR_LIMIT,
	    "a deep one");
	buf_reset(&text);
	buf_add(&text, STR("{\""));
	for (int i = 0; i < 100000; i++)
		buf_addc(&text, 'k');
	buf_add(&text, STR("\":1}"));
	is_int(apply(&conf, buf_text(&text), CONF_USER, &(struct buf){ 0 }), -ERR_INVALID,
	    "a long name");
	ok(strlen(e.text) < ERR_TEXT_MAX, "%.60s", e.text);
}

static void
all_or_nothing(void)
{
	auto_done(conf) struct conf conf = { 0 };

	conf_defaults(&conf);
	is_int(apply(&conf, "{\"forge\":{\"javascript\":{\"timeoutMs\":5,\"cpuMs\":\"x\"}}}",
		   CONF_USER, &(struct buf){ 0 }),
	    -ERR_INVALID, "a good value and then a bad one");
	is_int(conf.value[OPT_js_timeout_ms], option_specs[OPT_js_timeout_ms].fallback,
	    "neither counts");
	is_int(apply(&conf, "{\"forge\":{\"javascript\":{\"timeoutMs\":5,\"cpuMs\":6}}}",
		   CONF_USER, &(struct buf){ 0 }),
	    0, "two good ones");
	ok(conf.value[OPT_js_timeout_ms] == 5 && conf.value[OPT_js_cpu_ms] == 6, "both count");
	is_int(apply(&conf, "{\"forge\":{\"javascript\":{\"timeoutMs\":7}}}", CONF_USER,
		   &(struct buf){ 0 }),
	    0, "another file of the person's own");
	ok(conf.value[OPT_js_timeout_ms] == 7 && conf.value[OPT_js_cpu_ms] == 6,
	    "changes what it names");
}

/* ---- a project's file ---- */

static void
project_may(enum option o, uint64_t value, bool may)
{
	const struct option_spec *spec = &option_specs[o];
	auto_done(buf) struct buf notices = buf_max(KiB(1));
	auto_done(conf) struct conf conf = { 0 };
	char text[80];

	conf_defaults(&conf);
	if (spec->kind == OPTION_NUMBER)
		snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	else if (spec->kind == OPTION_SWITCH)
		snprintf(text, sizeof(text), "%s", value ? "true" : "false");
	else
		snprintf(text, sizeof(text), "\"%.*s\"", STR_ARG(conf_word(o, value)));
	ok(apply_key(&conf, spec->key, text, CONF_PROJECT, &notices) == 0 &&
		conf.value[o] == (may ? value : spec->fallback) && conf.set[o] == may,
	    "a project %s set %s to %s", may ? "may" : "may not", spec->key, text);
	ok(may == (notices.n == 0) && (may || (strstr(buf_text(&notices), spec->key) &&
						  strchr(buf_text(&notices), '\n'))),
	    "%.*s", (int)strcspn(buf_text(&notices), "\n"),
	    notices.n ? buf_text(&notices) : "without a notice");
}

static void
projects(void)
{
	for (int o = 0; o < OPT_COUNT; o++) {
		const struct option_spec *spec = &option_specs[o];
		bool lowers = spec->project == PROJECT_LOWER;

		if (spec->kind == OPTION_LIST || spec->kind == OPTION_TEXT)
			continue;
		project_may((enum option)o, spec->least, lowers);
		project_may((enum option)o, spec->fallback, lowers);
		if (spec->most > spec->fallback)
			project_may((enum option)o, spec->most, false);
	}
}

static void
projects_cannot_raise_what_the_person_lowered(void)
{
	auto_done(buf) struct buf notices = buf_max(KiB(1));
	auto_done(conf) struct conf conf = { 0 };

	conf_defaults(&conf);
	is_int(apply(&conf,
		   "{\"forge\":{\"javascript\":{\"timeoutMs\":1000,\"enabled\":false}}}",
		   CONF_USER, &notices),
	    0, "the person's file");
	is_int(apply(&conf,
		   "{\"forge\":{\"javascript\":{\"timeoutMs\":1001,\"enabled\":true,\"cpuMs\":"
		   "5,\"memoryBytes\":1048576}}}",
		   CONF_PROJECT, &notices),
	    0, "a project's");
	ok(conf.value[OPT_js_timeout_ms] == 1000 && !conf.value[OPT_js_enabled] &&
		conf.value[OPT_js_cpu_ms] == 5,
	    "only lowers");
	is_int(conf.value[OPT_js_memory_bytes], option_specs[OPT_js_memory_bytes].fallback,
	    "where it may");
	ok(strstr(buf_text(&notices), "timeoutMs") && strstr(buf_text(&notices), "enabled") &&
		strstr(buf_text(&notices), "memoryBytes") &&
		!strstr(buf_text(&notices), "cpuMs"),
	    "what is left out is told");
	is_int(apply(&conf, "{\"forge\":{\"javascript\":{\"timeoutMs\":0}}}", CONF_PROJECT,
		   &notices),
	    -ERR_INVALID, "a wrong value is wrong in a project too");
	is_int(apply(&conf, "{\"forge\":{\"javascript\":{\"host\":\"nowhere\"}}}", CONF_PROJECT,
		   &notices),
	    -ERR_INVALID, "also where it would not count");
}

static void
lists_add_up(void)
{
	auto_done(buf) struct buf notices = buf_max(KiB(1)), out = buf_max(KiB(64)),
				  text = buf_max(64);
	struct conf conf;

	conf_defaults(&conf);
	is_int(apply(&conf,
		   "{\"additionalDirectories\":[\"/a\"],\"forge\":{\"scratch\":{\"root\":\"/"
		   "x\"}}}",
		   CONF_USER, &notices),
	    0, "the person's file");
	is_int(apply(&conf,
		   "{\"additionalDirectories\":[\"/b\"],\"forge\":{\"scratch\":{\"root\":\"/"
		   "y\"}}}",
		   CONF_PROJECT, &notices),
	    0, "a project's");
	is_int(apply(&conf, "{\"additionalDirectories\":[\"/c\"],\"schemaVersion\":2}",
		   CONF_USER, &notices),
	    -ERR_INVALID, "a file with an error");
	ok(conf.lists && conf.lists->layer == CONF_USER && conf.lists->next,
	    "each knows its file's layer");
	conf_write(&conf, &out);
	ok(strstr(buf_text(&out), "\"value\":[\"/a\",\"/b\"]"),
	    "lists add up, in order, without those of a wrong file");
	conf_text(&conf, OPT_scratch_root, &text);
	is_str(buf_text(&text), "/x", "a text that only the person may set");
	ok(strstr(buf_text(&notices), "scratch.root"), "and is told to who may not");
	conf_done(&conf);
	ok(!conf.lists, "all is given back");
}

int
main(void)
{
	lists_add_up();
	table_walk();
	defaults();
	values();
	suggests();
	wrong_files();
	sizes();
	all_or_nothing();
	projects();
	projects_cannot_raise_what_the_person_lowered();
	return tap_done();
}
