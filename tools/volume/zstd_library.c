/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads libzstd once, when it is first needed. */
#include "volume/zstd_library.h"

#include <pthread.h>

struct zstd_library zstd_library;

static const char *const names[] = {ZSTD_FUNCTIONS(LIBRARY_NAME)};
_Static_assert(sizeof zstd_library == sizeof names, "a pointer for each name");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct problem failure;

static void load(void)
{
    static const char *const files[] = {KOSTKA_ZSTD_LIBRARY, NULL};

    library_load(files, names, sizeof names / sizeof *names, &zstd_library, &failure);
}

bool zstd_library_load(struct problem *problem)
{
    pthread_once(&once, load);
    return failure.text[0] == '\0' || problem_set(problem, "zstd cannot be read: %s", failure.text);
}
