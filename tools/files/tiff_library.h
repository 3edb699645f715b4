/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libtiff, loaded when the first TIFF file is read or written: with the twelve libraries that it needs itself it takes
 * longer to load than a small picture takes to decode. tiff_library.c defines those of its functions that are used.
 */
#ifndef KOSTKA_TOOL_TIFF_LIBRARY_H
#define KOSTKA_TOOL_TIFF_LIBRARY_H

#include "tool.h"

/* To be called before any function of libtiff; thread-safe. */
bool tiff_library_load(struct problem *problem);

#endif
