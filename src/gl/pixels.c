/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves pixels between pixel buffer objects, textures and framebuffers. */
#include "gl/pixels.h"

#include "core/report.h"

kst_status kst_gl_staging_bind(const struct gl_functions *gl, struct gl_staging *staging, unsigned target,
    size_t length, unsigned use, bool fresh, kst_report *report)
{
    if (staging->name == 0)
        gl->buffers_make(1, &staging->name);
    gl->bind_buffer(target, staging->name);
    if (length > staging->length || fresh) {
        size_t wanted = length > staging->length ? length : staging->length;
        staging->length = 0;
        gl->buffer_data(target, (intptr_t)wanted, NULL, use);
        kst_status status = kst_gl_check(gl, "glBufferData", report);
        if (status)
            return status;
        staging->length = wanted;
    }
    return KST_OK;
}

void kst_gl_staging_delete(const struct gl_functions *gl, struct gl_staging *staging)
{
    if (staging->name != 0)
        gl->buffers_delete(1, &staging->name);
    *staging = (struct gl_staging){.name = 0};
}

void *kst_gl_map(
    const struct gl_functions *gl, unsigned target, size_t offset, size_t length, unsigned access, kst_report *report)
{
    void *memory = gl->map(target, (intptr_t)offset, (intptr_t)length, access);
    kst_status status = kst_gl_check(gl, "glMapBufferRange", report);
    if (!memory && !status)
        kst_report_error(report, KST_ERROR_GL_FAILED, KST_NO_OFFSET, "glMapBufferRange");
    return memory;
}

kst_status kst_gl_unmap(const struct gl_functions *gl, unsigned target, kst_report *report)
{
    bool kept = gl->unmap(target);
    kst_status status = kst_gl_check(gl, "glUnmapBuffer", report);
    if (!kept && !status)
        return kst_report_error(report, KST_ERROR_GL_FAILED, KST_NO_OFFSET, "the buffer's memory was lost");
    return status;
}

kst_status kst_gl_fill_texture(
    const struct gl_functions *gl, const struct gl_layout *layout, bool mipmaps, kst_report *report)
{
    gl->texture_write(
        GL_TEXTURE_2D, 0, 0, 0, (int)layout->width, (int)layout->height, layout->transfer, GL_UNSIGNED_BYTE, NULL);
    kst_status status = kst_gl_check(gl, "glTexSubImage2D", report);
    if (!mipmaps || status)
        return status;
    gl->make_mipmaps(GL_TEXTURE_2D);
    return kst_gl_check(gl, "glGenerateMipmap", report);
}

/*
 * Read a texture of OpenGL ES, which can read one only as the attachment of a framebuffer, and only in the formats that
 * it supports for reading.
 */
static kst_status read_by_framebuffer(
    const struct gl_functions *gl, unsigned name, const struct gl_layout *layout, kst_report *report)
{
    unsigned framebuffer = 0;
    int wanted = GL_RED;
    kst_status status = KST_OK;
    gl->framebuffers_make(1, &framebuffer);
    gl->bind_framebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    gl->framebuffer_texture(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
    bool complete = gl->framebuffer_check(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    if (complete && layout->transfer == GL_RED)
        gl->get(GL_COLOR_READ_FORMAT, &wanted);
    if (!complete || wanted != GL_RED)
        status = kst_report_error(
            report, KST_ERROR_IMAGE_FORMAT, KST_NO_OFFSET, "this OpenGL ES does not read textures of this format");
    else
        gl->read(0, 0, (int)layout->width, (int)layout->height, layout->transfer, GL_UNSIGNED_BYTE, NULL);
    gl->framebuffers_delete(1, &framebuffer);
    return status ? status : kst_gl_check(gl, "glReadPixels", report);
}

kst_status kst_gl_read_texture(
    const struct gl_functions *gl, unsigned name, const struct gl_layout *layout, kst_report *report)
{
    if (!gl->texture_read)
        return read_by_framebuffer(gl, name, layout, report);
    gl->texture_read(GL_TEXTURE_2D, 0, layout->transfer, GL_UNSIGNED_BYTE, NULL);
    return kst_gl_check(gl, "glGetTexImage", report);
}

kst_status kst_gl_read_framebuffer(
    const struct gl_functions *gl, const kst_gl_surface *surface, const struct gl_layout *layout, kst_report *report)
{
    gl->read((int)surface->x, (int)surface->y, (int)layout->width, (int)layout->height, layout->transfer,
        GL_UNSIGNED_BYTE, NULL);
    return kst_gl_check(gl, "glReadPixels", report);
}
