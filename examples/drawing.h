/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the few functions of OpenGL with which the examples show textures. */
#ifndef KOSTKA_EXAMPLES_DRAWING_H
#define KOSTKA_EXAMPLES_DRAWING_H

#include <kostka/kostka_gl.h>

enum { TEXTURE_2D = 0x0DE1, RGBA = 0x1908, RGBA8 = 0x8058, BYTES = 0x1401, LINEAR = 0x2601 };
enum { READ_FRAMEBUFFER = 0x8CA8, DRAW_FRAMEBUFFER = 0x8CA9, COLOUR_0 = 0x8CE0, COLOUR_BIT = 0x4000 };

struct drawing {
    void (*make_textures)(int count, unsigned *names);
    void (*delete_textures)(int count, const unsigned *names);
    void (*bind)(unsigned target, unsigned name);
    void (*store)(unsigned target, int level, int internal, int width, int height, int border, unsigned format,
        unsigned type, const void *pixels);
    void (*make_framebuffers)(int count, unsigned *names);
    void (*bind_framebuffer)(unsigned target, unsigned name);
    void (*attach)(unsigned target, unsigned attachment, unsigned kind, unsigned name, int level);
    void (*blit)(
        int x0, int y0, int x1, int y1, int to_x0, int to_y0, int to_x1, int to_y1, unsigned mask, unsigned how);
    void (*colour)(float red, float green, float blue, float alpha);
    void (*clear)(unsigned mask);
};

/* Find all of them. Returns false if one is missing. */
bool drawing_find(struct drawing *gl, kst_gl_function (*load)(void *user, const char *name));

/* Make a texture of four channels, without pixels. */
unsigned drawing_texture(const struct drawing *gl, uint32_t width, uint32_t height);

/* Draw the texture that is attached for reading as large as a window, the first row on top. */
void drawing_show(const struct drawing *gl, const kst_gl_surface *surface, int width, int height);

#endif
