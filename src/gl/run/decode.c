/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes pictures to textures and buffer objects of OpenGL. */
#include "core/report.h"
#include "gl/run/session.h"
#include "run/decoding.h"

struct decode_call {
    kst_gl *gl;
    const kst_gl_surface *to;
    struct gl_layout layout;
    kst_decode_options options;
    kst_decoder decoder;
    kst_image image;
    size_t extent;
    kst_gl_way way;
    kst_report report;
};

static kst_status look(struct decode_call *c)
{
    const struct gl_functions *f = &c->gl->functions;
    return c->to->kind == KST_GL_TEXTURE
               ? kst_gl_look_at_texture(f, c->to, &c->layout, &c->report)
               : kst_gl_look_at_buffer(f, c->to, GL_PIXEL_UNPACK_BUFFER, &c->layout, &c->report);
}

static kst_status choose_options(struct decode_call *c, const kst_decode_options *options)
{
    kst_decode_options_init(&c->options);
    if (options)
        c->options = *options;
    if (c->options.size != sizeof c->options)
        return kst_report_error(&c->report, KST_ERROR_OPTIONS, KST_NO_OFFSET, NULL);
    if (c->options.sample != KST_SAMPLE_INTEGER)
        return kst_report_error(&c->report, KST_ERROR_IMAGE_SAMPLE, KST_NO_OFFSET, "integers alone go to OpenGL");
    if (c->layout.format == KST_FORMAT_AUTO || c->options.format == c->layout.format)
        return KST_OK;
    if (c->options.format != KST_FORMAT_AUTO)
        return kst_report_error(
            &c->report, KST_ERROR_IMAGE_FORMAT, KST_NO_OFFSET, "another format than that of the surface is asked for");
    c->options.format = c->layout.format;
    return KST_OK;
}

/* Make the decoder's report that of the call. */
static kst_status take_report(struct decode_call *c, kst_status status)
{
    c->report = c->decoder.report;
    return status;
}

/* Check that the surface takes a picture of the decoded size and format. */
static kst_status compare(struct decode_call *c)
{
    struct gl_layout *layout = &c->layout;
    const kst_image *image = &c->image;
    const uint32_t wanted[2] = {
        layout->width ? layout->width : image->width, layout->height ? layout->height : image->height};
    if ((c->to->width && c->to->width != image->width) || (c->to->height && c->to->height != image->height) ||
        wanted[0] != image->width || wanted[1] != image->height)
        return kst_report_error(&c->report, KST_ERROR_IMAGE_SIZE, KST_NO_OFFSET,
            "the picture is %u × %u, the surface %u × %u", image->width, image->height,
            c->to->width ? c->to->width : wanted[0], c->to->height ? c->to->height : wanted[1]);
    if (kst_format_channels(image->format) == 0)
        return kst_report_error(&c->report, KST_ERROR_IMAGE_FORMAT, KST_NO_OFFSET, "only interleaved formats go here");
    layout->format = image->format;
    layout->width = image->width;
    layout->height = image->height;
    return kst_gl_layout_settle(layout, &c->extent, &c->report);
}

static kst_status decode_shared(struct decode_call *c)
{
    kst_gl *gl = c->gl;
    bool texture = c->to->kind == KST_GL_TEXTURE;
    kst_status status = texture ? kst_gl_share_bind(gl, true, c->extent, &c->report) : KST_OK;
    if (status)
        return status;
    kst_image_init(&c->image);
    c->image.memory = KST_MEMORY_CUDA;
    status = take_report(c, kst_decoder_decode(&c->decoder, &c->options, &c->image));
    if (status)
        return status;
    status = kst_gl_share_copy(gl, texture ? gl->to.resource : NULL, texture ? gl->to.staging.name : c->to->name,
        &c->layout, &c->image, true, &c->report);
    kst_image_release(gl->context, &c->image);
    c->way = KST_GL_WAY_SHARED;
    return status;
}

