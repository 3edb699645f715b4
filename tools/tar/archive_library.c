/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads libarchive once, when it is first needed. */
#include "tar/archive_library.h"

#include <pthread.h>

struct archive_library archive_library;

static const char *const names[] = {ARCHIVE_FUNCTIONS(LIBRARY_NAME)};
_Static_assert(sizeof archive_library == sizeof names, "a pointer for each name");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct problem failure;

static void load(void)
{
    static const char *const files[] = {KOSTKA_ARCHIVE_LIBRARY, NULL};

    library_load(files, names, sizeof names / sizeof *names, &archive_library, &failure);
}

bool archive_library_load(struct problem *problem)
{
    pthread_once(&once, load);
    return failure.text[0] == '\0' || problem_set(problem, "tar cannot be read or written: %s", failure.text);
}
