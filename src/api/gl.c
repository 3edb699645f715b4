/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the entry points of kst_gl, which decodes pictures to OpenGL's objects and encodes them from there. */
#include "core/report.h"
#include "gl/run/session.h"

void kst_gl_options_init(kst_gl_options *options)
{
    if (options)
        *options = (kst_gl_options){.size = sizeof *options};
}

void kst_gl_surface_init(kst_gl_surface *surface)
{
    if (surface)
        *surface = (kst_gl_surface){.size = sizeof *surface};
}

kst_status kst_gl_create(kst_context *context, const kst_gl_options *options, kst_gl **gl, kst_report *report)
{
    kst_report own;
    kst_report_init(&own);
    if (gl)
        *gl = NULL;
    kst_status status = context && options && gl ? kst_gl_make(context, options, gl, &own)
                                                 : kst_report_error(&own, KST_ERROR_ARGUMENT, KST_NO_OFFSET, NULL);
    kst_report_copy(report, &own);
    if (status && context)
        kst_context_log(context, KST_LOG_ERROR, "OpenGL: %s", own.message);
    return status;
}

void kst_gl_destroy(kst_gl **gl)
{
    if (!gl || !*gl)
        return;
    kst_gl_drop(*gl);
    *gl = NULL;
}

static kst_status refuse(kst_report *report)
{
    kst_report own;
    kst_report_init(&own);
    kst_report_error(&own, KST_ERROR_ARGUMENT, KST_NO_OFFSET, NULL);
    kst_report_copy(report, &own);
    return KST_ERROR_ARGUMENT;
}

kst_status kst_gl_decode(kst_gl *gl, const void *data, size_t length, const kst_decode_options *options,
    const kst_gl_surface *to, kst_gl_way *way, kst_report *report)
{
    kst_gl_way taken = KST_GL_WAY_NONE;
    bool whole = gl && to && (data || length == 0);
    kst_status status = whole ? kst_gl_run_decoding(gl, data, length, options, to, &taken, report) : refuse(report);
    if (way)
        *way = taken;
    return status;
}

void kst_gl_texture_3d_init(kst_gl_texture_3d *texture)
{
    if (texture)
        *texture = (kst_gl_texture_3d){.size = sizeof *texture};
}

kst_status kst_gl_decode_volume(kst_gl *gl, const void *data, size_t length, const kst_volume_decode_options *options,
    const kst_gl_texture_3d *to, kst_gl_way *way, kst_report *report)
{
    kst_gl_way taken = KST_GL_WAY_NONE;
    const bool whole = gl && to && (data || length == 0);
    kst_status status =
        whole ? kst_gl_run_decoding_volume(gl, data, length, options, to, &taken, report) : refuse(report);
    if (way)
        *way = taken;
    return status;
}

kst_status kst_gl_encode(kst_gl *gl, const kst_gl_surface *from, const kst_encode_options *options, kst_buffer *output,
    kst_gl_way *way, kst_report *report)
{
    kst_gl_way taken = KST_GL_WAY_NONE;
    bool whole = gl && from && output;
    kst_status status = whole ? kst_gl_run_encoding(gl, from, options, output, &taken, report) : refuse(report);
    if (way)
        *way = taken;
    return status;
}
