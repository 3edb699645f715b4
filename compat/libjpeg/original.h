/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the system's libjpeg-turbo, which does what is not taken over. */
#ifndef KOSTKA_COMPAT_LIBJPEG_ORIGINAL_H
#define KOSTKA_COMPAT_LIBJPEG_ORIGINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(default)
#include <jpeglib.h>
#pragma GCC visibility pop

/* Holds the system's functions that this library replaces. */
struct libjpeg_original {
#define PASS(name)
#define TAKE(name) __typeof__(name) *name;
#include "functions.h"
#undef PASS
#undef TAKE
};
extern struct libjpeg_original libjpeg_original;

/*
 * Return the side to which a block of 8 samples is scaled in a component; and the least such side of all components.
 * Since libjpeg 7 there are two numbers, which are equal in libjpeg-turbo.
 */
static inline int libjpeg_block_size(const jpeg_component_info *component)
{
#if JPEG_LIB_VERSION >= 70
    return component->DCT_h_scaled_size;
#else
    return component->DCT_scaled_size;
#endif
}

static inline int libjpeg_least_block_size(j_decompress_ptr cinfo)
{
#if JPEG_LIB_VERSION >= 70
    return cinfo->min_DCT_h_scaled_size;
#else
    return cinfo->min_DCT_scaled_size;
#endif
}

/* Return whether a function is the system's jpeg_resync_to_restart(), or this library's, which jumps there. */
bool libjpeg_is_standard_resync(boolean (*function)(j_decompress_ptr, int));

#endif
