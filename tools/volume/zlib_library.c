/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads zlib once, when it is first needed. */
#include "volume/zlib_library.h"

#include <pthread.h>

struct zlib_library zlib_library;

static const char *const names[] = {ZLIB_FUNCTIONS(LIBRARY_NAME)};
_Static_assert(sizeof zlib_library == sizeof names, "a pointer for each name");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct problem failure;

static void load(void)
{
    static const char *const files[] = {KOSTKA_ZLIB_LIBRARY, NULL};

    library_load(files, names, sizeof names / sizeof *names, &zlib_library, &failure);
}

bool zlib_library_load(struct problem *problem)
{
    pthread_once(&once, load);
    return failure.text[0] == '\0' || problem_set(problem, "gzip cannot be read: %s", failure.text);
}
