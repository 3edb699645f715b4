/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the original when this library is loaded, and finds its functions. */
#include "original.h"

#include "own.h"
#include "third.h"

#define ORIGINAL turbojpeg_original
#include "original_template.h"

struct turbojpeg_third turbojpeg_third;

/*
 * Choose who serves the functions of version 3. An original of version 3.0 lacks some of them and counts as one of
 * version 2; one of 3.1 only lacks those of 3.2, which do without it.
 */
static void choose(const struct compat_library *library)
{
    const bool is_third = compat_find_if_there(library, "tj3SetICCProfile") != NULL;
#define PASS(name)
#define TAKE(name)
#define JAVA(name)
#define PASS3(name)                                                                                                    \
    {                                                                                                                  \
        __typeof__(name) *own = OWN(name);                                                                             \
        if (!is_third || !compat_passed[INDEX_##name])                                                                 \
            memcpy(&compat_passed[INDEX_##name], &own, sizeof own);                                                    \
    }
#define TAKE3(name)                                                                                                    \
    {                                                                                                                  \
        void *found = is_third ? compat_find(library, #name) : NULL;                                                   \
        memcpy(&turbojpeg_third.name, &found, sizeof found);                                                           \
    }
#include "functions.h"
#undef PASS
#undef TAKE
}

__attribute__((constructor)) static void open_original(void)
{
    const struct compat_library library = compat_open("libturbojpeg.so.0", "KOSTKA_LIBTURBOJPEG", TURBOJPEG_ORIGINAL);
    find_functions(&library);
    choose(&library);
    if (turbojpeg_original.tjDecompress2 == tjDecompress2)
        compat_give_up(&library, "it is this library");
}
