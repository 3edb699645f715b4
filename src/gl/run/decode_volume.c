/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes volumes to textures of three dimensions, by way of a buffer object that CUDA shares or the host maps. */
#include "core/report.h"
#include "gl/run/session.h"
#include "gl/texture_3d.h"
#include "run/volume.h"

struct volume_call {
    kst_gl *gl;
    const kst_gl_texture_3d *to;
    const void *data;
    size_t length;
    kst_volume_decode_options options;
    struct gl_cube cube;
    kst_volume volume;
    kst_gl_way way;
    kst_report report;
};

static kst_status choose_options(struct volume_call *c, const kst_volume_decode_options *options)
{
    kst_volume_decode_options_init(&c->options);
    if (options && options->size != sizeof *options)
        return kst_report_error(
            &c->report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "not set up by kst_volume_decode_options_init()");
    if (options)
        c->options = *options;
    if (!c->cube.is_float && c->options.sample != KST_SAMPLE_INTEGER)
        return kst_report_error(
            &c->report, KST_ERROR_IMAGE_SAMPLE, KST_NO_OFFSET, "the texture takes integers, not numbers");
    c->options.sample = c->cube.is_float ? KST_SAMPLE_FLOAT32 : KST_SAMPLE_INTEGER;
    return KST_OK;
}

/* Decode to memory where rows and slices lie as the buffer has them. */
static kst_status decode_to(struct volume_call *c, void *memory, kst_memory kind)
{
    const struct volume_request request = {.options = &c->options, .volume = &c->volume, .samples = true};
    c->volume.data = memory;
    c->volume.memory = kind;
    c->volume.pitch = c->cube.pitch;
    c->volume.slice_pitch = c->cube.slice_pitch;
    return kst_volume_run_decode(c->gl->context, c->data, c->length, &request, &c->report);
}

/* Decode to CUDA memory in which a buffer of OpenGL lies, and copy from there. */
static kst_status decode_exchanged(struct volume_call *c)
{
    const struct gl_functions *f = &c->gl->functions;
    struct gl_transfer *to = &c->gl->to;
    kst_status status = kst_gl_exchange_bind(c->gl, to, GL_PIXEL_UNPACK_BUFFER, c->cube.extent, &c->report);
    if (!status)
        status = decode_to(c, (void *)(uintptr_t)to->memory.pointer, KST_MEMORY_CUDA);
    if (status)
        return status;
    c->way = KST_GL_WAY_SHARED;
    status = kst_gl_fill_texture_3d(f, c->to, &c->cube, &c->volume, &c->report);
    kst_gl_foreign_used(f, &to->foreign);
    return status;
}

static kst_status decode_mapped(struct volume_call *c)
{
    const struct gl_functions *f = &c->gl->functions;
    const unsigned target = GL_PIXEL_UNPACK_BUFFER, access = GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT;
    kst_status status =
        kst_gl_staging_bind(f, &c->gl->to.staging, target, c->cube.extent, GL_STREAM_DRAW, false, &c->report);
    if (status)
        return status;
    void *memory = kst_gl_map(f, target, 0, c->cube.extent, access, &c->report);
    if (!memory)
        return c->report.status;
    status = decode_to(c, memory, KST_MEMORY_HOST);
    const kst_status unmapped = kst_gl_unmap(f, target, &c->report);
    const bool host = c->report.stage_device[KST_STAGE_PIXELS] <= KST_DEVICE_CPU;
    c->way = host ? KST_GL_WAY_MAPPED : KST_GL_WAY_COPIED;
    status = status ? status : unmapped;
    return status ? status : kst_gl_fill_texture_3d(f, c->to, &c->cube, &c->volume, &c->report);
}

static kst_status decode(struct volume_call *c, const kst_volume_decode_options *options)
{
    const struct volume_request description = {.options = &c->options, .volume = &c->volume};
    kst_status status = kst_gl_look_at_texture_3d(&c->gl->functions, c->to, &c->cube, &c->report);
    if (!status)
        status = choose_options(c, options);
    kst_volume_init(&c->volume);
    if (!status)
        status = kst_volume_run_decode(c->gl->context, c->data, c->length, &description, &c->report);
    if (!status)
        status = kst_gl_cube_settle(&c->cube, c->to, &c->volume, &c->report);
    if (status)
        return status;
    return c->gl->exchanges ? decode_exchanged(c) : decode_mapped(c);
}

static kst_status run(struct volume_call *c, const kst_volume_decode_options *options)
{
    struct gl_state state;
    kst_status status = kst_gl_begin(c->gl, &c->report);
    if (status)
        return status;
    if (c->to->size != sizeof *c->to)
        return kst_report_error(&c->report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "not set up by kst_gl_texture_3d_init()");
    kst_gl_enter(&c->gl->functions, &state);
    status = decode(c, options);
    kst_gl_leave(&c->gl->functions, &state);
    kst_gl_clear_errors(&c->gl->functions);
    return status;
}

kst_status kst_gl_run_decoding_volume(kst_gl *gl, const void *data, size_t length,
    const kst_volume_decode_options *options, const kst_gl_texture_3d *to, kst_gl_way *way, kst_report *report)
{
    struct volume_call call = {.gl = gl, .to = to, .data = data, .length = length};
    kst_report_init(&call.report);
    const kst_status status = run(&call, options);
    if (!status)
        *way = call.way;
    kst_report_copy(report, &call.report);
    return status;
}