/* Decode to CUDA memory from which OpenGL copies. A caller's buffer is bound as the unpack buffer. */
static kst_status decode_exchanged(struct decode_call *c)
{
    const struct gl_functions *f = &c->gl->functions;
    struct gl_transfer *to = &c->gl->to;
    bool texture = c->to->kind == KST_GL_TEXTURE;
    unsigned target = texture ? GL_PIXEL_UNPACK_BUFFER : GL_PIXEL_PACK_BUFFER;
    kst_status status = kst_gl_exchange_bind(c->gl, to, target, c->extent, &c->report);
    if (status)
        return status;
    kst_gl_exchange_image(to, &c->layout, &c->image);
    status = take_report(c, kst_decoder_decode(&c->decoder, &c->options, &c->image));
    if (status)
        return status;
    c->way = KST_GL_WAY_SHARED;
    if (texture)
        status = kst_gl_fill_texture(f, &c->layout, c->to->mipmaps, &c->report);
    else
        f->buffer_copy(
            GL_PIXEL_PACK_BUFFER, GL_PIXEL_UNPACK_BUFFER, 0, (intptr_t)c->layout.offset, (intptr_t)c->extent);
    kst_gl_foreign_used(f, &to->foreign);
    return status ? status : kst_gl_check(f, "glCopyBufferSubData", &c->report);
}

static kst_status decode_mapped(struct decode_call *c)
{
    const struct gl_functions *f = &c->gl->functions;
    const unsigned target = GL_PIXEL_UNPACK_BUFFER;
    bool texture = c->to->kind == KST_GL_TEXTURE;
    unsigned access = texture ? GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT : GL_MAP_WRITE_BIT;
    kst_status status = KST_OK;
    if (texture)
        status = kst_gl_staging_bind(f, &c->gl->to.staging, target, c->extent, GL_STREAM_DRAW, false, &c->report);
    if (status)
        return status;
    void *memory = kst_gl_map(f, target, c->layout.offset, c->extent, access, &c->report);
    if (!memory)
        return c->report.status;
    kst_gl_wrap(&c->image, &c->layout, memory, c->to->flip);
    status = take_report(c, kst_decoder_decode(&c->decoder, &c->options, &c->image));
    kst_status unmapped = kst_gl_unmap(f, target, &c->report);
    bool host = c->report.stage_device[KST_STAGE_PIXELS] <= KST_DEVICE_CPU;
    c->way = host ? KST_GL_WAY_MAPPED : KST_GL_WAY_COPIED;
    return status ? status : unmapped;
}

static kst_status decode(struct decode_call *c, const void *data, size_t length, const kst_decode_options *options)
{
    kst_status status = look(c);
    if (!status)
        status = choose_options(c, options);
    if (!status)
        status = take_report(c, kst_decoder_open(&c->decoder, data, length));
    if (!status)
        status = take_report(c, kst_decoder_describe(&c->decoder, &c->options, &c->image));
    if (!status)
        status = compare(c);
    if (status)
        return status;
    bool shares = c->gl->shares && !c->to->flip;
    if (shares && c->gl->exchanges && (c->to->kind == KST_GL_TEXTURE || kst_gl_exchange_suits(&c->layout)))
        return decode_exchanged(c);
    status = shares ? decode_shared(c) : decode_mapped(c);
    if (!status && c->to->kind == KST_GL_TEXTURE)
        status = kst_gl_fill_texture(&c->gl->functions, &c->layout, c->to->mipmaps, &c->report);
    return status;
}

static kst_status run(struct decode_call *c, const void *data, size_t length, const kst_decode_options *options)
{
    struct gl_state state;
    kst_status status = kst_gl_begin(c->gl, &c->report);
    if (!status)
        status = kst_gl_surface_check(c->to, false, &c->report);
    if (status)
        return status;
    kst_decoder_start(&c->decoder, c->gl->context);
    kst_gl_enter(&c->gl->functions, &state);
    status = decode(c, data, length, options);
    kst_gl_leave(&c->gl->functions, &state);
    kst_gl_clear_errors(&c->gl->functions);
    kst_decoder_close(&c->decoder);
    return status;
}

kst_status kst_gl_run_decoding(kst_gl *gl, const void *data, size_t length, const kst_decode_options *options,
    const kst_gl_surface *to, kst_gl_way *way, kst_report *report)
{
    struct decode_call call = {.gl = gl, .to = to};
    kst_report_init(&call.report);
    kst_status status = run(&call, data, length, options);
    if (!status)
        *way = call.way;
    kst_report_copy(report, &call.report);
    return status;
}
