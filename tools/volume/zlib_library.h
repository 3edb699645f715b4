/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the functions of zlib that are used, by their own names. The library is loaded when the first compressed
 * file of NIfTI-1 is read.
 */
#ifndef KOSTKA_TOOL_VOLUME_ZLIB_LIBRARY_H
#define KOSTKA_TOOL_VOLUME_ZLIB_LIBRARY_H

#include <zlib.h>

#include "system/library.h"

#define ZLIB_FUNCTIONS(X)                                                                                              \
    X(inflate)                                                                                                         \
    X(inflateEnd)                                                                                                      \
    X(inflateInit2_)                                                                                                   \
    X(inflateReset)

extern struct zlib_library {
    ZLIB_FUNCTIONS(LIBRARY_POINTER)
} zlib_library;

/* Load the library. Call this before any of its functions. Thread-safe. */
bool zlib_library_load(struct problem *problem);

/* These macros come behind the library's own headers, so that they do not change its declarations. */
#define inflate zlib_library.inflate_
#define inflateEnd zlib_library.inflateEnd_
#define inflateInit2_ zlib_library.inflateInit2__
#define inflateReset zlib_library.inflateReset_

#endif
