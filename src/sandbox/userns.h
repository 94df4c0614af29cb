/* SPDX-License-Identifier: MIT */
/*
 * Namespaces: making a child in new ones, mapping its ids, and looking at which ones a process
 * is in. Only a single-threaded process may call userns_clone.
 *
 * In a user namespace the child is id USERNS_ID; outside it is the calling user, or for root a
 * slot: an id from USERNS_SLOT_FIRST on that no other live job has. A slot is claimed by
 * binding an abstract socket, so it is given back by the kernel whatever happens to its owner.
 */
#ifndef SANDBOX_USERNS_H
#define SANDBOX_USERNS_H

#include <sys/types.h>

#include "sandbox/report.h"

#define USERNS_ID         1000U
#define USERNS_SLOT_FIRST 65000U
#define USERNS_SLOT_COUNT 500U

/* The identity of a process's namespaces: inode numbers, 0 where one cannot be read. */
struct userns_set {
	uint64_t inode[LAYER_COUNT]; /* only the rows of namespace layers are used */
};

/* CLONE_* flags of a set of namespace layers. */
uint64_t userns_flags(uint32_t layers);

/*
 * Like fork, with new namespaces and a pidfd: returns the child's pid, 0 in the child. Falls
 * back to the older call where clone3 is refused with ENOSYS. group_fd: a cgroup v2 folder to
 * start in, or -1.
 */
pid_t userns_clone(uint64_t flags, int group_fd, int *ret_pidfd, struct err *e);

/* Writes the maps of a child that waits: its USERNS_ID is uid and gid here. */
int userns_map(pid_t pid, uid_t uid, gid_t gid, struct err *e) must_use;

/* Claims the lowest free slot and returns its id; *ret_fd holds the claim. */
int userns_slot_claim(uid_t *ret_id, int *ret_fd, struct err *e) must_use;

void userns_read(struct userns_set *ret_set);
/*
 * Holds each namespace layer of `want` that this process is in and `outside` is not, and proves
 * it from inside: pid 1, an id map of one line, no interface but a loopback that is down.
 */
void userns_look(const struct userns_set *outside, uint32_t want, struct sandbox_report *r);

#endif
