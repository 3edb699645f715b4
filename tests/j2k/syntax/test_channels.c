/* SPDX-License-Identifier: BSD-2-Clause */
/* Palettes, alpha and the order of channels, by files whose packets are all empty; and allocations that fail. */
#include <stdlib.h>
#include <string.h>

#include "j2k/syntax/marker.h"
#include "support/j2k/codestream.h"
#include "support/test.h"

enum { WIDTH = 8 };

static struct made file, header, codestream;

static void box(struct made *to, const char *type, const void *contents, size_t length)
{
    made_number(to, 8 + length, 4);
    made_bytes(to, type, 4);
    made_bytes(to, contents, length);
}

/* Every sample of `components` is 128. */
static void make_codestream(uint32_t components)
{
    static const uint8_t zeros[4];
    const struct made_size size = {
        .image = {0, 0, WIDTH, WIDTH}, .tile_width = WIDTH, .tile_height = WIDTH, .components = components};
    made_start(&codestream, &size);
    made_cod(&codestream, J2K_LRCP, 1, 0);
    made_qcd(&codestream, 0);
    made_part(&codestream, 0, 0, 1, zeros, components);
    made_end(&codestream);
}

static void start_header(uint8_t colour_space)
{
    const uint8_t colr[] = {1, 0, 0, 0, 0, 0, colour_space};
    header.length = 0;
    box(&header, "colr", colr, sizeof colr);
}

static void finish_file(void)
{
    static const uint8_t signature[] = {0x0D, 0x0A, 0x87, 0x0A}, type[] = "jp2 \0\0\0\0jp2 ";
    file.length = 0;
    box(&file, "jP  ", signature, 4);
    box(&file, "ftyp", type, 12);
    box(&file, "jp2h", header.data, header.length);
    box(&file, "jp2c", codestream.data, codestream.length);
}

static kst_context *make_context(const kst_allocator *allocator)
{
    kst_context_options options;
    kst_context *context;
    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = 1;
    if (allocator)
        options.allocator = *allocator;
    return kst_context_create(&options, &context) ? NULL : context;
}

static void expect_warned(
    kst_format format, kst_format found, const uint8_t *pixel, uint32_t channels, uint64_t warnings)
{
    kst_context *context = make_context(NULL);
    kst_decode_options options;
    kst_image image;
    kst_report report;
    kst_decode_options_init(&options);
    options.format = format;
    options.alpha = 200;
    kst_image_init(&image);
    kst_report_init(&report);
    assert_int_equal(kst_decode(context, file.data, file.length, &options, &image, &report), KST_OK);
    assert_int_equal(report.warnings, warnings);
    assert_int_equal(image.format, found);
    for (uint32_t i = 0; i < WIDTH; i++)
        assert_memory_equal((uint8_t *)image.plane[0].data + i * channels, pixel, channels);
    kst_image_release(context, &image);
    kst_context_destroy(&context);
}

static void expect_pixel(kst_format format, kst_format found, const uint8_t *pixel, uint32_t channels)
{
    expect_warned(format, found, pixel, channels, 0);
}

/* Index 128 is taken for the last entry; columns come in the order that cdef gives them. */
static void make_palette_file(void)
{
    static const uint8_t palette[] = {0, 2, 4, 7, 7, 7, 7, 1, 2, 3, 4, 10, 20, 30, 40};
    static const uint8_t mapping[] = {0, 0, 1, 2, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 3};
    static const uint8_t definition[] = {0, 4, 0, 0, 0, 0, 0, 3, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 0, 2, 0, 3, 0, 1, 0, 0};
    make_codestream(1);
    start_header(J2K_COLOUR_SPACE_SRGB);
    box(&header, "pclr", palette, sizeof palette);
    box(&header, "cmap", mapping, sizeof mapping);
    box(&header, "cdef", definition, sizeof definition);
    finish_file();
}

static void test_palette(void **state)
{
    (void)state;
    static const uint8_t rgba[] = {10, 20, 30, 40}, bgr[] = {30, 20, 10}, index[] = {128};
    make_palette_file();
    expect_pixel(KST_FORMAT_AUTO, KST_FORMAT_RGBA, rgba, 4);
    expect_pixel(KST_FORMAT_BGR, KST_FORMAT_BGR, bgr, 3);
    expect_pixel(KST_FORMAT_RAW, KST_FORMAT_RAW, index, 1);
}

