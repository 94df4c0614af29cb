/* SPDX-License-Identifier: MIT */
/*
 * Everything below this process, wherever it went: who called setsid, forked twice or lost its
 * parents is still a descendant of the nearest subreaper, which is us.
 *
 * `alone`: in a pid namespace of its own with nobody else in it but its first process; then one
 * signal goes to all. Never say so elsewhere: it would go to everything of this user.
 */
#ifndef LOOP_DESCENDANTS_H
#define LOOP_DESCENDANTS_H

#include "base/base.h"

/* Sends it to all; how many there were, zombies not counted. */
unsigned descendants_signal(int sig, bool alone);
/* KILL to all, so that none of them can start another in between; how many there were. */
unsigned descendants_kill(bool alone);

#endif
