/* SPDX-License-Identifier: MIT */
/*
 * Bytes of the test's choice on the channel: "PIECE,PIECE,..." with PIECE = HEX or HEX*TIMES. A last
 * piece "quit" ends the process, "hang" waits for ever.
 */
#ifndef TESTS_HOSTILE_RAW_H
#define TESTS_HOSTILE_RAW_H

#include "base/buf.h"
#include "base/fd.h"

#include <unistd.h>

#define RAW_CHANNEL 3

static int
raw_digit(char c)
{
	return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

static inline void
raw_send(struct str order)
{
	struct err e;

	while (order.n) {
		auto_done(buf) struct buf all = buf_max(MiB(256)), one = buf_max(MiB(1));
		struct str piece = str_split(&order, ',');
		struct str hex = str_split(&piece, '*');
		uint64_t times = 1;

		if (str_eq(hex, STR("quit")))
			_exit(0);
		while (str_eq(hex, STR("hang")))
			pause();
		if (piece.n && !str_u64(piece, MiB(256), &times))
			_exit(8);
		for (size_t i = 0; i + 1 < hex.n; i += 2)
			buf_addc(&one,
			    (char)(raw_digit(hex.p[i]) << 4 | raw_digit(hex.p[i + 1])));
		while (times--)
			buf_add(&all, buf_str(&one));
		if (!buf_ok(&all) || fd_write_all(RAW_CHANNEL, buf_str(&all), &e) < 0)
			_exit(9);
	}
}

#endif
