/* SPDX-License-Identifier: MIT */
#include "base/id.h"

#include "base/clock.h"

#include "tap.h"

#define IDS 2000

static void
new_ones(void)
{
	static char ids[IDS][ID_SIZE];
	unsigned invalid = 0, twice = 0, disorder = 0;

	for (size_t i = 0; i < IDS; i++) {
		id_new(ids[i]);
		invalid += !id_valid(str_of(ids[i]));
		disorder += i && memcmp(ids[i - 1], ids[i], 10) > 0;
		for (size_t k = 0; k < i; k++)
			twice += strcmp(ids[i], ids[k]) == 0;
	}
	is_int(invalid, 0, "every new id is one");
	is_int(twice, 0, "none comes twice");
	ok(disorder < 2, "they sort by time, but for a clock that is set back");
	ok(ids[0][0] == '0', "%s is of this age", ids[0]);
}

static void
valid_ones(void)
{
	static const struct {
		const char *text;
		bool valid;
	} rows[] = {
		{ "01ARZ3NDEKTSV4RRFFQ69G5FAV", true },
		{ "00000000000000000000000000", true },
		{ "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", true },
		{ "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", false },
		{ "01ARZ3NDEKTSV4RRFFQ69G5FA", false },
		{ "01ARZ3NDEKTSV4RRFFQ69G5FAVX", false },
		{ "01arz3ndektsv4rrffq69g5fav", false },
		{ "01ARZ3NDEKTSV4RRFFQ69G5FAI", false },
		{ "01ARZ3NDEKTSV4RRFFQ69G5FAL", false },
		{ "01ARZ3NDEKTSV4RRFFQ69G5FAO", false },
		{ "01ARZ3NDEKTSV4RRFFQ69G5FAU", false },
		{ "01ARZ3NDEKTSV4RRFFQ69G5FA ", false },
		{ "01ARZ3NDEKTSV4RRFFQ69G5F/.", false },
		{ "", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		ok(id_valid(str_of(rows[i].text)) == rows[i].valid, "'%s' is%s one",
		    rows[i].text, rows[i].valid ? "" : " not");
	ok(!id_valid((struct str){ "01ARZ3NDEKTSV4RRFFQ69G5FA\0", 26 }),
	    "nor is one with a NUL");
	ok(!id_valid((struct str){ NULL, 0 }), "nor is none");
}

int
main(void)
{
	new_ones();
	valid_ones();
	return tap_done();
}
