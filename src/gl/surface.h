/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the caller's textures, framebuffers and buffers before any work is done on them. */
#ifndef KOSTKA_GL_SURFACE_H
#define KOSTKA_GL_SURFACE_H

#include "gl/functions.h"

/* Holds the layout of pixels in a buffer object. */
struct gl_layout {
    kst_format format;  /* interleaved */
    unsigned transfer;  /* OpenGL's name for the format if OpenGL copies from or to the buffer; 0: it does not */
    uint32_t width;     /* in pixels; 0: the width of the picture */
    uint32_t height;    /* in pixels; 0 as for the width */
    size_t offset;      /* offset of the first row in bytes */
    size_t pitch;       /* bytes from one row to the next; 0: not known yet */
    uint64_t available; /* bytes in the caller's buffer; 0: it is not the caller's */
};

/* Check that a surface is described as its kind demands. */
kst_status kst_gl_surface_check(const kst_gl_surface *surface, bool encoding, kst_report *report);

/*
 * Check the objects in the current context and describe the layout of their pixels. Afterwards a texture is bound, a
 * framebuffer is bound for reading, and a buffer is bound to the target passed.
 */
kst_status kst_gl_look_at_texture(
    const struct gl_functions *gl, const kst_gl_surface *surface, struct gl_layout *layout, kst_report *report);
kst_status kst_gl_look_at_framebuffer(
    const struct gl_functions *gl, const kst_gl_surface *surface, struct gl_layout *layout, kst_report *report);
kst_status kst_gl_look_at_buffer(const struct gl_functions *gl, const kst_gl_surface *surface, unsigned target,
    struct gl_layout *layout, kst_report *report);

/*
 * Settle the pitch, and check that the caller's buffer holds the pixels. `*extent` receives the number of bytes from
 * the start of the first row to the end of the last one.
 */
kst_status kst_gl_layout_settle(struct gl_layout *layout, size_t *extent, kst_report *report);

#endif
