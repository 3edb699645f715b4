/* SPDX-License-Identifier: BSD-2-Clause */
/* Manages the library's pixel buffer objects, and copies between them and textures or framebuffers. */
#ifndef KOSTKA_GL_PIXELS_H
#define KOSTKA_GL_PIXELS_H

#include "gl/surface.h"

/* Describes a buffer object that belongs to the library. */
struct gl_staging {
    unsigned name; /* 0: not made yet */
    size_t length;
};

/*
 * Bind the buffer to a target, with at least `length` bytes. With `fresh` the buffer may get new memory, so that nobody
 * waits for work that still uses the old memory. On failure its length becomes 0.
 */
kst_status kst_gl_staging_bind(const struct gl_functions *gl, struct gl_staging *staging, unsigned target,
    size_t length, unsigned use, bool fresh, kst_report *report);
void kst_gl_staging_delete(const struct gl_functions *gl, struct gl_staging *staging);

/* Map a part of the bound buffer into host memory; null on failure. */
void *kst_gl_map(
    const struct gl_functions *gl, unsigned target, size_t offset, size_t length, unsigned access, kst_report *report);
kst_status kst_gl_unmap(const struct gl_functions *gl, unsigned target, kst_report *report);

/* Copy pixels from the bound unpack buffer to the bound texture. */
kst_status kst_gl_fill_texture(
    const struct gl_functions *gl, const struct gl_layout *layout, bool mipmaps, kst_report *report);

/* Copy pixels to the bound pack buffer, from the bound texture, whose name is `name`, or from the bound framebuffer. */
kst_status kst_gl_read_texture(
    const struct gl_functions *gl, unsigned name, const struct gl_layout *layout, kst_report *report);
kst_status kst_gl_read_framebuffer(
    const struct gl_functions *gl, const kst_gl_surface *surface, const struct gl_layout *layout, kst_report *report);

#endif
