/* SPDX-License-Identifier: BSD-2-Clause */
/* Provides OpenGL without a window for the examples. EGL is loaded at run time, and no header of either is needed. */
#ifndef KOSTKA_EXAMPLES_HEADLESS_H
#define KOSTKA_EXAMPLES_HEADLESS_H

#include <kostka/kostka_gl.h>

/*
 * Make an OpenGL context of version 3.3 current, on the first of EGL's devices that supports it. Returns false if none
 * does.
 */
bool headless_start(void);

/* Find a function; this is for kst_gl_options.load. */
kst_gl_function headless_load(void *user, const char *name);

/* Store the functions of these names from `functions` on. Returns false if one is missing. */
bool headless_find(const char *const *names, size_t count, void *functions);

/* Bind a context to OpenGL. On failure prints a message and returns null. */
kst_gl *headless_bind(kst_context *context);

#endif
