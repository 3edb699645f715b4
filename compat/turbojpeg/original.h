/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the original's functions that this library replaces. */
#ifndef KOSTKA_COMPAT_TURBOJPEG_ORIGINAL_H
#define KOSTKA_COMPAT_TURBOJPEG_ORIGINAL_H

#include "turbojpeg.h"

struct turbojpeg_original {
#define PASS(name)
#define TAKE(name) __typeof__(name) *name;
#include "functions.h"
#undef PASS
#undef TAKE
};
extern struct turbojpeg_original turbojpeg_original;

#endif
