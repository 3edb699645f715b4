/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares textures and buffers after decoding with what the CPU decodes, byte for byte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gl/surfaces.h"
#include "support/test.h"

/* Decode on the CPU, without padding; with `flip` the last row comes first. */
static uint8_t *decode_plainly(const kst_buffer *stream, const kst_decode_options *options, bool flip)
{
    kst_image image;
    kst_image_init(&image);
    assert_int_equal(kst_decode(device_context[0], stream->data, stream->length, options, &image, NULL), KST_OK);
    size_t row = (size_t)image.width * kst_format_channels(image.format);
    uint8_t *pixels = malloc(row * image.height);
    for (uint32_t y = 0; y < image.height; y++)
        memcpy(pixels + (flip ? image.height - 1 - y : y) * row,
            (const uint8_t *)image.plane[0].data + (ptrdiff_t)y * image.plane[0].pitch, row);
    kst_image_release(device_context[0], &image);
    return pixels;
}

static void expect_equal(const char *what, const uint8_t *wanted, const uint8_t *found, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (wanted[i] != found[i])
            fail_msg("%s: byte %zu is %u, not %u", what, i, found[i], wanted[i]);
}

struct setting {
    kst_context *context;
    const struct world *world;
    kst_gl *gl;
    kst_gl_sharing sharing;
    bool shares;
};

static void check_way(const struct setting *s, kst_gl_way way, bool flip)
{
    if (s->shares && !flip)
        assert_int_equal(way, KST_GL_WAY_SHARED);
    else if (s->context == device_context[0])
        assert_int_equal(way, KST_GL_WAY_MAPPED);
    else
        assert_true(way == KST_GL_WAY_MAPPED || way == KST_GL_WAY_COPIED);
}

static void check_texture(const struct setting *s, const kst_buffer *stream, const struct texture_format *format,
    uint32_t width, uint32_t height, bool flip)
{
    const struct world *w = s->world;
    kst_gl_surface surface;
    kst_decode_options options;
    kst_gl_way way;
    kst_report report;
    char what[100];
    if (w->gl.es && !format->es)
        return;
    kst_decode_options_init(&options);
    kst_gl_surface_init(&surface);
    kst_report_init(&report);
    surface.kind = KST_GL_TEXTURE;
    surface.name = make_texture(w, format, width, height, NULL);
    surface.flip = flip;
    snprintf(what, sizeof what, "%s, %u × %u, %s", format->name, width, height, w->name);
    if (kst_gl_decode(s->gl, stream->data, stream->length, NULL, &surface, &way, &report))
        fail_msg("%s: %s", what, report.message);
    expect_no_gl_error(w);
    check_way(s, way, flip);
    options.format = format->pixels;
    uint8_t *wanted = decode_plainly(stream, &options, flip);
    uint8_t *found = read_texture(w, surface.name, format, width, height);
    expect_equal(what, wanted, found, (size_t)width * height * kst_format_channels(format->pixels));
    free(found);
    free(wanted);
    delete_texture(w, surface.name);
}

static void for_each_setting(void (*check)(const struct setting *setting))
{
    for (uint32_t w = 0; w < worlds; w++)
        for (uint32_t c = 0; c < device_contexts; c++)
            for (int sharing = KST_GL_SHARING_AUTO; sharing <= KST_GL_SHARING_OFF; sharing += 2) {
                struct setting s = {device_context[c], &world[w], NULL, (kst_gl_sharing)sharing, false};
                s.shares = sharing != KST_GL_SHARING_OFF && can_share(s.context, s.world);
                s.gl = bind_context(s.context, s.world, s.sharing);
                check(&s);
                kst_gl_destroy(&s.gl);
                assert_null(s.gl);
                expect_no_gl_error(s.world);
            }
}

static void check_textures(const struct setting *s)
{
    static const uint32_t sizes[][2] = {{1, 1}, {3, 5}, {17, 9}, {64, 32}, {203, 150}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int kind = 0; kind < 4; kind++) {
            kst_encode_options options;
            kst_encode_options_init(&options);
            options.subsampling = kind == 1 ? KST_SUBSAMPLING_444 : KST_SUBSAMPLING_420;
            options.coding = kind == 2 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
            kst_buffer stream = make_jpeg(sizes[i][0], sizes[i][1], kind == 3, &options);
            for (int f = 0; f < TEXTURE_FORMATS; f++)
                check_texture(s, &stream, &texture_format[f], sizes[i][0], sizes[i][1], f % 2 == kind % 2);
            kst_buffer_release(device_context[0], &stream);
        }
}

static void test_textures(void **state)
{
    (void)state;
    for_each_setting(check_textures);
}

/* Pictures of one size one after the other, with no look at any before the last: each texture gets its own. */
static void check_in_turn(const struct setting *s)
{
    enum { COUNT = 5, SIDE = 400 };
    const struct texture_format *format = &texture_format[2];
    kst_buffer stream[COUNT];
    unsigned name[COUNT];
    for (int i = 0; i < COUNT; i++) {
        kst_encode_options options;
        kst_gl_surface surface;
        kst_encode_options_init(&options);
        kst_gl_surface_init(&surface);
        options.quality = 10 + 20 * i;
        stream[i] = make_jpeg(SIDE, SIDE, false, &options);
        name[i] = make_texture(s->world, format, SIDE, SIDE, NULL);
        surface.kind = KST_GL_TEXTURE;
        surface.name = name[i];
        assert_int_equal(kst_gl_decode(s->gl, stream[i].data, stream[i].length, NULL, &surface, NULL, NULL), KST_OK);
    }
    for (int i = 0; i < COUNT; i++) {
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.format = format->pixels;
        uint8_t *wanted = decode_plainly(&stream[i], &options, false);
        uint8_t *found = read_texture(s->world, name[i], format, SIDE, SIDE);
        expect_equal("in turn", wanted, found, (size_t)SIDE * SIDE * 4);
        free(found);
        free(wanted);
        delete_texture(s->world, name[i]);
        kst_buffer_release(device_context[0], &stream[i]);
    }
}