static void test_colours(void **state)
{
    (void)state;
    static const uint8_t grey[] = {128, 128, 128, 200}, rgba[] = {128, 128, 128, 128}, none[] = {128, 128, 128, 200};
    static const uint8_t definition[] = {0, 4, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 2, 0, 2, 0, 0, 0, 3, 0, 3, 0, 1, 0, 0};
    make_codestream(1);
    start_header(J2K_COLOUR_SPACE_GREY);
    finish_file();
    expect_pixel(KST_FORMAT_AUTO, KST_FORMAT_GREY, grey, 1);
    expect_pixel(KST_FORMAT_RGBA, KST_FORMAT_RGBA, grey, 4);
    make_codestream(3);
    start_header(J2K_COLOUR_SPACE_SYCC);
    finish_file();
    expect_pixel(KST_FORMAT_AUTO, KST_FORMAT_RGB, grey, 3);
    expect_pixel(KST_FORMAT_BGRA, KST_FORMAT_BGRA, none, 4);
    make_codestream(4);
    start_header(J2K_COLOUR_SPACE_SRGB);
    box(&header, "cdef", definition, sizeof definition);
    finish_file();
    expect_pixel(KST_FORMAT_AUTO, KST_FORMAT_RGBA, rgba, 4);
    start_header(J2K_COLOUR_SPACE_CMYK);
    finish_file();
    expect_pixel(KST_FORMAT_AUTO, KST_FORMAT_CMYK, rgba, 4);
    start_header(99); /* not known: the components as they are */
    finish_file();
    expect_pixel(KST_FORMAT_AUTO, KST_FORMAT_RAW, rgba, 1);
}

/* Begin a header that names colours by code points of H.273. */
static void start_points(uint8_t matrix, bool full_range)
{
    const uint8_t colr[] = {5, 0, 0, 0, 9, 0, 16, 0, matrix, full_range ? 0x80 : 0};
    header.length = 0;
    box(&header, "colr", colr, sizeof colr);
}

/* Code points give RGB, grey and YCbCr of BT.601 in the full range; otherwise a colour space behind them counts. */
static void test_points(void **state)
{
    (void)state;
    static const uint8_t grey[] = {128, 128, 128}, srgb[] = {1, 0, 0, 0, 0, 0, J2K_COLOUR_SPACE_SRGB};
    for (uint8_t matrix = 0; matrix < 16; matrix++)
        for (uint32_t full = 0; full < 2; full++) {
            const bool colours = full && (matrix == 0 || matrix == 5 || matrix == 6);
            make_codestream(3);
            start_points(matrix, full);
            finish_file();
            expect_pixel(KST_FORMAT_AUTO, colours ? KST_FORMAT_RGB : KST_FORMAT_RAW, grey, colours ? 3 : 1);
            box(&header, "colr", srgb, sizeof srgb);
            finish_file();
            expect_pixel(KST_FORMAT_AUTO, KST_FORMAT_RGB, grey, 3);
            make_codestream(1);
            start_points(matrix, full);
            finish_file();
            expect_pixel(KST_FORMAT_AUTO, full ? KST_FORMAT_GREY : KST_FORMAT_RAW, grey, 1);
        }
    make_codestream(3);
    header.length = 0;
    box(&header, "colr", "\5\0\0\0\1\0\15\0\0", 9);
    finish_file();
    expect_warned(KST_FORMAT_AUTO, KST_FORMAT_RGB, grey, 3, 1);
}

/* Boxes that name what is not there: the components as they are. */
static void test_contradictions(void **state)
{
    (void)state;
    static const uint8_t palette[] = {0, 1, 1, 7, 9}, pixel[] = {128};
    static const uint8_t component[] = {0, 7, 1, 0}, column[] = {0, 0, 1, 5};
    make_codestream(1);
    for (uint32_t i = 0; i < 2; i++) {
        start_header(J2K_COLOUR_SPACE_GREY);
        box(&header, "pclr", palette, sizeof palette);
        box(&header, "cmap", i ? column : component, 4);
        finish_file();
        expect_warned(KST_FORMAT_AUTO, KST_FORMAT_RAW, pixel, 1, 1);
    }
    start_header(J2K_COLOUR_SPACE_SRGB); /* of one component */
    finish_file();
    expect_pixel(KST_FORMAT_AUTO, KST_FORMAT_RAW, pixel, 1);
}

struct failing {
    uint32_t left; /* allocations that still succeed */
    uint32_t held;
};

static void *allocate(void *user, size_t length)
{
    struct failing *failing = user;
    if (failing->left == 0)
        return NULL;
    failing->left--;
    failing->held++;
    return malloc(length);
}

static void release(void *user, void *memory)
{
    struct failing *failing = user;
    failing->held--;
    free(memory);
}

static void test_allocations(void **state)
{
    (void)state;
    kst_status status = KST_ERROR_MEMORY;
    make_palette_file();
    for (uint32_t allowed = 0; status && allowed < 500; allowed++) {
        struct failing failing = {.left = UINT32_MAX};
        kst_context *context = make_context(&(kst_allocator){allocate, release, &failing});
        kst_image image;
        kst_report report;
        kst_image_init(&image);
        kst_report_init(&report);
        failing.left = allowed;
        status = kst_decode(context, file.data, file.length, NULL, &image, &report);
        assert_true(!status || status == KST_ERROR_MEMORY);
        kst_image_release(context, &image);
        kst_context_destroy(&context);
        assert_int_equal(failing.held, 0);
    }
    assert_int_equal(status, KST_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_palette),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
