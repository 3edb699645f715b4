/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixel buffer objects, and what OpenGL copies from and to them. */
#ifndef KOSTKA_GL_PIXELS_H
#define KOSTKA_GL_PIXELS_H

#include "gl/surface.h"

/* A buffer object of the library's own. */
struct gl_staging {
    unsigned name; /* 0: not made yet */
    size_t length;
};

/*
 * Bind it, of at least `length` bytes, to a target. `fresh`: its memory may be another's than before, so that nobody
 * waits for those who still use that. Where that fails its length is 0.
 */
kst_status kst_gl_staging_bind(const struct gl_functions *gl, struct gl_staging *staging, unsigned target,
    size_t length, unsigned use, bool fresh, kst_report *report);
void kst_gl_staging_delete(const struct gl_functions *gl, struct gl_staging *staging);

/* Host memory of a stretch of the buffer that is bound; null where that failed. */
void *kst_gl_map(
    const struct gl_functions *gl, unsigned target, size_t offset, size_t length, unsigned access, kst_report *report);
kst_status kst_gl_unmap(const struct gl_functions *gl, unsigned target, kst_report *report);

/* From the unpack buffer that is bound to the texture that is bound. */
kst_status kst_gl_fill_texture(
    const struct gl_functions *gl, const struct gl_layout *layout, bool mipmaps, kst_report *report);

/* To the pack buffer that is bound: from the texture that is bound, whose name this is, or the framebuffer likewise. */
kst_status kst_gl_read_texture(
    const struct gl_functions *gl, unsigned name, const struct gl_layout *layout, kst_report *report);
kst_status kst_gl_read_framebuffer(
    const struct gl_functions *gl, const kst_gl_surface *surface, const struct gl_layout *layout, kst_report *report);

#endif
