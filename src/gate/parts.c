/* SPDX-License-Identifier: MIT */
/* Where the parts are kept, and the limits. */
#include "gate/parts.h"

#define BLOCK KiB(4)

struct gate_block {
	struct gate_block *next;
	size_t n, room;
	max_align_t bytes[];
};

void
parts_lose(struct reading *all)
{
	all->lost = true;
}

void *
parts_alloc(struct reading *all, size_t n)
{
	struct gate_block *b = all->parts->store;
	void *p;

	n = (n + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (!b || b->room - b->n < n) {
		size_t room = MAX(n, BLOCK);

		b = xmalloc(sizeof(*b) + room);
		*b = (struct gate_block){ .next = all->parts->store, .room = room };
		all->parts->store = b;
	}
	p = (char *)b->bytes + b->n;
	b->n += n;
	return p;
}

struct str
parts_keep(struct reading *all, struct str s)
{
	char *p;

	if (!s.n)
		return STR("");
	p = parts_alloc(all, s.n);
	memcpy(p, s.p, s.n);
	return (struct str){ p, s.n };
}

bool
parts_enter(struct reading *all)
{
	if (all->depth == GATE_DEPTH_MAX) {
		parts_lose(all);
		return false;
	}
	all->depth++;
	return !all->lost;
}

void
parts_leave(struct reading *all)
{
	all->depth--;
}

static void
push(struct gate_parts *parts, struct gate_command command)
{
	if (parts->n == parts->room) {
		parts->room = MAX(8, parts->room * 2);
		parts->list = xrealloc(parts->list, parts->room * sizeof(*parts->list));
	}
	parts->list[parts->n++] = command;
}

struct gate_command *
parts_add(struct reading *all, const struct gate_command *command)
{
	struct gate_command copy = *command;

	if (all->parts->n == GATE_PARTS_MAX) {
		parts_lose(all);
		return NULL;
	}
	if (copy.argv_n) {
		struct str *argv = parts_alloc(all, copy.argv_n * sizeof(*argv));

		memcpy(argv, command->argv, copy.argv_n * sizeof(*argv));
		copy.argv = argv;
	}
	if (copy.redirects_n) {
		struct gate_redirect *to = parts_alloc(all, copy.redirects_n * sizeof(*to));

		memcpy(to, command->redirects, copy.redirects_n * sizeof(*to));
		copy.redirects = to;
	}
	push(all->parts, copy);
	return &all->parts->list[all->parts->n - 1];
}

void
parts_flag(struct reading *all, unsigned flags)
{
	parts_add(all, &(struct gate_command){ .flags = flags });
}

void
draft_done(struct draft *d)
{
	free(d->argv);
	free(d->redirects);
	*d = (struct draft){ 0 };
}

void
draft_word(struct draft *d, struct str word)
{
	if (d->argv_n == d->argv_room) {
		d->argv_room = MAX(16, d->argv_room * 2);
		d->argv = xrealloc(d->argv, d->argv_room * sizeof(*d->argv));
	}
	d->argv[d->argv_n++] = word;
}

void
draft_redirect(struct draft *d, struct str target, bool write)
{
	if (d->redirects_n == d->redirects_room) {
		d->redirects_room = MAX(4, d->redirects_room * 2);
		d->redirects =
		    xrealloc(d->redirects, d->redirects_room * sizeof(*d->redirects));
	}
	d->redirects[d->redirects_n++] = (struct gate_redirect){ target, write };
	d->flags |= COMMAND_REDIRECTION;
}

/* ---- the whole ---- */

/* Whether a part may change the folder in which the others run. */
static bool
moves(const struct gate_command *c)
{
	static const struct str movers[] = { STR("cd"), STR("chdir"), STR("pushd"), STR("popd"),
		STR("chroot") };

	if (c->flags & (COMMAND_WRAPPER | COMMAND_UNCLEAR) || (c->argv_n && !c->argv[0].p))
		return true;
	for (size_t i = 0; c->argv_n && i < COUNT(movers); i++) {
		if (str_eq(c->argv[0], movers[i]))
			return true;
	}
	return false;
}

/* Relative names mean nothing certain once the folder may be another, loops included. */
static void
settle_targets(struct gate_parts *parts)
{
	bool moved = false;

	for (size_t i = 0; i < parts->n && !moved; i++)
		moved = moves(&parts->list[i]);
	for (size_t i = 0; i < parts->n && moved; i++) {
		struct gate_command *c = &parts->list[i];
		/* The copy is ours, see parts_add. */
		struct gate_redirect *to = (struct gate_redirect *)(uintptr_t)c->redirects;

		for (size_t k = 0; k < c->redirects_n; k++) {
			if (!to[k].target.n || to[k].target.p[0] != '/')
				to[k].target = (struct str){ NULL, 0 };
		}
	}
}

static void
finish(struct reading *all)
{
	struct gate_parts *parts = all->parts;

	/* One more than the limit, so that it is there in any case. */
	if (all->lost || !parts->n)
		push(parts, (struct gate_command){ .flags = COMMAND_UNCLEAR });
	settle_targets(parts);
}

void
gate_line_parse(struct str line, struct gate_parts *ret_parts)
{
	struct reading all = { .parts = ret_parts };

	*ret_parts = (struct gate_parts){ 0 };
	/* No argument can hold a NUL, so the shell would get something else. */
	if (line.n > GATE_LINE_MAX || (line.n && memchr(line.p, '\0', line.n)))
		all.lost = true;
	else
		line_read(&all, line);
	finish(&all);
}

void
gate_argv_parse(const struct str *argv, size_t n, struct gate_parts *ret_parts)
{
	struct reading all = { .parts = ret_parts };
	struct draft d = { 0 };
	size_t bytes = 0;

	*ret_parts = (struct gate_parts){ 0 };
	for (size_t i = 0; i < n && !all.lost; i++) {
		bytes += argv[i].n + 1;
		if (bytes > GATE_LINE_MAX || (argv[i].n && memchr(argv[i].p, '\0', argv[i].n)))
			all.lost = true;
		else
			draft_word(&d, parts_keep(&all, argv[i]));
	}
	if (!all.lost && n)
		wrapper_add(&all, &(struct gate_command){ .argv = d.argv, .argv_n = n });
	draft_done(&d);
	finish(&all);
}

void
gate_parts_done(struct gate_parts *parts)
{
	free(parts->list);
	while (parts->store) {
		struct gate_block *next = parts->store->next;

		free(parts->store);
		parts->store = next;
	}
	*parts = (struct gate_parts){ 0 };
}
