/* SPDX-License-Identifier: MIT */
#include "sandbox/handoff.h"

void
handoff_write(const struct handoff *h, struct buf *out)
{
	buf_addf(out, HANDOFF_NAME "=%u %u", h->own_id ? 1U : 0U, h->need);
	for (size_t i = 0; i < LAYER_COUNT; i++)
		buf_addf(out, " %llu", (unsigned long long)h->outside.inode[i]);
	buf_addc(out, '\n');
	sandbox_report_write(&h->report, out);
}

static int
read_head(struct str head, struct handoff *h, struct err *e)
{
	uint64_t own, need;

	if (!str_u64(str_split(&head, ' '), 1, &own) ||
	    !str_u64(str_split(&head, ' '), LAYERS_ALL, &need))
		return err_set(e, ERR_PROTO, "%s does not start as it should", HANDOFF_NAME);
	h->own_id = own;
	h->need = (uint32_t)need;
	for (size_t i = 0; i < LAYER_COUNT; i++)
		if (!str_u64(str_split(&head, ' '), UINT64_MAX, &h->outside.inode[i]))
			return err_set(e, ERR_PROTO, "%s names too few namespaces",
			    HANDOFF_NAME);
	return 0;
}

int
handoff_take(struct handoff *ret_handoff, struct err *e)
{
	struct handoff h = { 0 };
	const char *text = getenv(HANDOFF_NAME);
	struct str rest = str_of(text);
	int r;

	if (!text)
		return err_set(e, ERR_NOTFOUND, "this process was not started by the launcher");
	r = read_head(str_split(&rest, '\n'), &h, e);
	if (r == 0)
		r = sandbox_report_read(rest, &h.report, e);
	unsetenv(HANDOFF_NAME);
	if (r == 0)
		*ret_handoff = h;
	return r;
}
