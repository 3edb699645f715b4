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

/* Holds the system's functions in place of which this library has its own. */
struct libjpeg_original {
#define PASS(name)
#define TAKE(name) __typeof__(name) *name;
#include "functions.h"
#undef PASS
#undef TAKE
};
extern struct libjpeg_original libjpeg_original;

/* Return whether a function is the system's jpeg_resync_to_restart(), or this library's, which jumps there. */
bool libjpeg_is_standard_resync(boolean (*function)(j_decompress_ptr, int));

#endif
