/* SPDX-License-Identifier: BSD-2-Clause */
/* A context next to one of OpenGL's. */
#ifndef KOSTKA_API_GL_H
#define KOSTKA_API_GL_H

#include "core/context.h"
#include "gl/pixels.h"
#include "gl/state.h"
#include "gpu/cuda_gl.h"

/* A pixel buffer object of the library's, which CUDA knows where it shares with OpenGL. */
struct gl_transfer {
    struct gl_staging staging;
    cu_resource resource; /* null: CUDA does not know it */
};

struct kst_gl {
    kst_context *context;
    struct gl_functions functions;
    void *current; /* the OpenGL context; null where there is no telling */
    bool shares;
    struct cuda_gl cuda;         /* open where it shares */
    struct gl_transfer to, from; /* towards OpenGL, and from there */
};

/* A call on it may start: the right OpenGL context is current, fit for work, and has no error of the caller's to tell.
 */
kst_status kst_gl_begin(kst_gl *gl, kst_report *report);

/* Bind a transfer's buffer to a target, of at least `length` bytes, known to CUDA. `unpack`: towards OpenGL. */
kst_status kst_gl_share_bind(kst_gl *gl, bool unpack, size_t length, kst_report *report);

/*
 * Copy an image in the device's memory to or from a buffer object on the device. `resource`: by which CUDA knows it;
 * null: it does not yet, nor does it afterwards.
 */
kst_status kst_gl_share_copy(kst_gl *gl, cu_resource resource, unsigned buffer, const struct gl_layout *layout,
    const kst_image *image, bool unpack, kst_report *report);

/* The picture in mapped memory that starts with the layout's first row. */
void kst_gl_wrap(kst_image *image, const struct gl_layout *layout, void *memory, bool flip);

#endif
