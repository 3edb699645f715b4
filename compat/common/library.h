/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the original of a library is opened, in place of which programs load one of these. */
#ifndef KOSTKA_COMPAT_COMMON_LIBRARY_H
#define KOSTKA_COMPAT_COMMON_LIBRARY_H

#include <stdbool.h>

/*
 * Describes an original library that is open. If something is missing, the program ends, as one does whose library is
 * missing.
 */
struct compat_library {
    const char *name; /* for messages: "libjpeg.so.62" */
    void *handle;
};

/*
 * Open the library at the path that the environment's variable names, or else at `usual`, an absolute path. Its own
 * calls of its functions stay inside it, except with sanitizers, which do not allow that.
 */
struct compat_library compat_open(const char *name, const char *variable, const char *usual);

/* Find a function or an object. */
void *compat_find(const struct compat_library *library, const char *symbol);

/* Do the same for one that not every build of the original has; null: it has none. */
void *compat_find_if_there(const struct compat_library *library, const char *symbol);

/* Say why the library cannot be used, and end the program. */
_Noreturn void compat_give_up(const struct compat_library *library, const char *why);

#endif
