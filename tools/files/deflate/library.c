/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads libdeflate once, when it is first needed. */
#include "files/deflate/library.h"

#include <pthread.h>

struct deflate_library deflate_library;

static const char *const names[] = {DEFLATE_FUNCTIONS(LIBRARY_NAME)};
_Static_assert(sizeof deflate_library == sizeof names, "a pointer for each name");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct problem failure;

static void load(void)
{
    static const char *const files[] = {KOSTKA_DEFLATE_LIBRARY, NULL};

    library_load(files, names, sizeof names / sizeof *names, &deflate_library, &failure);
}

bool deflate_library_load(struct problem *problem)
{
    pthread_once(&once, load);
    return failure.text[0] == '\0' || problem_set(problem, "%s", failure.text);
}
