/* SPDX-License-Identifier: BSD-2-Clause */
/* Divides inputs among processes that do not communicate. */
#ifndef KOSTKA_TOOL_SHARD_H
#define KOSTKA_TOOL_SHARD_H

#include "tool.h"

/* Describes one of several shares. A count of 0 means that there is only one share, with everything. */
struct shard {
    uint32_t index; /* from 0 on, below the count */
    uint32_t count;
};

/*
 * Read "I/N", or "auto" for what a scheduler has set in the environment: Slurm's job arrays, Open MPI, or an indexed
 * job of Kubernetes. Returns false after a message if the value is wrong, or if the environment is incomplete.
 */
bool shard_read(const char *verb, const char *value, struct shard *shard);

/*
 * Return whether a name belongs to the share. That depends only on the name's bytes and the number of shares, so all
 * processes agree, whatever other names there are.
 */
bool shard_has(const struct shard *shard, const char *name, size_t length);

#endif
