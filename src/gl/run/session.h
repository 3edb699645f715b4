/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares kst_gl, which ties a kst_context to an OpenGL context, and the functions that its calls share. */
#ifndef KOSTKA_GL_RUN_SESSION_H
#define KOSTKA_GL_RUN_SESSION_H

#include "core/context.h"
#include "device/cuda/gl.h"
#include "device/cuda/shared.h"
#include "gl/foreign.h"
#include "gl/pixels.h"
#include "gl/state.h"

/* Describes a pixel buffer object of the library. It is registered with CUDA if CUDA and OpenGL share a device. */
struct gl_transfer {
    struct gl_staging staging;
    cu_resource resource; /* null: it is not registered with CUDA */
    /* These are used instead if OpenGL can use CUDA's memory, which then need not be mapped for each call. */
    struct cuda_shared_memory memory;
    struct gl_foreign foreign; /* its buffer lies in `memory` */
};

struct kst_gl {
    kst_context *context;
    struct gl_functions functions;
    void *current; /* the OpenGL context; null if it cannot be known */
    bool shares;
    bool exchanges;              /* OpenGL can use CUDA's memory */
    struct cuda_gl cuda;         /* open if CUDA and OpenGL share a device */
    struct cuda_sharing sharing; /* likewise */
    struct gl_transfer to, from; /* to OpenGL, and from OpenGL */
};

/* These do the work of kst_gl_create() and kst_gl_destroy(), whose arguments have been checked. */
kst_status kst_gl_make(kst_context *context, const kst_gl_options *options, kst_gl **gl, kst_report *report);
void kst_gl_drop(kst_gl *gl);

/* These do the work of kst_gl_decode() and kst_gl_encode(); the caller has set `way` to KST_GL_WAY_NONE. */
kst_status kst_gl_run_decoding(kst_gl *gl, const void *data, size_t length, const kst_decode_options *options,
    const kst_gl_surface *to, kst_gl_way *way, kst_report *report);
kst_status kst_gl_run_encoding(kst_gl *gl, const kst_gl_surface *from, const kst_encode_options *options,
    kst_buffer *output, kst_gl_way *way, kst_report *report);

kst_status kst_gl_run_decoding_volume(kst_gl *gl, const void *data, size_t length,
    const kst_volume_decode_options *options, const kst_gl_texture_3d *to, kst_gl_way *way, kst_report *report);

/* Check that a call may start: the right OpenGL context is current, usable, and holds no error of the caller's. */
kst_status kst_gl_begin(kst_gl *gl, kst_report *report);

/*
 * Bind the buffer of a transfer, of at least `length` bytes, and register it with CUDA. With `unpack` it is the
 * transfer to OpenGL and the unpack buffer, otherwise the other transfer and the pack buffer.
 */
kst_status kst_gl_share_bind(kst_gl *gl, bool unpack, size_t length, kst_report *report);

/*
 * Bind a transfer's buffer in CUDA's memory, if `exchanges` is set. Afterwards OpenGL has finished its earlier work
 * with that memory.
 */
kst_status kst_gl_exchange_bind(
    kst_gl *gl, struct gl_transfer *transfer, unsigned target, size_t length, kst_report *report);

/* Find out by trying whether OpenGL can use CUDA's memory. Nothing stays bound. */
bool kst_gl_exchange_try(kst_gl *gl);

/*
 * Describe the picture in the transfer's memory, which starts with the layout's first row. (In a caller's buffer the
 * first row has an offset.)
 */
void kst_gl_exchange_image(const struct gl_transfer *transfer, const struct gl_layout *layout, kst_image *image);

/*
 * Return whether one copy suffices between that memory and the pixels in a caller's buffer: the rows have no padding.
 */
bool kst_gl_exchange_suits(const struct gl_layout *layout);

/*
 * Copy an image in the device's memory to or from a buffer object on the device. `resource` is the buffer's
 * registration with CUDA; if null, the buffer is registered for this copy only.
 */
kst_status kst_gl_share_copy(kst_gl *gl, cu_resource resource, unsigned buffer, const struct gl_layout *layout,
    const kst_image *image, bool unpack, kst_report *report);

/* Describe the picture in mapped memory, which starts with the layout's first row. */
void kst_gl_wrap(kst_image *image, const struct gl_layout *layout, void *memory, bool flip);

#endif
