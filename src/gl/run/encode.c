/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes pictures from textures, framebuffers and buffer objects of OpenGL. */
#include "core/report.h"
#include "gl/run/session.h"

struct encode_call {
    kst_gl *gl;
    const kst_gl_surface *from;
    const kst_encode_options *options;
    kst_buffer *output;
    struct gl_layout layout;
    size_t extent;
    kst_gl_way way;
    kst_report report;
};

static kst_status look(struct encode_call *c)
{
    const struct gl_functions *f = &c->gl->functions;
    kst_status status;
    if (c->from->kind == KST_GL_BUFFER)
        return kst_gl_look_at_buffer(f, c->from, GL_PIXEL_PACK_BUFFER, &c->layout, &c->report);
    if (c->from->kind == KST_GL_FRAMEBUFFER)
        return kst_gl_look_at_framebuffer(f, c->from, &c->layout, &c->report);
    status = kst_gl_look_at_texture(f, c->from, &c->layout, &c->report);
    if (!status && c->layout.transfer == GL_RGB) { /* every OpenGL ES can read four channels */
        c->layout.format = KST_FORMAT_RGBA;
        c->layout.transfer = GL_RGBA;
    }
    if (!status && ((c->from->width && c->from->width != c->layout.width) ||
                       (c->from->height && c->from->height != c->layout.height)))
        return kst_report_error(&c->report, KST_ERROR_IMAGE_SIZE, KST_NO_OFFSET, "the texture is %u × %u",
            c->layout.width, c->layout.height);
    return status;
}

/* Let OpenGL copy pixels to the bound pack buffer. In a caller's buffer they are already there. */
static kst_status read_pixels(struct encode_call *c)
{
    const struct gl_functions *f = &c->gl->functions;
    if (c->from->kind == KST_GL_TEXTURE)
        return kst_gl_read_texture(f, c->from->name, &c->layout, &c->report);
    return c->from->kind == KST_GL_FRAMEBUFFER ? kst_gl_read_framebuffer(f, c->from, &c->layout, &c->report) : KST_OK;
}

static kst_status encode_shared(struct encode_call *c)
{
    kst_gl *gl = c->gl;
    kst_image image;
    bool buffer = c->from->kind == KST_GL_BUFFER;
    kst_status status = buffer ? KST_OK : kst_gl_share_bind(gl, false, c->extent, &c->report);
    if (!status)
        status = read_pixels(c);
    if (status)
        return status;
    kst_image_init(&image);
    image.format = c->layout.format;
    image.memory = KST_MEMORY_CUDA;
    image.width = c->layout.width;
    image.height = c->layout.height;
    status = kst_image_allocate(gl->context, &image);
    if (status)
        return kst_report_error(&c->report, status, KST_NO_OFFSET, NULL);
    status = kst_gl_share_copy(gl, buffer ? NULL : gl->from.resource, buffer ? c->from->name : gl->from.staging.name,
        &c->layout, &image, false, &c->report);
    if (!status)
        status = kst_encode(gl->context, &image, c->options, c->output, &c->report);
    kst_image_release(gl->context, &image);
    c->way = KST_GL_WAY_SHARED;
    return status;
}

/* Encode from CUDA memory to which OpenGL has copied. A caller's buffer is bound as the pack buffer. */
static kst_status encode_exchanged(struct encode_call *c)
{
    const struct gl_functions *f = &c->gl->functions;
    struct gl_transfer *from = &c->gl->from;
    bool buffer = c->from->kind == KST_GL_BUFFER;
    unsigned target = buffer ? GL_PIXEL_UNPACK_BUFFER : GL_PIXEL_PACK_BUFFER;
    kst_image image;
    kst_status status = kst_gl_exchange_bind(c->gl, from, target, c->extent, &c->report);
    if (!status && buffer)
        f->buffer_copy(
            GL_PIXEL_PACK_BUFFER, GL_PIXEL_UNPACK_BUFFER, (intptr_t)c->layout.offset, 0, (intptr_t)c->extent);
    if (!status)
        status = buffer ? kst_gl_check(f, "glCopyBufferSubData", &c->report) : read_pixels(c);
    if (status)
        return status;
    kst_gl_foreign_used(f, &from->foreign);
    status = kst_gl_foreign_wait(f, &from->foreign, &c->report);
    if (status)
        return status;
    kst_gl_exchange_image(from, &c->layout, &image);
    c->way = KST_GL_WAY_SHARED;
    return kst_encode(c->gl->context, &image, c->options, c->output, &c->report);
}

static kst_status encode_mapped(struct encode_call *c)
{
    const struct gl_functions *f = &c->gl->functions;
    const unsigned target = GL_PIXEL_PACK_BUFFER;
    kst_image image;
    kst_status status = KST_OK;
    if (c->from->kind != KST_GL_BUFFER)
        status = kst_gl_staging_bind(f, &c->gl->from.staging, target, c->extent, GL_STREAM_READ, true, &c->report);
    if (!status)
        status = read_pixels(c);
    if (status)
        return status;
    void *memory = kst_gl_map(f, target, c->layout.offset, c->extent, GL_MAP_READ_BIT, &c->report);
    if (!memory)
        return c->report.status;
    kst_gl_wrap(&image, &c->layout, memory, c->from->flip);
    status = kst_encode(c->gl->context, &image, c->options, c->output, &c->report);
    kst_status unmapped = kst_gl_unmap(f, target, &c->report);
    if (unmapped && !status && c->output->owned) /* the pixels may have changed while they were read */
        kst_buffer_release(c->gl->context, c->output);
    bool host = c->report.stage_device[KST_STAGE_PIXELS] <= KST_DEVICE_CPU;
    c->way = host ? KST_GL_WAY_MAPPED : KST_GL_WAY_COPIED;
    return status ? status : unmapped;
}

static kst_status run(struct encode_call *c)
{
    const struct gl_functions *f = &c->gl->functions;
    struct gl_state state;
    kst_status status = kst_gl_begin(c->gl, &c->report);
    if (!status)
        status = kst_gl_surface_check(c->from, true, &c->report);
    if (status)
        return status;
    kst_gl_enter(f, &state);
    status = look(c);
    if (!status)
        status = kst_gl_layout_settle(&c->layout, &c->extent, &c->report);
    bool shares = c->gl->shares && !c->from->flip;
    if (!status && shares && c->gl->exchanges && (c->from->kind != KST_GL_BUFFER || kst_gl_exchange_suits(&c->layout)))
        status = encode_exchanged(c);
    else if (!status)
        status = shares ? encode_shared(c) : encode_mapped(c);
    kst_gl_leave(f, &state);
    kst_gl_clear_errors(f);
    return status;
}

kst_status kst_gl_run_encoding(kst_gl *gl, const kst_gl_surface *from, const kst_encode_options *options,
    kst_buffer *output, kst_gl_way *way, kst_report *report)
{
    struct encode_call call = {.gl = gl, .from = from, .options = options, .output = output};
    kst_report_init(&call.report);
    kst_status status = run(&call);
    if (!status)
        *way = call.way;
    kst_report_copy(report, &call.report);
    return status;
}
