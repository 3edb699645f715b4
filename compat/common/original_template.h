/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the table of functions to which calls are passed on, and a function that looks up, in the original, all
 * functions that the library's functions.h lists: PASS and JAVA entries go to the table, TAKE entries to the structure
 * that ORIGINAL names, both as a variable and as a tag.
 */
#include <string.h>

#include "library.h"

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

struct ORIGINAL ORIGINAL;

static void find_functions(const struct compat_library *library)
{
#define PASS(name) compat_passed[INDEX_##name] = compat_find(library, #name);
#define JAVA(name) compat_passed[INDEX_##name] = compat_find_if_there(library, #name);
#define TAKE(name)                                                                                                     \
    {                                                                                                                  \
        void *found = compat_find(library, #name);                                                                     \
        memcpy(&ORIGINAL.name, &found, sizeof found);                                                                  \
    }
#include "functions.h"
#undef PASS
#undef JAVA
#undef TAKE
}
