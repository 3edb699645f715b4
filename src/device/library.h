/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads shared libraries that may be missing, such as a GPU's driver, and finds their functions. */
#ifndef KOSTKA_DEVICE_LIBRARY_H
#define KOSTKA_DEVICE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Find `count` functions and store them at `functions`, an array of function pointers. Returns false if the library or
 * one of the functions is missing. The library stays loaded, because drivers start threads of their own.
 */
bool kst_gpu_library(const char *file, const char *const *symbols, size_t count, void *functions);

#endif
