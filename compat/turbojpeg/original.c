/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the original when this library is loaded, and finds its functions. */
#include "original.h"

#define ORIGINAL turbojpeg_original
#include "original_template.h"

__attribute__((constructor)) static void open_original(void)
{
    const struct compat_library library = compat_open("libturbojpeg.so.0", "KOSTKA_LIBTURBOJPEG", TURBOJPEG_ORIGINAL);
    find_functions(&library);
    if (turbojpeg_original.tjDecompress2 == tjDecompress2)
        compat_give_up(&library, "it is this library");
}
