/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads libraries when they are needed. */
#ifndef KOSTKA_TOOL_LIBRARY_H
#define KOSTKA_TOOL_LIBRARY_H

#include "tool.h"

/*
 * Load the first of several libraries that is installed (`names` ends with null), and its symbols into an array of
 * pointers. The library stays loaded.
 */
bool library_load(
    const char *const *names, const char *const *symbols, size_t count, void *pointers, struct problem *problem);

/* Return whether the process has loaded a library of this name, such as "libOpenCL.so.1". */
bool library_is_loaded(const char *name);

/* For lists of functions that a header declares: declares a function's pointer in that array, and its symbol's name. */
#define LIBRARY_POINTER(name) __typeof__(&(name)) name##_;
#define LIBRARY_NAME(name) #name,

#endif
