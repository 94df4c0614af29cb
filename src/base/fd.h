/* SPDX-License-Identifier: MIT */
/*
 * Descriptors: whole reads and writes, small files, sealed memory. Every descriptor made here
 * is close-on-exec.
 */
#ifndef BASE_FD_H
#define BASE_FD_H

#include "base/buf.h"
#include "base/err.h"

/* Writes all of s to a blocking descriptor, across EINTR and short writes. */
int fd_write_all(int fd, struct str s, struct err *e) must_use;
/* Reads exactly n bytes; ERR_CLOSED at an earlier end. */
int fd_read_all(int fd, void *p, size_t n, struct err *e) must_use;
/* Appends everything up to the end of file; ERR_LIMIT when it does not fit ret_buf. */
int fd_slurp(int fd, struct buf *ret_buf, struct err *e) must_use;
/* Opens and reads a small file (below dir, or AT_FDCWD). */
int fd_slurp_at(int dir, const char *path, struct buf *ret_buf, struct err *e) must_use;
/* Writes a string to an existing file in one write, as kernel control files want it. */
int fd_put_at(int dir, const char *path, struct str s, struct err *e) must_use;
int fd_nonblock(int fd, struct err *e) must_use;

/*
 * Sealed memory carries bodies too large for a frame: nobody can change it after it was sent.
 * fd_seal_new returns a descriptor the caller owns. fd_seal_map checks that the seals are there
 * and the size is what was said, then maps it read-only; fd_seal_unmap gives it back.
 */
int fd_seal_new(struct str body, int *ret_fd, struct err *e) must_use;
int fd_seal_map(int fd, size_t size, struct str *ret_body, struct err *e) must_use;
void fd_seal_unmap(struct str *body);

#endif
