/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the functions of giflib that are used. The library is loaded when the first such file is read. */
#ifndef KOSTKA_TOOL_GIF_LIBRARY_H
#define KOSTKA_TOOL_GIF_LIBRARY_H

#include <gif_lib.h>

#include "system/library.h"

#define GIF_FUNCTIONS(X)                                                                                               \
    X(DGifOpen)                                                                                                        \
    X(DGifCloseFile)                                                                                                   \
    X(DGifGetRecordType)                                                                                               \
    X(DGifGetExtension)                                                                                                \
    X(DGifGetExtensionNext)                                                                                            \
    X(DGifGetImageDesc)                                                                                                \
    X(DGifGetLine)                                                                                                     \
    X(GifErrorString)

#endif
