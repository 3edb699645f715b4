/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads libpng once, when it is first needed. */
#include "files/png/library.h"

#include <pthread.h>

#include "files/deflate/library.h"

struct png_library png_library;

static const char *const names[] = {PNG_FUNCTIONS(LIBRARY_NAME)};
_Static_assert(sizeof png_library == sizeof names, "a pointer for each name");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct problem failure;

static void load(void)
{
    static const char *const files[] = {KOSTKA_PNG_LIBRARY, NULL};

    if (library_load(files, names, sizeof names / sizeof *names, &png_library, &failure))
        deflate_library_load(&failure);
}

bool png_library_load(struct problem *problem)
{
    pthread_once(&once, load);
    return failure.text[0] == '\0' || problem_set(problem, "PNG cannot be read or written: %s", failure.text);
}
