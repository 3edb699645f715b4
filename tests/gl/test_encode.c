/* SPDX-License-Identifier: BSD-2-Clause */
/* Files made of textures, framebuffers and buffers, against those that the CPU makes of the same pixels. */
#include <stdlib.h>
#include <string.h>

#include "support/gl/surfaces.h"
#include "support/test.h"

enum { WIDTH = 53, HEIGHT = 38 };

static bool shares; /* the context under test, with its world */

static uint8_t *make_noise(size_t length)
{
    uint8_t *pixels = malloc(length);
    uint32_t random = 1;
    for (size_t i = 0; i < length; i++) {
        random = random * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(i / 30 + (random >> 27));
    }
    return pixels;
}

static void expect_same_file(
    kst_gl *gl, const kst_gl_surface *surface, const kst_image *image, const kst_encode_options *options)
{
    static uint8_t room[4 << 20];
    kst_buffer wanted = {.data = NULL}, found = {.data = room, .capacity = sizeof room};
    kst_gl_way way;
    kst_report report;
    kst_report_init(&report);
    assert_int_equal(kst_encode(device_context[0], image, options, &wanted, NULL), KST_OK);
    if (kst_gl_encode(gl, surface, options, &found, &way, &report))
        fail_msg("kind %d: %s", (int)surface->kind, report.message);
    assert_int_not_equal(way, KST_GL_WAY_NONE);
    assert_int_equal(way == KST_GL_WAY_SHARED, shares && !surface->flip);
    assert_int_equal(wanted.length, found.length);
    assert_memory_equal(wanted.data, found.data, wanted.length);
    kst_buffer_release(device_context[0], &wanted);
}

static kst_image wrap(kst_format format, uint32_t width, uint32_t height, uint8_t *pixels, size_t pitch, bool flip)
{
    kst_image image;
    uint8_t *first = flip ? pixels + (height - 1) * pitch : pixels;
    ptrdiff_t step = flip ? -(ptrdiff_t)pitch : (ptrdiff_t)pitch;
    assert_int_equal(kst_image_wrap(&image, format, width, height, first, step), KST_OK);
    return image;
}

static void check_format(kst_gl *gl, const struct world *w, const struct texture_format *format, bool flip)
{
    size_t channels = kst_format_channels(format->pixels), pitch = WIDTH * channels;
    uint8_t *pixels = make_noise(pitch * HEIGHT);
    kst_gl_surface surface;
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.coding = flip ? KST_CODING_PROGRESSIVE : KST_CODING_OPTIMIZED;
    options.quality = 90;
    kst_gl_surface_init(&surface);
    surface.kind = KST_GL_TEXTURE;
    surface.name = make_texture(w, format, WIDTH, HEIGHT, pixels);
    surface.flip = flip;
    kst_image image = wrap(format->pixels, WIDTH, HEIGHT, pixels, pitch, flip);
    expect_same_file(gl, &surface, &image, &options);
    unsigned texture = surface.name;
    if (format->es) {
        surface.kind = KST_GL_FRAMEBUFFER;
        surface.name = make_framebuffer(w, texture);
        surface.format = format->pixels == KST_FORMAT_GREY ? KST_FORMAT_GREY : KST_FORMAT_AUTO;
        surface.x = 5;
        surface.y = 7;
        surface.width = 31;
        surface.height = 30;
        image = wrap(format->pixels, 31, 30, pixels + 7 * pitch + 5 * channels, pitch, flip);
        expect_same_file(gl, &surface, &image, &options);
        delete_framebuffer(w, surface.name);
    }
    delete_texture(w, texture);
    free(pixels);
    expect_no_gl_error(w);
}

