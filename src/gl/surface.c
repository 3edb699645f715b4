/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the caller's OpenGL objects and finds out how their pixels are laid out. */
#include "gl/surface.h"

#include <inttypes.h>

#include "core/report.h"

static const size_t MOST_PITCH = INT32_MAX;

static kst_status refuse(kst_report *report, kst_status status, const char *text)
{
    return kst_report_error(report, status, KST_NO_OFFSET, "%s", text);
}

static bool is_rectangle(const kst_gl_surface *surface)
{
    return surface->width > 0 && surface->height > 0 && surface->width <= INT32_MAX && surface->height <= INT32_MAX &&
           surface->x <= INT32_MAX - surface->width && surface->y <= INT32_MAX - surface->height;
}

kst_status kst_gl_surface_check(const kst_gl_surface *surface, bool encoding, kst_report *report)
{
    if (surface->size != sizeof *surface)
        return refuse(report, KST_ERROR_OPTIONS, "not set up by kst_gl_surface_init()");
    bool buffer = surface->kind == KST_GL_BUFFER, framebuffer = surface->kind == KST_GL_FRAMEBUFFER;
    if (surface->kind != KST_GL_TEXTURE && !buffer && !(framebuffer && encoding))
        return refuse(report, KST_ERROR_ARGUMENT, "a surface of a kind that does not fit the call");
    if (surface->name == 0 && !framebuffer)
        return refuse(report, KST_ERROR_GL_OBJECT, "the name is 0");
    if (!buffer && (surface->offset > 0 || surface->pitch > 0))
        return refuse(report, KST_ERROR_OPTIONS, "only a buffer has an offset and a pitch");
    if (surface->mipmaps && (encoding || buffer))
        return refuse(report, KST_ERROR_OPTIONS, "mipmaps of what is not a texture to decode to");
    bool fits = surface->format == KST_FORMAT_AUTO ||
                (framebuffer && (surface->format == KST_FORMAT_GREY || surface->format == KST_FORMAT_RGB)) ||
                (buffer && kst_format_channels(surface->format) > 0);
    if (!fits || (buffer && encoding && surface->format == KST_FORMAT_AUTO))
        return refuse(report, KST_ERROR_IMAGE_FORMAT, "not for this kind of surface");
    if ((framebuffer || (buffer && encoding)) && !is_rectangle(surface))
        return refuse(report, KST_ERROR_IMAGE_SIZE, "a rectangle without pixels, or outside of what OpenGL can name");
    return KST_OK;
}

static kst_status choose_texture_format(
    const struct gl_functions *gl, int internal, struct gl_layout *layout, kst_report *report)
{
    int bits = 0;
    gl->get_level(GL_TEXTURE_2D, 0, GL_TEXTURE_RED_SIZE, &bits);
    switch (internal) {
    case GL_R8:
    case GL_RED:
        layout->format = KST_FORMAT_GREY;
        layout->transfer = GL_RED;
        break;
    case GL_RGB8:
    case GL_RGB:
    case GL_SRGB8:
        layout->format = KST_FORMAT_RGB;
        layout->transfer = GL_RGB;
        break;
    case GL_RGBA8:
    case GL_RGBA:
    case GL_SRGB8_ALPHA8:
        layout->format = KST_FORMAT_RGBA;
        layout->transfer = GL_RGBA;
        break;
    default:
        bits = 0;
    }
    if (bits == 8)
        return KST_OK;
    return kst_report_error(
        report, KST_ERROR_IMAGE_FORMAT, KST_NO_OFFSET, "a texture of the internal format 0x%04X", (unsigned)internal);
}

