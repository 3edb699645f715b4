/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the functions of libwebp that are used. The library is loaded when the first such file is read. */
#ifndef KOSTKA_TOOL_WEBP_LIBRARY_H
#define KOSTKA_TOOL_WEBP_LIBRARY_H

#include <webp/decode.h>

#include "system/library.h"

#define WEBP_FUNCTIONS(X)                                                                                              \
    X(WebPGetFeaturesInternal)                                                                                         \
    X(WebPInitDecoderConfigInternal)                                                                                   \
    X(WebPDecode)

#endif
