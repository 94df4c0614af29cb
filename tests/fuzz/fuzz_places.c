/* SPDX-License-Identifier: MIT */
/* Pairs of offsets as they come out of the compiler's VM, and a line and a column: any bytes. */
#include "fuzz.h"
#include "js/places.h"

#define HEAD 12 /* line, column, the pairs' size, the code's */

static uint32_t
number(const uint8_t *bytes, size_t at, size_t n)
{
	uint32_t value = 0;

	memcpy(&value, bytes + at, n);
	return value;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	auto_done(buf) struct buf pairs = buf_max(PLACES_MAX);
	struct str rest, given, code;
	uint32_t before = 0;
	struct place place;

	if (n < HEAD)
		return 0;
	rest = (struct str){ (const char *)bytes + HEAD, n - HEAD };
	given = (struct str){ rest.p, MIN(number(bytes, 8, 2), rest.n) };
	rest = str_from(rest, given.n);
	code = (struct str){ rest.p, MIN(number(bytes, 10, 2), rest.n) };
	rest = str_from(rest, code.n);
	places_read(given, code, rest, &pairs);
	for (size_t at = 0; at < pairs.n; at += sizeof(struct place_pair)) {
		struct place_pair pair;

		memcpy(&pair, pairs.p + at, sizeof(pair));
		must(pair.code >= before && pair.code <= code.n && pair.source <= rest.n);
		before = pair.code;
	}
	/* The same bytes as mappings. */
	buf_reset(&pairs);
	before = 0;
	places_decode(given, code, rest, &pairs);
	for (size_t at = 0; at < pairs.n; at += sizeof(struct place_pair)) {
		struct place_pair pair;

		memcpy(&pair, pairs.p + at, sizeof(pair));
		must(pair.code >= before && pair.code <= code.n && pair.source <= rest.n);
		before = pair.code;
	}
	place =
	    places_find(buf_str(&pairs), code, rest, number(bytes, 0, 4), number(bytes, 4, 4));
	must(place.line >= 1 && place.line <= rest.n + 1);
	must(place.column >= 1 && place.column <= rest.n + 1);
	return 0;
}
