/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds OpenGL's functions for drawing, and draws a texture over the whole window. */
#include "drawing.h"

#include <string.h>

bool drawing_find(struct drawing *gl, kst_gl_function (*load)(void *user, const char *name))
{
    static const char *const names[] = {"glGenTextures", "glDeleteTextures", "glBindTexture", "glTexImage2D",
        "glGenFramebuffers", "glBindFramebuffer", "glFramebufferTexture2D", "glBlitFramebuffer", "glClearColor",
        "glClear"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        kst_gl_function function = load(NULL, names[i]);
        if (!function)
            return false;
        memcpy((char *)gl + i * sizeof function, &function, sizeof function);
    }
    return true;
}

unsigned drawing_texture(const struct drawing *gl, uint32_t width, uint32_t height)
{
    unsigned name;
    gl->make_textures(1, &name);
    gl->bind(TEXTURE_2D, name);
    gl->store(TEXTURE_2D, 0, RGBA8, (int)width, (int)height, 0, RGBA, BYTES, NULL);
    return name;
}
