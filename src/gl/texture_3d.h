/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the caller's textures of three dimensions, and copies samples to them. */
#ifndef KOSTKA_GL_TEXTURE_3D_H
#define KOSTKA_GL_TEXTURE_3D_H

#include "gl/functions.h"

/* Describes a texture's samples, and those of a volume in a buffer object, rows of which begin at multiples of 4. */
struct gl_cube {
    uint32_t width, height, depth; /* of the texture */
    unsigned transfer, type;       /* OpenGL's names for the samples in the buffer */
    uint32_t bytes;                /* of a sample in the buffer */
    bool is_signed, is_float;
    size_t pitch, slice_pitch; /* of the volume in the buffer */
    size_t extent;             /* bytes of all of it */
};

/* Check a texture in the current context, and describe its samples. Afterwards it is bound. */
kst_status kst_gl_look_at_texture_3d(
    const struct gl_functions *gl, const kst_gl_texture_3d *texture, struct gl_cube *cube, kst_report *report);

/* Check that the texture takes a described volume where it is to go, and lay it out in a buffer. */
kst_status kst_gl_cube_settle(
    struct gl_cube *cube, const kst_gl_texture_3d *texture, const kst_volume *volume, kst_report *report);

/* Copy a volume of this size from the bound unpack buffer to the bound texture. */
kst_status kst_gl_fill_texture_3d(const struct gl_functions *gl, const kst_gl_texture_3d *texture,
    const struct gl_cube *cube, const kst_volume *volume, kst_report *report);

#endif
