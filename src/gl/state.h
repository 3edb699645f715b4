/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenGL's state that moving pixels changes. */
#ifndef KOSTKA_GL_STATE_H
#define KOSTKA_GL_STATE_H

#include "gl/functions.h"

enum { GL_STORED = 10 };

struct gl_state {
    int texture, pack, unpack, framebuffer, renderbuffer;
    int stored[GL_STORED];
};

/* Note what is, and set how pixels are stored to what the moves here need: rows aligned to 4 bytes and nothing else. */
void kst_gl_enter(const struct gl_functions *gl, struct gl_state *state);
void kst_gl_leave(const struct gl_functions *gl, const struct gl_state *state);

#endif
