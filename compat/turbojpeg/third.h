/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what an original of version 3 is asked for. Then a handle's parameters, its state and all errors are the
 * original's, and most functions are passed on to it. Kostka takes the calls that it serves with the same result.
 */
#ifndef KOSTKA_COMPAT_TURBOJPEG_THIRD_H
#define KOSTKA_COMPAT_TURBOJPEG_THIRD_H

#include "instance.h"

/* The original's functions that are taken over; null if it is of version 2, or of 3.0. */
struct turbojpeg_third {
#define PASS3(name)
#define TAKE3(name) __typeof__(name) *name;
#include "version3.h"
#undef PASS3
#undef TAKE3
};
extern struct turbojpeg_third turbojpeg_third;

/*
 * Return the instance of the original's handle with its parameters, and clear the handle's error. Null if the handle is
 * null, or if memory ran out.
 */
struct turbojpeg_instance *turbojpeg_load(tjhandle handle);

/*
 * Free a buffer that Kostka has allocated before the original receives it, unless it must not be replaced, and give
 * none instead (see turbojpeg_withdraw).
 */
void turbojpeg_exchange(tjhandle handle, unsigned char **jpeg, size_t *length);

#endif