static void test_in_turn(void **state)
{
    (void)state;
    for_each_setting(check_in_turn);
}

static void test_large(void **state)
{
    (void)state;
    kst_buffer stream = make_jpeg(4096, 4096, false, NULL);
    for (uint32_t c = 0; c < device_contexts; c++) {
        struct setting s = {
            device_context[c], &world[0], NULL, KST_GL_SHARING_AUTO, can_share(device_context[c], &world[0])};
        s.gl = bind_context(s.context, s.world, s.sharing);
        check_texture(&s, &stream, &texture_format[2], 4096, 4096, false);
        kst_gl_destroy(&s.gl);
    }
    kst_buffer_release(device_context[0], &stream);
}

/* A part of a picture, reduced, into a part of a buffer, whose other bytes stay. */
static void check_buffer(
    const struct setting *s, const kst_buffer *stream, kst_format format, size_t offset, size_t padding)
{
    const struct world *w = s->world;
    kst_gl_surface surface;
    kst_decode_options options;
    kst_gl_way way;
    kst_report report;
    kst_decode_options_init(&options);
    kst_gl_surface_init(&surface);
    kst_report_init(&report);
    options.format = format;
    options.reduce = 1;
    options.region = (kst_region){.x = 4, .y = 2, .width = 33, .height = 20};
    size_t row = 33 * kst_format_channels(format), pitch = row + padding, length = offset + pitch * 20 + 3;
    uint8_t *wanted = malloc(length), *pixels = decode_plainly(stream, &options, false);
    memset(wanted, 0xA5, length);
    surface.kind = KST_GL_BUFFER;
    surface.name = make_buffer(w, length, wanted);
    surface.offset = offset;
    surface.pitch = padding ? pitch : 0;
    if (kst_gl_decode(s->gl, stream->data, stream->length, &options, &surface, &way, &report))
        fail_msg("%s", report.message);
    check_way(s, way, false);
    for (size_t y = 0; y < 20; y++)
        memcpy(wanted + offset + y * pitch, pixels + y * row, row);
    uint8_t *found = read_buffer(w, surface.name, length);
    expect_equal("buffer", wanted, found, length);
    free(found);
    free(pixels);
    free(wanted);
    delete_buffer(w, surface.name);
}

static void check_buffers(const struct setting *s)
{
    kst_buffer stream = make_jpeg(120, 80, false, NULL);
    for (kst_format format = KST_FORMAT_GREY; format <= KST_FORMAT_BGRA; format++)
        for (size_t offset = 0; offset < 12; offset += 5)
            check_buffer(s, &stream, format, offset, offset);
    kst_buffer_release(device_context[0], &stream);
}

static void test_buffers(void **state)
{
    (void)state;
    for_each_setting(check_buffers);
}

/* Make a picture of one colour, so that each level has that colour, too. */
static void check_mipmaps(const struct setting *s)
{
    const struct world *w = s->world;
    uint8_t grey[64 * 32];
    kst_image image;
    kst_buffer stream = {.data = NULL};
    kst_gl_surface surface;
    int width = 0;
    memset(grey, 77, sizeof grey);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, 64, 32, grey, 0), KST_OK);
    assert_int_equal(kst_encode(device_context[0], &image, NULL, &stream, NULL), KST_OK);
    kst_gl_surface_init(&surface);
    surface.kind = KST_GL_TEXTURE;
    surface.name = make_texture(w, &texture_format[2], 64, 32, NULL);
    surface.mipmaps = true;
    assert_int_equal(kst_gl_decode(s->gl, stream.data, stream.length, NULL, &surface, NULL, NULL), KST_OK);
    w->gl.bind_texture(GL_TEXTURE_2D, surface.name);
    w->gl.get_level(GL_TEXTURE_2D, 6, GL_TEXTURE_WIDTH, &width);
    assert_int_equal(width, 1);
    if (!w->gl.es) {
        uint8_t last[4] = {0};
        w->gl.texture_read(GL_TEXTURE_2D, 6, GL_RGBA, GL_UNSIGNED_BYTE, last);
        assert_in_range(last[1], 76, 78);
        assert_int_equal(last[3], 255);
    }
    w->gl.bind_texture(GL_TEXTURE_2D, 0);
    expect_no_gl_error(w);
    delete_texture(w, surface.name);
    kst_buffer_release(device_context[0], &stream);
}

static void test_mipmaps(void **state)
{
    (void)state;
    for_each_setting(check_mipmaps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_textures), cmocka_unit_test(test_in_turn),
        cmocka_unit_test(test_large), cmocka_unit_test(test_buffers), cmocka_unit_test(test_mipmaps)};
    return cmocka_run_group_tests(tests, start_surfaces, stop_surfaces);
}
