/* SPDX-License-Identifier: MIT */
/*
 * What the workers that run commands are started with: which walls, which places besides the folders,
 * which variables. Keys permissions.process.* of the person's own configuration.
 */
#ifndef FORGE_COMMANDS_H
#define FORGE_COMMANDS_H

#include "conf/conf.h"
#include "gate/gate.h"
#include "sandbox/profile.h"

/* The walls of commands, by the fence that is configured and whether the network is permitted. */
enum sandbox_profile_id commands_profile(const struct conf *conf, unsigned flags);
/*
 * Options of the worker, each with its NUL. Notices, one a line, for what is left out. ERR_INVALID for
 * a list that holds anything but paths.
 */
int commands_options(const struct conf *conf, const struct gate_policy *policy, struct str cwd,
    struct buf *ret_options, struct buf *ret_notices, struct err *e) must_use;
/* NAME=VALUE, each with its NUL: PATH, HOME, LANG and what the configuration names. ERR_INVALID. */
int commands_environment(const struct conf *conf, struct buf *ret_environment,
    struct err *e) must_use;
/* The folder in which workers get folders for temporary files, links resolved. */
void commands_tmp(struct buf *ret_path);

#endif
