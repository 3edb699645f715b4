/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks textures of three dimensions, which have one channel, and copies samples to them from a buffer object. */
#include "gl/texture_3d.h"

#include "core/report.h"
#include "image/volume.h"

enum { ALIGNMENT = 4 /* of rows in a buffer, as kst_gl_enter() sets it */ };

/* The formats of textures: OpenGL's names, and the samples in a buffer from which OpenGL copies. */
static const struct cube_format {
    int internal;
    unsigned transfer, type;
    uint8_t bytes;
    bool is_signed, is_float;
} formats[] = {
    {GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1, false, false},
    {GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1, false, false},
    {GL_R8_SNORM, GL_RED, GL_BYTE, 1, true, false},
    {GL_R8I, GL_RED_INTEGER, GL_BYTE, 1, true, false},
    {GL_R16, GL_RED, GL_UNSIGNED_SHORT, 2, false, false},
    {GL_R16UI, GL_RED_INTEGER, GL_UNSIGNED_SHORT, 2, false, false},
    {GL_R16_SNORM, GL_RED, GL_SHORT, 2, true, false},
    {GL_R16I, GL_RED_INTEGER, GL_SHORT, 2, true, false},
    {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 4, false, false},
    {GL_R32I, GL_RED_INTEGER, GL_INT, 4, true, false},
    {GL_R32F, GL_RED, GL_FLOAT, 4, true, true},
    {GL_R16F, GL_RED, GL_FLOAT, 4, true, true},
};

static kst_status refuse(kst_report *report, kst_status status, const char *text)
{
    return kst_report_error(report, status, KST_NO_OFFSET, "%s", text);
}

static kst_status choose_format(int internal, bool mipmaps, struct gl_cube *cube, kst_report *report)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct cube_format *format = &formats[i];
        if (format->internal != internal)
            continue;
        cube->transfer = format->transfer;
        cube->type = format->type;
        cube->bytes = format->bytes;
        cube->is_signed = format->is_signed;
        cube->is_float = format->is_float;
        if (mipmaps && format->transfer == GL_RED_INTEGER)
            return refuse(report, KST_ERROR_IMAGE_FORMAT, "OpenGL makes no mipmaps of integers");
        return KST_OK;
    }
    return kst_report_error(
        report, KST_ERROR_IMAGE_FORMAT, KST_NO_OFFSET, "a texture of the internal format 0x%04X", (unsigned)internal);
}

kst_status kst_gl_look_at_texture_3d(
    const struct gl_functions *gl, const kst_gl_texture_3d *texture, struct gl_cube *cube, kst_report *report)
{
    int sides[3] = {0}, internal = 0;
    *cube = (struct gl_cube){.bytes = 0};
    if (texture->name == 0 || !gl->is_texture(texture->name))
        return refuse(report, KST_ERROR_GL_OBJECT, "no texture has this name");
    gl->bind_texture(GL_TEXTURE_3D, texture->name);
    if (kst_gl_clear_errors(gl) != GL_NO_ERROR)
        return refuse(report, KST_ERROR_GL_OBJECT, "not a texture of the kind GL_TEXTURE_3D");
    gl->get_level(GL_TEXTURE_3D, 0, GL_TEXTURE_WIDTH, &sides[0]);
    gl->get_level(GL_TEXTURE_3D, 0, GL_TEXTURE_HEIGHT, &sides[1]);
    gl->get_level(GL_TEXTURE_3D, 0, GL_TEXTURE_DEPTH, &sides[2]);
    gl->get_level(GL_TEXTURE_3D, 0, GL_TEXTURE_INTERNAL_FORMAT, &internal);
    if (kst_gl_check(gl, "glGetTexLevelParameteriv", report))
        return KST_ERROR_GL_FAILED;
    if (sides[0] <= 0 || sides[1] <= 0 || sides[2] <= 0)
        return refuse(report, KST_ERROR_GL_OBJECT, "the texture has no storage");
    cube->width = (uint32_t)sides[0];
    cube->height = (uint32_t)sides[1];
    cube->depth = (uint32_t)sides[2];
    return choose_format(internal, texture->mipmaps, cube, report);
}

static bool is_within(uint32_t from, uint32_t length, uint32_t side)
{
    return from < side && length <= side - from;
}

kst_status kst_gl_cube_settle(
    struct gl_cube *cube, const kst_gl_texture_3d *texture, const kst_volume *volume, kst_report *report)
{
    if (!is_within(texture->x, volume->width, cube->width) || !is_within(texture->y, volume->height, cube->height) ||
        !is_within(texture->z, volume->depth, cube->depth))
        return kst_report_error(report, KST_ERROR_IMAGE_SIZE, KST_NO_OFFSET,
            "%u × %u × %u samples from x %u, y %u, z %u on are not within the texture's %u × %u × %u", volume->width,
            volume->height, volume->depth, texture->x, texture->y, texture->z, cube->width, cube->height, cube->depth);
    if (!cube->is_float && (kst_volume_sample_bytes(volume) != cube->bytes || volume->is_signed != cube->is_signed))
        return kst_report_error(report, KST_ERROR_IMAGE_DEPTH, KST_NO_OFFSET,
            "samples of %u bits %s signs for a texture of %u %s", volume->bits, volume->is_signed ? "with" : "without",
            8 * cube->bytes, cube->is_signed ? "with" : "without");
    const uint64_t pitch = ((uint64_t)volume->width * cube->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const uint64_t slice = pitch * volume->height; /* below 2^33 × 2^31, as OpenGL's sides are below 2^31 */
    if (slice > (uint64_t)PTRDIFF_MAX / volume->depth)
        return refuse(report, KST_ERROR_IMAGE_SIZE, "more bytes than a buffer can have");
    cube->pitch = (size_t)pitch;
    cube->slice_pitch = (size_t)slice;
    cube->extent = (size_t)slice * volume->depth;
    return KST_OK;
}

kst_status kst_gl_fill_texture_3d(const struct gl_functions *gl, const kst_gl_texture_3d *texture,
    const struct gl_cube *cube, const kst_volume *volume, kst_report *report)
{
    gl->texture_write_3d(GL_TEXTURE_3D, 0, (int)texture->x, (int)texture->y, (int)texture->z, (int)volume->width,
        (int)volume->height, (int)volume->depth, cube->transfer, cube->type, NULL);
    kst_status status = kst_gl_check(gl, "glTexSubImage3D", report);
    if (status || !texture->mipmaps)
        return status;
    gl->make_mipmaps(GL_TEXTURE_3D);
    return kst_gl_check(gl, "glGenerateMipmap", report);
}
