/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_TOOL_PEERS_LIBRARY_H
#define KOSTKA_TOOL_PEERS_LIBRARY_H

#include "tool.h"

/*
 * Load the first of these libraries that is there (`names` ends with null), and its symbols into an array of pointers.
 * It stays loaded.
 */
bool peer_library(
    const char *const *names, const char *const *symbols, size_t count, void *pointers, struct problem *problem);

#endif