static void check_buffer(kst_gl *gl, const struct world *w, kst_format format)
{
    size_t pitch = WIDTH * kst_format_channels(format) + 3, length = 9 + pitch * HEIGHT;
    uint8_t *bytes = make_noise(length);
    kst_gl_surface surface;
    kst_gl_surface_init(&surface);
    surface.kind = KST_GL_BUFFER;
    surface.name = make_buffer(w, length, bytes);
    surface.format = format;
    surface.width = WIDTH;
    surface.height = HEIGHT;
    surface.offset = 9;
    surface.pitch = pitch;
    kst_image image = wrap(format, WIDTH, HEIGHT, bytes + 9, pitch, false);
    expect_same_file(gl, &surface, &image, NULL);
    delete_buffer(w, surface.name);
    free(bytes);
}

static void test_encode(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < worlds; i++)
        for (uint32_t c = 0; c < device_contexts; c++)
            for (int sharing = KST_GL_SHARING_AUTO; sharing <= KST_GL_SHARING_OFF; sharing += 2) {
                const struct world *w = &world[i];
                shares = sharing != KST_GL_SHARING_OFF && can_share(device_context[c], w);
                kst_gl *gl = bind_context(device_context[c], w, (kst_gl_sharing)sharing);
                for (int f = 0; f < TEXTURE_FORMATS; f++)
                    for (int flip = 0; flip < 2 && (texture_format[f].es || !w->gl.es); flip++)
                        check_format(gl, w, &texture_format[f], flip == 1);
                for (kst_format format = KST_FORMAT_GREY; format <= KST_FORMAT_BGRA; format++)
                    check_buffer(gl, w, format);
                kst_gl_destroy(&gl);
            }
}

/* Encode what was drawn, whose size OpenGL reports. */
static void test_renderbuffer(void **state)
{
    (void)state;
    enum { DRAW_FRAMEBUFFER = 0x8CA9, COLOUR_BIT = 0x4000 };
    shares = false;
    for (uint32_t i = 0; i < worlds; i++) {
        const struct world *w = &world[i];
        unsigned framebuffer = 0, renderbuffer = 0;
        uint8_t pixels[20 * 20 * 4];
        kst_gl_surface surface;
        kst_gl *gl = bind_context(device_context[0], w, KST_GL_SHARING_AUTO);
        w->gl.framebuffers_make(1, &framebuffer);
        w->more.renderbuffers_make(1, &renderbuffer);
        w->gl.bind_renderbuffer(GL_RENDERBUFFER, renderbuffer);
        w->more.renderbuffer_store(GL_RENDERBUFFER, GL_RGBA8, 20, 20);
        w->gl.bind_framebuffer(DRAW_FRAMEBUFFER, framebuffer);
        w->more.framebuffer_renderbuffer(DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
        w->more.clear_colour(1.0F, 0.0F, 0.2F, 1.0F);
        w->more.clear(COLOUR_BIT);
        for (size_t p = 0; p < sizeof pixels; p += 4)
            memcpy(pixels + p, "\xFF\x00\x33\xFF", 4);
        kst_gl_surface_init(&surface);
        surface.kind = KST_GL_FRAMEBUFFER;
        surface.name = framebuffer;
        surface.width = surface.height = 20;
        kst_image image = wrap(KST_FORMAT_RGBA, 20, 20, pixels, 80, false);
        expect_same_file(gl, &surface, &image, NULL);
        kst_buffer none = {.data = NULL};
        surface.x = 1;
        assert_int_equal(kst_gl_encode(gl, &surface, NULL, &none, NULL, NULL), KST_ERROR_IMAGE_SIZE);
        w->gl.bind_framebuffer(DRAW_FRAMEBUFFER, 0);
        w->gl.bind_renderbuffer(GL_RENDERBUFFER, 0);
        w->more.renderbuffers_delete(1, &renderbuffer);
        delete_framebuffer(w, framebuffer);
        kst_gl_destroy(&gl);
        expect_no_gl_error(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_encode), cmocka_unit_test(test_renderbuffer)};
    return cmocka_run_group_tests(tests, start_surfaces, stop_surfaces);
}
