/* SPDX-License-Identifier: MIT */
#include "sandbox/report.h"

#include <stdarg.h>
#include <stdio.h>

#define MAGIC     "walls 1"
#define ERRNO_MAX 4095
#define ABI_MAX   255

static const struct {
	const char *name;
	const char *text;
} layers[LAYER_COUNT] = {
#define LAYER(name, text) [LAYER_##name] = { #name, text },
#include "sandbox/layer.def"
#undef LAYER
};

static const char *const modes[SANDBOX_MODE_COUNT] = {
	[SANDBOX_BARE] = "bare",
	[SANDBOX_ROOT] = "root",
	[SANDBOX_USERNS] = "userns",
};

const char *
sandbox_layer_name(enum sandbox_layer layer)
{
	return (unsigned)layer < LAYER_COUNT ? layers[layer].name : "unknown";
}

const char *
sandbox_layer_text(enum sandbox_layer layer)
{
	return (unsigned)layer < LAYER_COUNT ? layers[layer].text : "unknown";
}

const char *
sandbox_mode_name(enum sandbox_mode mode)
{
	return (unsigned)mode < SANDBOX_MODE_COUNT ? modes[mode] : "unknown";
}

/* Reports carry printable ASCII alone, so that they can be shown and parsed anywhere. */
static void
clean(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

void
report_hold(struct sandbox_report *r, enum sandbox_layer layer)
{
	r->held |= 1U << layer;
	r->why[layer] = (struct sandbox_why){ 0 };
}

void
report_lack(struct sandbox_report *r, enum sandbox_layer layer, int sys, const char *format,
    ...)
{
	struct sandbox_why *why = &r->why[layer];
	va_list ap;

	r->held &= ~(1U << layer);
	r->proved &= ~(1U << layer);
	why->sys = sys < 0 || sys > ERRNO_MAX ? 0 : sys;
	va_start(ap, format);
	vsnprintf(why->text, sizeof(why->text), format, ap);
	va_end(ap);
	clean(why->text);
}

void
report_prove(struct sandbox_report *r, enum sandbox_layer layer, bool stood,
    const char *attempt)
{
	if (!stood)
		report_lack(r, layer, 0, "it did not stop: %s", attempt);
	else if (r->held & (1U << layer))
		r->proved |= 1U << layer;
}

void
sandbox_layers_write(uint32_t set, struct buf *out)
{
	bool first = true;

	for (unsigned i = 0; i < LAYER_COUNT; i++) {
		if (!(set & (1U << i)))
			continue;
		if (!first)
			buf_addc(out, ' ');
		buf_add(out, str_of(layers[i].name));
		first = false;
	}
}

static void
write_set(struct buf *out, const char *key, uint32_t set)
{
	buf_addf(out, "%s ", key);
	sandbox_layers_write(set, out);
	buf_addc(out, '\n');
}

void
sandbox_report_write(const struct sandbox_report *r, struct buf *out)
{
	buf_addf(out, MAGIC "\nmode %s\n", sandbox_mode_name(r->mode));
	write_set(out, "want", r->want);
	write_set(out, "held", r->held);
	write_set(out, "proved", r->proved);
	buf_addf(out, "landlock %u %llu %llu %llu\nfilter %u\n", r->landlock_abi,
	    (unsigned long long)r->landlock_fs, (unsigned long long)r->landlock_net,
	    (unsigned long long)r->landlock_scope, r->filter_len);
	for (unsigned i = 0; i < LAYER_COUNT; i++)
		if (r->why[i].text[0])
			buf_addf(out, "why %s %d %s\n", layers[i].name, r->why[i].sys,
			    r->why[i].text);
}

static bool
read_layer(struct str name, unsigned *ret_layer)
{
	for (unsigned i = 0; i < LAYER_COUNT; i++) {
		if (str_eq(name, str_of(layers[i].name))) {
			*ret_layer = i;
			return true;
		}
	}
	return false;
}

static bool
read_set(struct str rest, uint32_t *ret_set)
{
	uint32_t set = 0;

	while (rest.n) {
		unsigned layer;

		if (!read_layer(str_split(&rest, ' '), &layer) || (set & (1U << layer)))
			return false;
		set |= 1U << layer;
	}
	*ret_set = set;
	return true;
}

static bool
read_numbers(struct str rest, uint64_t *ret_values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!str_u64(str_split(&rest, ' '), UINT64_MAX, &ret_values[i]))
			return false;
	return rest.n == 0;
}

