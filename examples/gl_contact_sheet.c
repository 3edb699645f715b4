/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets OpenGL draw a contact sheet without a window: pictures become textures with mipmaps, and a framebuffer becomes a
 * file.
 *
 *     gl_contact_sheet SHEET.jpg FILE.jpg…
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "drawing.h"
#include "files.h"
#include "headless.h"

enum { CELL = 320, GAP = 12 };

static struct drawing gl;

/* Make a texture that holds the picture, in its size; 0 on failure. */
static unsigned load(kst_context *context, kst_gl *bound, const char *path, uint32_t *width, uint32_t *height)
{
    kst_decoder *decoder;
    kst_gl_surface surface;
    kst_report report;
    size_t length;
    uint8_t *data = file_read(path, &length);
    kst_status status = data ? kst_decoder_create(context, &decoder) : KST_ERROR_MEMORY;
    if (status)
        return 0;
    kst_gl_surface_init(&surface);
    kst_report_init(&report);
    status = kst_decoder_open(decoder, data, length);
    report = *kst_decoder_report(decoder);
    if (!status) {
        *width = kst_decoder_info(decoder)->width;
        *height = kst_decoder_info(decoder)->height;
        surface.kind = KST_GL_TEXTURE;
        surface.name = drawing_texture(&gl, *width, *height);
        surface.mipmaps = true;
        status = kst_gl_decode(bound, data, length, NULL, &surface, NULL, &report);
    }
    if (status)
        fprintf(stderr, "gl_contact_sheet: %s: %s\n", path, report.message);
    kst_decoder_destroy(&decoder);
    free(data);
    if (status && surface.name)
        gl.delete_textures(1, &surface.name);
    return status ? 0 : surface.name;
}

/* Draw a texture, from the smallest level that fills the cell. */
static void draw(unsigned texture, uint32_t width, uint32_t height, int left, int top)
{
    uint32_t longer = width > height ? width : height;
    int level = 0;
    int w = (int)((uint64_t)width * CELL / longer), h = (int)((uint64_t)height * CELL / longer);
    while (longer >> (level + 1) >= CELL)
        level++;
    int from_w = (int)(width >> level), from_h = (int)(height >> level);
    gl.attach(READ_FRAMEBUFFER, COLOUR_0, TEXTURE_2D, texture, level);
    left += (CELL - w) / 2;
    top += (CELL - h) / 2;
    gl.blit(0, 0, from_w > 0 ? from_w : 1, from_h > 0 ? from_h : 1, left, top, left + (w > 0 ? w : 1),
        top + (h > 0 ? h : 1), COLOUR_BIT, LINEAR);
}

static bool write_sheet(kst_context *context, kst_gl *bound, kst_gl_surface *sheet, const char *path)
{
    kst_buffer coded = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    bool fine = !kst_gl_encode(bound, sheet, NULL, &coded, NULL, &report);
    if (!fine)
        fprintf(stderr, "gl_contact_sheet: %s\n", report.message);
    fine = fine && file_write(path, &coded);
    kst_buffer_release(context, &coded);
    return fine;
}

int main(int argc, char **argv)
{
    kst_context *context;
    if (argc < 3) {
        fprintf(stderr, "usage: gl_contact_sheet SHEET.jpg FILE.jpg…\n");
        return 2;
    }
    if (!headless_start() || !drawing_find(&gl, headless_load)) {
        fprintf(stderr, "gl_contact_sheet: no OpenGL without a window\n");
        return 1;
    }
    kst_gl *bound = kst_context_create(NULL, &context) ? NULL : headless_bind(context);
    if (!bound)
        return 1;
    int count = argc - 2, columns = (int)ceil(sqrt(count)), rows = (count + columns - 1) / columns;
    unsigned framebuffer[2];
    kst_gl_surface sheet;
    kst_gl_surface_init(&sheet);
    sheet.kind = KST_GL_FRAMEBUFFER;
    sheet.width = (uint32_t)(GAP + columns * (CELL + GAP));
    sheet.height = (uint32_t)(GAP + rows * (CELL + GAP));
    gl.make_framebuffers(2, framebuffer);
    gl.bind_framebuffer(READ_FRAMEBUFFER, framebuffer[0]);
    gl.bind_framebuffer(DRAW_FRAMEBUFFER, sheet.name = framebuffer[1]);
    gl.attach(DRAW_FRAMEBUFFER, COLOUR_0, TEXTURE_2D, drawing_texture(&gl, sheet.width, sheet.height), 0);
    gl.colour(0.125F, 0.125F, 0.125F, 1.0F);
    gl.clear(COLOUR_BIT);
    for (int i = 0; i < count; i++) {
        uint32_t width, height;
        unsigned texture = load(context, bound, argv[2 + i], &width, &height);
        if (texture)
            draw(texture, width, height, GAP + i % columns * (CELL + GAP), GAP + i / columns * (CELL + GAP));
        gl.delete_textures(1, &texture);
    }
    bool fine = write_sheet(context, bound, &sheet, argv[1]);
    kst_gl_destroy(&bound);
    kst_context_destroy(&context);
    return fine ? 0 : 1;
}
