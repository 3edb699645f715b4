/* SPDX-License-Identifier: BSD-2-Clause */
/* Looking at the caller's objects before any work. */
#ifndef KOSTKA_GL_SURFACE_H
#define KOSTKA_GL_SURFACE_H

#include "gl/functions.h"

/* Pixels as they lie in a buffer object. */
struct gl_layout {
    kst_format format;  /* interleaved */
    unsigned transfer;  /* OpenGL's name for it where OpenGL copies from or to the buffer; 0: it does not */
    uint32_t width;     /* 0: whatever the picture's is */
    uint32_t height;    /* likewise */
    size_t offset;      /* of the first row */
    size_t pitch;       /* 0: not known yet */
    uint64_t available; /* bytes in the caller's buffer; 0: it is not the caller's */
};

/* Whether a surface is described as its kind demands. */
kst_status kst_gl_surface_check(const kst_gl_surface *surface, bool encoding, kst_report *report);

/*
 * The same of the objects in the current context. A texture is bound afterwards; a framebuffer too, for reading; a
 * buffer is bound to the target given.
 */
kst_status kst_gl_look_at_texture(
    const struct gl_functions *gl, const kst_gl_surface *surface, struct gl_layout *layout, kst_report *report);
kst_status kst_gl_look_at_framebuffer(
    const struct gl_functions *gl, const kst_gl_surface *surface, struct gl_layout *layout, kst_report *report);
kst_status kst_gl_look_at_buffer(const struct gl_functions *gl, const kst_gl_surface *surface, unsigned target,
    struct gl_layout *layout, kst_report *report);

/*
 * Settle the pitch, and check that the caller's buffer holds the pixels. Receives the bytes from the first row's start
 * to the last one's end.
 */
kst_status kst_gl_layout_settle(struct gl_layout *layout, size_t *extent, kst_report *report);

#endif
