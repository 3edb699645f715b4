/* SPDX-License-Identifier: BSD-2-Clause */
/* A context next to one of OpenGL's. */
#ifndef KOSTKA_GL_RUN_SESSION_H
#define KOSTKA_GL_RUN_SESSION_H

#include "core/context.h"
#include "device/cuda/block.h"
#include "device/cuda/gl.h"
#include "gl/foreign.h"
#include "gl/pixels.h"
#include "gl/state.h"

/* A pixel buffer object of the library's, which CUDA knows where it shares with OpenGL. */
struct gl_transfer {
    struct gl_staging staging;
    cu_resource resource; /* null: CUDA does not know it */
    /* Instead, where OpenGL takes CUDA's memory: nothing has to be handed over then. */
    struct cuda_block block;
    struct gl_foreign foreign; /* its buffer is in the block */
};

struct kst_gl {
    kst_context *context;
    struct gl_functions functions;
    void *current; /* the OpenGL context; null where there is no telling */
    bool shares;
    bool exchanges;              /* OpenGL takes CUDA's memory */
    struct cuda_gl cuda;         /* open where it shares */
    struct cuda_blocks blocks;   /* likewise */
    struct gl_transfer to, from; /* towards OpenGL, and from there */
};

/* These do the work of kst_gl_create() and kst_gl_destroy(), whose arguments have been checked. */
kst_status kst_gl_make(kst_context *context, const kst_gl_options *options, kst_gl **gl, kst_report *report);
void kst_gl_drop(kst_gl *gl);

/* These do the work of kst_gl_decode() and kst_gl_encode(); the caller has set `way` to KST_GL_WAY_NONE. */
kst_status kst_gl_run_decoding(kst_gl *gl, const void *data, size_t length, const kst_decode_options *options,
    const kst_gl_surface *to, kst_gl_way *way, kst_report *report);
kst_status kst_gl_run_encoding(kst_gl *gl, const kst_gl_surface *from, const kst_encode_options *options,
    kst_buffer *output, kst_gl_way *way, kst_report *report);

/* A call on it may start: the right OpenGL context is current, fit for work, and has no error of the caller's to tell.
 */
kst_status kst_gl_begin(kst_gl *gl, kst_report *report);

/* Bind a transfer's buffer to a target, of at least `length` bytes, known to CUDA. `unpack`: towards OpenGL. */
kst_status kst_gl_share_bind(kst_gl *gl, bool unpack, size_t length, kst_report *report);

/*
 * Where `exchanges`: bind a transfer's buffer likewise, in CUDA's memory, which nothing of OpenGL's works with any
 * more.
 */
kst_status kst_gl_exchange_bind(
    kst_gl *gl, struct gl_transfer *transfer, unsigned target, size_t length, kst_report *report);

/* Whether OpenGL takes CUDA's memory: tried out, with nothing left bound. */
bool kst_gl_exchange_try(kst_gl *gl);

/* The picture in the transfer's memory that starts with the layout's first row; in a caller's buffer it has an offset.
 */
void kst_gl_exchange_image(const struct gl_transfer *transfer, const struct gl_layout *layout, kst_image *image);

/* Whether a caller's buffer can have the pixels in one copy from or to that memory. */
bool kst_gl_exchange_suits(const struct gl_layout *layout);

/*
 * Copy an image in the device's memory to or from a buffer object on the device. `resource`: by which CUDA knows it;
 * null: it does not yet, nor does it afterwards.
 */
kst_status kst_gl_share_copy(kst_gl *gl, cu_resource resource, unsigned buffer, const struct gl_layout *layout,
    const kst_image *image, bool unpack, kst_report *report);

/* The picture in mapped memory that starts with the layout's first row. */
void kst_gl_wrap(kst_image *image, const struct gl_layout *layout, void *memory, bool flip);

#endif
