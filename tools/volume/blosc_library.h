/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the functions of libblosc that are used, by their own names. The library is loaded when the first brick that
 * it has to expand is read.
 */
#ifndef KOSTKA_TOOL_VOLUME_BLOSC_LIBRARY_H
#define KOSTKA_TOOL_VOLUME_BLOSC_LIBRARY_H

#include <blosc.h>

#include "system/library.h"

#define BLOSC_FUNCTIONS(X)                                                                                             \
    X(blosc_cbuffer_validate)                                                                                          \
    X(blosc_decompress_ctx)

extern struct blosc_library {
    BLOSC_FUNCTIONS(LIBRARY_POINTER)
} blosc_library;

/* Load the library. Call this before any of its functions. Thread-safe. */
bool blosc_library_load(struct problem *problem);

/* These macros come behind the library's own headers, so that they do not change its declarations. */
#define blosc_cbuffer_validate blosc_library.blosc_cbuffer_validate_
#define blosc_decompress_ctx blosc_library.blosc_decompress_ctx_

#endif
