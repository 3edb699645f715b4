/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves the part of OpenGL's state that moving pixels changes, so that callers find it unchanged. */
#ifndef KOSTKA_GL_STATE_H
#define KOSTKA_GL_STATE_H

#include "gl/functions.h"

enum { GL_STORED = 12 };

struct gl_state {
    int texture, texture_3d, pack, unpack, framebuffer, renderbuffer;
    int stored[GL_STORED];
};

/*
 * Save the state, and set the pixel storage modes to what the copies here need: rows aligned to 4 bytes and nothing
 * else. kst_gl_leave() restores the state.
 */
void kst_gl_enter(const struct gl_functions *gl, struct gl_state *state);
void kst_gl_leave(const struct gl_functions *gl, const struct gl_state *state);

#endif
