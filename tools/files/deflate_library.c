/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads libdeflate. */
#include "files/deflate_library.h"

struct deflate_library deflate_library;

static const char *const names[] = {DEFLATE_FUNCTIONS(LIBRARY_NAME)};
_Static_assert(sizeof deflate_library == sizeof names, "a pointer for each name");

bool deflate_library_load(struct problem *problem)
{
    static const char *const files[] = {KOSTKA_DEFLATE_LIBRARY, NULL};

    return library_load(files, names, sizeof names / sizeof *names, &deflate_library, problem);
}