kst_status kst_gl_look_at_texture(
    const struct gl_functions *gl, const kst_gl_surface *surface, struct gl_layout *layout, kst_report *report)
{
    int width = 0, height = 0, internal = 0;
    *layout = (struct gl_layout){.offset = 0};
    if (!gl->is_texture(surface->name))
        return refuse(report, KST_ERROR_GL_OBJECT, "no texture has this name");
    gl->bind_texture(GL_TEXTURE_2D, surface->name);
    if (kst_gl_clear_errors(gl) != GL_NO_ERROR)
        return refuse(report, KST_ERROR_GL_OBJECT, "not a texture of the kind GL_TEXTURE_2D");
    gl->get_level(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &width);
    gl->get_level(GL_TEXTURE_2D, 0, GL_TEXTURE_HEIGHT, &height);
    gl->get_level(GL_TEXTURE_2D, 0, GL_TEXTURE_INTERNAL_FORMAT, &internal);
    if (kst_gl_check(gl, "glGetTexLevelParameteriv", report))
        return KST_ERROR_GL_FAILED;
    if (width <= 0 || height <= 0)
        return refuse(report, KST_ERROR_GL_OBJECT, "the texture has no storage");
    layout->width = (uint32_t)width;
    layout->height = (uint32_t)height;
    kst_status status = choose_texture_format(gl, internal, layout, report);
    if (!status && surface->mipmaps && gl->es && internal == GL_SRGB8)
        return refuse(report, KST_ERROR_IMAGE_FORMAT, "OpenGL ES makes no mipmaps of GL_SRGB8");
    return status;
}

/* Get the size of the attachment that a framebuffer object is read from; 0 if OpenGL does not report it. */
static void measure_attachment(const struct gl_functions *gl, unsigned attachment, int *width, int *height)
{
    int type = GL_NONE, name = 0, level = 0;
    gl->get_attachment(GL_READ_FRAMEBUFFER, attachment, GL_ATTACHMENT_TYPE, &type);
    gl->get_attachment(GL_READ_FRAMEBUFFER, attachment, GL_ATTACHMENT_NAME, &name);
    if (type == GL_RENDERBUFFER) {
        gl->bind_renderbuffer(GL_RENDERBUFFER, (unsigned)name);
        gl->get_renderbuffer(GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, width);
        gl->get_renderbuffer(GL_RENDERBUFFER, GL_RENDERBUFFER_HEIGHT, height);
    } else if (type == GL_TEXTURE) {
        gl->get_attachment(GL_READ_FRAMEBUFFER, attachment, GL_ATTACHMENT_LEVEL, &level);
        gl->bind_texture(GL_TEXTURE_2D, (unsigned)name);
        if (kst_gl_clear_errors(gl) != GL_NO_ERROR) /* it is a texture of another kind */
            return;
        gl->get_level(GL_TEXTURE_2D, level, GL_TEXTURE_WIDTH, width);
        gl->get_level(GL_TEXTURE_2D, level, GL_TEXTURE_HEIGHT, height);
    }
}

static kst_status check_rectangle(const struct gl_functions *gl, const kst_gl_surface *surface, kst_report *report)
{
    int from = GL_NONE, width = 0, height = 0;
    gl->get(GL_READ_BUFFER, &from);
    if (from == GL_NONE)
        return refuse(report, KST_ERROR_GL_OBJECT, "the framebuffer has no read buffer");
    if (surface->name != 0)
        measure_attachment(gl, (unsigned)from, &width, &height);
    if (kst_gl_check(gl, "looking at the framebuffer", report))
        return KST_ERROR_GL_FAILED;
    if ((width > 0 && surface->x + surface->width > (uint32_t)width) ||
        (height > 0 && surface->y + surface->height > (uint32_t)height))
        return kst_report_error(report, KST_ERROR_IMAGE_SIZE, KST_NO_OFFSET,
            "the rectangle reaches outside the framebuffer's %d × %d", width, height);
    return KST_OK;
}

