/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads libtiff once, when it is first needed. */
#include "files/tiff/library.h"

#include <pthread.h>

struct tiff_library tiff_library;

static const char *const names[] = {TIFF_FUNCTIONS(LIBRARY_NAME)};
_Static_assert(sizeof tiff_library == sizeof names, "a pointer for each name");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct problem failure;

static void load(void)
{
    static const char *const files[] = {KOSTKA_TIFF_LIBRARY, NULL};

    library_load(files, names, sizeof names / sizeof *names, &tiff_library, &failure);
}

bool tiff_library_load(struct problem *problem)
{
    pthread_once(&once, load);
    return failure.text[0] == '\0' || problem_set(problem, "TIFF cannot be read or written: %s", failure.text);
}
