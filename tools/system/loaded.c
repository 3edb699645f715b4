/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * References the functions of a library that the command line loads when it needs them, so that dpkg-shlibdeps finds
 * the package, and its version, that provides them. A module of this source is built for each library, and is not
 * installed.
 */
#include KOSTKA_LOADED_HEADER

/* Declare the function under another name, because headers declare it, and may define its name as a macro. */
#define DECLARE(name) extern const char there_##name __asm__(#name);
#define ADDRESS(name) &there_##name,

KOSTKA_LOADED_FUNCTIONS(DECLARE)

extern const char *const kostka_loaded[];
const char *const kostka_loaded[] = {KOSTKA_LOADED_FUNCTIONS(ADDRESS)};