/* Choose the format to read. All four channels can always be read; OpenGL ES reads red alone only where it says so. */
static kst_status choose_read_format(
    const struct gl_functions *gl, const kst_gl_surface *surface, struct gl_layout *layout, kst_report *report)
{
    int wanted = GL_RED;
    bool grey = surface->format == KST_FORMAT_GREY;
    layout->format = grey ? KST_FORMAT_GREY : KST_FORMAT_RGBA;
    layout->transfer = grey ? GL_RED : GL_RGBA;
    if (grey && gl->es)
        gl->get(GL_COLOR_READ_FORMAT, &wanted);
    return wanted == GL_RED
               ? KST_OK
               : refuse(report, KST_ERROR_IMAGE_FORMAT, "this OpenGL ES does not read red alone from this framebuffer");
}

kst_status kst_gl_look_at_framebuffer(
    const struct gl_functions *gl, const kst_gl_surface *surface, struct gl_layout *layout, kst_report *report)
{
    *layout = (struct gl_layout){.width = surface->width, .height = surface->height};
    if (surface->name != 0 && !gl->is_framebuffer(surface->name))
        return refuse(report, KST_ERROR_GL_OBJECT, "no framebuffer has this name");
    gl->bind_framebuffer(GL_READ_FRAMEBUFFER, surface->name);
    unsigned is = gl->framebuffer_check(GL_READ_FRAMEBUFFER);
    if (is != GL_FRAMEBUFFER_COMPLETE)
        return refuse(report, KST_ERROR_GL_OBJECT,
            is == GL_FRAMEBUFFER_UNDEFINED ? "there is no default framebuffer" : "the framebuffer is not complete");
    kst_status status = check_rectangle(gl, surface, report);
    return status ? status : choose_read_format(gl, surface, layout, report);
}

kst_status kst_gl_look_at_buffer(const struct gl_functions *gl, const kst_gl_surface *surface, unsigned target,
    struct gl_layout *layout, kst_report *report)
{
    int64_t length = 0, mapped = 0;
    *layout = (struct gl_layout){.format = surface->format,
        .width = surface->width,
        .height = surface->height,
        .offset = surface->offset,
        .pitch = surface->pitch};
    if (!gl->is_buffer(surface->name))
        return refuse(report, KST_ERROR_GL_OBJECT, "no buffer has this name");
    gl->bind_buffer(target, surface->name);
    gl->get_buffer(target, GL_BUFFER_SIZE, &length);
    gl->get_buffer(target, GL_BUFFER_MAPPED, &mapped);
    if (kst_gl_check(gl, "glGetBufferParameteri64v", report))
        return KST_ERROR_GL_FAILED;
    if (length <= 0)
        return refuse(report, KST_ERROR_IMAGE_BUFFER, "the buffer has no storage");
    layout->available = (uint64_t)length;
    return mapped ? refuse(report, KST_ERROR_GL_OBJECT, "the buffer is mapped") : KST_OK;
}

kst_status kst_gl_layout_settle(struct gl_layout *layout, size_t *extent, kst_report *report)
{
    uint64_t row = (uint64_t)layout->width * kst_format_channels(layout->format);
    if (layout->pitch == 0) /* OpenGL's copies align rows to 4 bytes */
        layout->pitch = layout->transfer ? (size_t)(row + 3) / 4 * 4 : (size_t)row;
    if (layout->pitch < row || layout->pitch > MOST_PITCH)
        return refuse(report, KST_ERROR_IMAGE_PITCH, "rows that overlap, or a pitch above 2^31 − 1");
    /*
     * NVIDIA's OpenGL refuses buffers without the padding of the last row. OpenGL does not copy from or to the caller's
     * buffers, so those need no such padding.
     */
    uint64_t needed = (uint64_t)(layout->height - 1) * layout->pitch + (layout->transfer ? layout->pitch : row);
    *extent = (size_t)needed;
    if (layout->available == 0 || (layout->offset <= layout->available && needed <= layout->available - layout->offset))
        return KST_OK;
    return kst_report_error(report, KST_ERROR_IMAGE_BUFFER, KST_NO_OFFSET,
        "%" PRIu64 " bytes from byte %zu of a buffer of %" PRIu64, needed, layout->offset, layout->available);
}
