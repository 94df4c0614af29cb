/* SPDX-License-Identifier: MIT */
#include "base/sha.h"

#include "base/fd.h"

#include "tap.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static struct err e;

/* From FIPS 180-2 and its test vectors. */
static const struct {
	const char *text, *hex;
} known[] = {
	{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
};

static void
hashes_bytes(void)
{
	char hex[SHA_HEX_SIZE];

	for (size_t i = 0; i < COUNT(known); i++) {
		sha_bytes(str_of(known[i].text), hex);
		is_str(hex, known[i].hex, known[i].text);
	}
	sha_bytes((struct str){ NULL, 0 }, hex);
	is_str(hex, known[0].hex, "no bytes at all");
}

static void
hashes_files(void)
{
	char hex[SHA_HEX_SIZE] = "untouched", whole[SHA_HEX_SIZE];
	auto_fd int fd = memfd_create("test", MFD_CLOEXEC);
	auto_fd int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	auto_free char *bytes = xcalloc(1, MiB(3));

	is_int(sha_file(fd, hex, &e), -ERR_INVALID, "an empty file");
	is_int(sha_file(null, hex, &e), -ERR_INVALID, "a device");
	is_int(sha_file(-1, hex, &e), -ERR_SYS, "no file");
	is_str(hex, "untouched", "are refused");
	ok(fd_write_all(fd, STR("abc"), &e) == 0 && sha_file(fd, hex, &e) == 0, "a file");
	is_str(hex, known[1].hex, "has the hash of its bytes");
	ok(fd_write_all(fd, (struct str){ bytes, MiB(3) }, &e) == 0 &&
		sha_file(fd, hex, &e) == 0,
	    "a larger one");
	memmove(bytes + 3, bytes, MiB(3) - 3);
	memcpy(bytes, "abc", 3);
	ok(ftruncate(fd, (off_t)MiB(3)) == 0 && sha_file(fd, hex, &e) == 0, "cut to its size");
	sha_bytes((struct str){ bytes, MiB(3) }, whole);
	is_str(hex, whole, "too");
}

int
main(void)
{
	hashes_bytes();
	hashes_files();
	return tap_done();
}
