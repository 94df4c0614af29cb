/* SPDX-License-Identifier: MIT */
#include "base/sha.h"

#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define SHA_SIZE 32

static void
to_hex(const unsigned char digest[static SHA_SIZE], char ret_hex[static SHA_HEX_SIZE])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < SHA_SIZE; i++) {
		ret_hex[2 * i] = digits[digest[i] >> 4];
		ret_hex[2 * i + 1] = digits[digest[i] & 15];
	}
	ret_hex[SHA_HEX_SIZE - 1] = '\0';
}

void
sha_bytes(struct str bytes, char ret_hex[static SHA_HEX_SIZE])
{
	unsigned char digest[EVP_MAX_MD_SIZE];

	if (!EVP_Digest(bytes.n ? bytes.p : "", bytes.n, digest, NULL, EVP_sha256(), NULL))
		abort();
	to_hex(digest, ret_hex);
}

int
sha_file(int fd, char ret_hex[static SHA_HEX_SIZE], struct err *e)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) < 0)
		return err_sys(e, "look at a file to hash");
	if (!S_ISREG(st.st_mode) || st.st_size == 0)
		return err_set(e, ERR_INVALID,
		    "only a file with something in it can be hashed");
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (p == MAP_FAILED)
		return err_sys(e, "read a file to hash");
	sha_bytes((struct str){ p, (size_t)st.st_size }, ret_hex);
	munmap(p, (size_t)st.st_size);
	return 0;
}
