/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads libblosc once, when it is first needed. */
#include "volume/blosc_library.h"

#include <pthread.h>

struct blosc_library blosc_library;

static const char *const names[] = {BLOSC_FUNCTIONS(LIBRARY_NAME)};
_Static_assert(sizeof blosc_library == sizeof names, "a pointer for each name");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct problem failure;

static void load(void)
{
    static const char *const files[] = {KOSTKA_BLOSC_LIBRARY, NULL};

    library_load(files, names, sizeof names / sizeof *names, &blosc_library, &failure);
}

bool blosc_library_load(struct problem *problem)
{
    pthread_once(&once, load);
    return failure.text[0] == '\0' || problem_set(problem, "blosc cannot be read: %s", failure.text);
}
