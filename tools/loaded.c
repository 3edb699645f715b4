/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Refers to the functions of a library that the command line loads when it needs them, so that dpkg-shlibdeps finds
 * which package, from which version on, has them. A module of this is made for each library, and is not installed.
 */
#include KOSTKA_LOADED_HEADER

/* By a name of its own, for headers declare the functions, and may define their names as macros. */
#define DECLARE(name) extern const char there_##name __asm__(#name);
#define ADDRESS(name) &there_##name,

KOSTKA_LOADED_FUNCTIONS(DECLARE)

extern const char *const kostka_loaded[];
const char *const kostka_loaded[] = {KOSTKA_LOADED_FUNCTIONS(ADDRESS)};
