/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the original of a library is opened, instead of which a program has loaded one of these libraries. */
#ifndef KOSTKA_COMPAT_COMMON_LIBRARY_H
#define KOSTKA_COMPAT_COMMON_LIBRARY_H

#include <stdbool.h>

/*
 * Describes an open original library. If a library or function is missing, the program ends, as a program does whose
 * library is missing.
 */
struct compat_library {
    const char *name; /* for messages: "libjpeg.so.62" */
    void *handle;
};

/*
 * Open the library at the path in the environment variable, or else at `usual`, an absolute path. A program with more
 * rights than its user, such as one that is setuid, does not follow the variable. Calls inside the library to its own
 * functions stay inside it, except with sanitizers, which do not allow that.
 */
struct compat_library compat_open(const char *name, const char *variable, const char *usual);

/* Find a function or an object. */
void *compat_find(const struct compat_library *library, const char *symbol);

/* Find a function that not every build of the original has; null if it is missing. */
void *compat_find_if_there(const struct compat_library *library, const char *symbol);

/* Print why the library cannot be used, and end the program. */
_Noreturn void compat_give_up(const struct compat_library *library, const char *why);

#endif
