/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the functions of libzstd that are used, by their own names. The library is loaded when the first brick that
 * it has to expand is read.
 */
#ifndef KOSTKA_TOOL_VOLUME_ZSTD_LIBRARY_H
#define KOSTKA_TOOL_VOLUME_ZSTD_LIBRARY_H

#include <zstd.h>
#include <zstd_errors.h>

#include "system/library.h"

#define ZSTD_FUNCTIONS(X)                                                                                              \
    X(ZSTD_decompress)                                                                                                 \
    X(ZSTD_getErrorCode)                                                                                               \
    X(ZSTD_getErrorName)

extern struct zstd_library {
    ZSTD_FUNCTIONS(LIBRARY_POINTER)
} zstd_library;

/* Load the library. Call this before any of its functions. Thread-safe. */
bool zstd_library_load(struct problem *problem);

/* These macros come behind the library's own headers, so that they do not change its declarations. */
#define ZSTD_decompress zstd_library.ZSTD_decompress_
#define ZSTD_getErrorCode zstd_library.ZSTD_getErrorCode_
#define ZSTD_getErrorName zstd_library.ZSTD_getErrorName_

#endif
