/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the original when this library is loaded, and finds its functions. */
#include "original.h"

#include <string.h>

#include "library.h"

struct turbojpeg_original turbojpeg_original;

enum {
#define PASS(name) INDEX_##name,
#define TAKE(name)
#include "functions.h"
#undef PASS
#undef TAKE
    PASSED
};

extern void *compat_passed[PASSED] __attribute__((visibility("hidden")));
void *compat_passed[PASSED];

__attribute__((constructor)) static void open_original(void)
{
    const struct compat_library library = compat_open("libturbojpeg.so.0", "KOSTKA_LIBTURBOJPEG", TURBOJPEG_ORIGINAL);
#define PASS(name) compat_passed[INDEX_##name] = compat_find(&library, #name);
#define JAVA(name) compat_passed[INDEX_##name] = compat_find_if_there(&library, #name);
#define TAKE(name)                                                                                                     \
    {                                                                                                                  \
        void *found = compat_find(&library, #name);                                                                    \
        memcpy(&turbojpeg_original.name, &found, sizeof found);                                                        \
    }
#include "functions.h"
#undef PASS
#undef TAKE
    if (turbojpeg_original.tjDecompress2 == tjDecompress2)
        compat_give_up(&library, "it is this library");
}
