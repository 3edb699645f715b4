/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares OWN(name): functions of version 3 as they are implemented here for an original of version 2. */
#ifndef KOSTKA_COMPAT_TURBOJPEG_OWN_H
#define KOSTKA_COMPAT_TURBOJPEG_OWN_H

#include "turbojpeg.h"

#define OWN(name) turbojpeg_own_##name

#define PASS3(name) __typeof__(name) OWN(name);
#define TAKE3(name)
#include "version3.h"
#undef PASS3
#undef TAKE3

#endif
