/* SPDX-License-Identifier: MIT */
#include "base/id.h"

#include "base/clock.h"

#include <sys/random.h>

static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

void
id_new(char ret_id[static ID_SIZE])
{
	uint64_t ms = clock_wall() / NS_PER_MS;
	unsigned char chance[16];

	if (getrandom(chance, sizeof(chance), 0) != (ssize_t)sizeof(chance))
		abort();
	for (int i = 9; i >= 0; i--) {
		ret_id[i] = alphabet[ms & 31];
		ms >>= 5;
	}
	for (size_t i = 0; i < sizeof(chance); i++)
		ret_id[10 + i] = alphabet[chance[i] & 31];
	ret_id[ID_SIZE - 1] = '\0';
}

bool
id_valid(struct str text)
{
	if (text.n != ID_SIZE - 1)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		if (!memchr(alphabet, text.p[i], sizeof(alphabet) - 1))
			return false;
	}
	return text.p[0] <= '7';
}
