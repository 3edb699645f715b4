/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of a shared library that may be missing. */
#ifndef KOSTKA_DEVICE_LIBRARY_H
#define KOSTKA_DEVICE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Find `count` functions and store them from `functions` on, an array of function pointers. False without the library
 * or one of them. The library stays loaded: drivers start threads of their own.
 */
bool kst_gpu_library(const char *file, const char *const *symbols, size_t count, void *functions);

#endif
