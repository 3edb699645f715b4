/* SPDX-License-Identifier: BSD-2-Clause */
/* Libraries that are loaded when they are needed. */
#ifndef KOSTKA_TOOL_LIBRARY_H
#define KOSTKA_TOOL_LIBRARY_H

#include "tool.h"

/*
 * Load the first of these libraries that is there (`names` ends with null), and its symbols into an array of pointers.
 * It stays loaded.
 */
bool library_load(
    const char *const *names, const char *const *symbols, size_t count, void *pointers, struct problem *problem);

/* Of a function that a header declares: the pointer among those, and the symbol. */
#define LIBRARY_POINTER(name) __typeof__(&(name)) name##_;
#define LIBRARY_NAME(name) #name,

#endif