static bool
read_mode(struct str rest, struct sandbox_report *r)
{
	for (unsigned i = 0; i < SANDBOX_MODE_COUNT; i++) {
		if (str_eq(rest, str_of(modes[i]))) {
			r->mode = (enum sandbox_mode)i;
			return true;
		}
	}
	return false;
}

static bool
read_want(struct str rest, struct sandbox_report *r)
{
	return read_set(rest, &r->want);
}

static bool
read_held(struct str rest, struct sandbox_report *r)
{
	return read_set(rest, &r->held);
}

static bool
read_proved(struct str rest, struct sandbox_report *r)
{
	return read_set(rest, &r->proved);
}

static bool
read_landlock(struct str rest, struct sandbox_report *r)
{
	uint64_t v[4];

	if (!read_numbers(rest, v, COUNT(v)) || v[0] > ABI_MAX)
		return false;
	r->landlock_abi = (unsigned)v[0];
	r->landlock_fs = v[1];
	r->landlock_net = v[2];
	r->landlock_scope = v[3];
	return true;
}

static bool
read_filter(struct str rest, struct sandbox_report *r)
{
	uint64_t n;

	if (!str_u64(rest, UINT16_MAX, &n))
		return false;
	r->filter_len = (unsigned)n;
	return true;
}

static bool
read_why(struct str rest, struct sandbox_report *r)
{
	struct str name = str_split(&rest, ' ');
	struct str number = str_split(&rest, ' ');
	uint64_t sys;
	unsigned layer;

	if (!read_layer(name, &layer) || !str_u64(number, ERRNO_MAX, &sys))
		return false;
	if (r->why[layer].text[0] || rest.n == 0 || rest.n >= SANDBOX_WHY_MAX)
		return false;
	r->why[layer].sys = (int)sys;
	memcpy(r->why[layer].text, rest.p, rest.n);
	return true;
}

static const struct {
	const char *key;
	bool (*read)(struct str rest, struct sandbox_report *r);
	bool repeats;
} keys[] = {
	{ "mode", read_mode, false },
	{ "want", read_want, false },
	{ "held", read_held, false },
	{ "proved", read_proved, false },
	{ "landlock", read_landlock, false },
	{ "filter", read_filter, false },
	{ "why", read_why, true },
};

static bool
read_line(struct str line, unsigned *seen, struct sandbox_report *r)
{
	struct str key = str_split(&line, ' ');

	for (size_t i = 0; i < COUNT(keys); i++) {
		if (!str_eq(key, str_of(keys[i].key)))
			continue;
		if ((*seen & (1U << i)) && !keys[i].repeats)
			return false;
		*seen |= 1U << i;
		return keys[i].read(line, r);
	}
	return false;
}

static bool
printable(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if ((text.p[i] < ' ' || text.p[i] > '~') && text.p[i] != '\n')
			return false;
	return true;
}

int
sandbox_report_read(struct str text, struct sandbox_report *ret_report, struct err *e)
{
	struct sandbox_report r = { 0 };
	unsigned once = 0, seen = 0;
	int line = 1;

	if (text.n > SANDBOX_REPORT_MAX || !printable(text))
		return err_set(e, ERR_PROTO, "a report of walls that is no text of ours");
	if (!str_eq(str_split(&text, '\n'), STR(MAGIC)))
		return err_set(e, ERR_PROTO, "a report of walls without its first line");
	while (text.n) {
		line++;
		if (!read_line(str_split(&text, '\n'), &seen, &r))
			return err_set(e, ERR_PROTO, "a report of walls with a bad line %d",
			    line);
	}
	for (size_t i = 0; i < COUNT(keys); i++)
		once |= keys[i].repeats ? 0 : 1U << i;
	if ((seen & once) != once || (r.proved & ~r.held))
		return err_set(e, ERR_PROTO,
		    "a report of walls that is incomplete or contradicts itself");
	*ret_report = r;
	return 0;
}
