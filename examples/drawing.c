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

void drawing_show(const struct drawing *gl, const kst_gl_surface *surface, int width, int height)
{
    int w = (int)surface->width, h = (int)surface->height;
    double scale = (double)width / w < (double)height / h ? (double)width / w : (double)height / h;
    int to_w = (int)(w * scale), to_h = (int)(h * scale), x = (width - to_w) / 2, y = (height - to_h) / 2;
    gl->clear(COLOUR_BIT);
    gl->blit(0, 0, w, h, x, y + to_h, x + to_w, y, COLOUR_BIT, LINEAR);
}
