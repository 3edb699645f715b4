/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encoding and transcoding deep pictures, whose samples have 12 bits: whole files against sums of those that
 * libjpeg-turbo 3.1.3 makes of the same samples or coefficients, formats and threads against each other, and what is
 * refused.
 */
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/jpeg/deep.h"
#include "support/random.h"
#include "support/test.h"

static kst_context *context;

struct recipe {
    const char *name;
    uint32_t width, height, channels;
    kst_colour colour;
    uint8_t h[4], v[4];
    bool progressive, extremes; /* `extremes`: samples of 0 and 4095 alone */
    uint32_t restart;           /* in MCUs */
    int quality;
    bool wide;
};

static const struct recipe recipes[] = {
    {"grey", 61, 45, 1, KST_COLOUR_GREY, {1}, {1}, false, false, 0, 90, false},
    {"grey, extremes", 40, 24, 1, KST_COLOUR_GREY, {1}, {1}, false, true, 0, 100, false},
    {"grey, extremes, progressive", 40, 24, 1, KST_COLOUR_GREY, {1}, {1}, true, true, 0, 100, false},
    {"4:4:4", 50, 33, 3, KST_COLOUR_YCBCR, {1, 1, 1}, {1, 1, 1}, false, false, 0, 95, false},
    {"4:4:4, extremes", 33, 50, 3, KST_COLOUR_YCBCR, {1, 1, 1}, {1, 1, 1}, true, true, 3, 100, false},
    {"4:2:2", 57, 31, 3, KST_COLOUR_YCBCR, {2, 1, 1}, {1, 1, 1}, false, false, 4, 85, false},
    {"4:2:0", 83, 59, 3, KST_COLOUR_YCBCR, {2, 1, 1}, {2, 1, 1}, true, false, 0, 80, false},
    {"4:4:0", 35, 70, 3, KST_COLOUR_YCBCR, {1, 1, 1}, {2, 1, 1}, false, false, 3, 75, false},
    {"4:1:1", 70, 20, 3, KST_COLOUR_YCBCR, {4, 1, 1}, {1, 1, 1}, false, false, 0, 30, false},
    {"RGB", 40, 40, 3, KST_COLOUR_RGB, {1, 1, 1}, {1, 1, 1}, false, false, 0, 92, false},
    {"RGB to grey", 41, 17, 3, KST_COLOUR_GREY, {1}, {1}, false, false, 0, 70, false},
    {"wide tables", 48, 48, 3, KST_COLOUR_YCBCR, {2, 1, 1}, {2, 1, 1}, false, false, 0, 3, true},
    {"CMYK", 30, 22, 4, KST_COLOUR_CMYK, {1, 1, 1, 1}, {1, 1, 1, 1}, false, false, 0, 88, false},
    {"YCCK", 44, 37, 4, KST_COLOUR_YCCK, {2, 1, 1, 2}, {2, 1, 1, 2}, true, false, 0, 82, false},
};
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

/* FNV-1a sums of files that libjpeg-turbo 3.1.3 makes: of jpeg12_write_scanlines(); and of jpeg_write_coefficients()
 * from that file, sequential and progressive. */
static const struct {
    uint32_t encoded, sequential, progressive;
} sums[RECIPES] = {
    {0x8e618abb, 0x8e618abb, 0xbbcddb0d},
    {0xf8ca2f0c, 0xf8ca2f0c, 0x0df8843f},
    {0x0df8843f, 0xf8ca2f0c, 0x0df8843f},
    {0x986fd209, 0x986fd209, 0x54ae3fca},
    {0x90e35193, 0x262bcb90, 0x8f86acf9},
    {0x3f0c104e, 0xf8c36369, 0x033ca30b},
    {0x936a54b6, 0xc7c37c9d, 0x936a54b6},
    {0x8aec4865, 0x385a82cc, 0xa2ebb799},
    {0x4e3e2175, 0x4e3e2175, 0x9d6a1366},
    {0xca82c2f8, 0xca82c2f8, 0x32b1d6a0},
    {0xc4331ba0, 0xc4331ba0, 0x32b366cc},
    {0x91db3661, 0x91db3661, 0x5ead259e},
    {0xe78ba1dc, 0xe78ba1dc, 0x8f1c5d03},
    {0xb23a5764, 0x8383bd9b, 0xb23a5764},
};

static void fill(uint16_t *pixels, const struct recipe *r)
{
    uint32_t state = r->width + 7 * r->height + (uint32_t)r->quality;
    for (uint32_t y = 0; y < r->height; y++)
        for (uint32_t x = 0; x < r->width; x++)
            for (uint32_t c = 0; c < r->channels; c++) {
                uint32_t noise = random_below(&state, 4096), slope = (x * (37 + 9 * c) + y * (51 - 8 * c)) % 4096;
                *pixels++ = (uint16_t)(r->extremes ? noise % 2 * 4095 : (15 * slope + noise) / 16);
            }
}

static kst_image picture_of(const struct recipe *r)
{
    kst_image image;
    uint16_t *pixels = malloc((size_t)r->width * r->height * r->channels * sizeof *pixels);
    assert_non_null(pixels);
    fill(pixels, r);
    kst_image_init(&image);
    image.format = r->channels == 1 ? KST_FORMAT_GREY : r->channels == 3 ? KST_FORMAT_RGB : KST_FORMAT_CMYK;
    image.width = image.plane[0].width = r->width;
    image.height = image.plane[0].height = r->height;
    image.plane_count = 1;
    image.plane[0].pitch = (ptrdiff_t)(r->width * r->channels * sizeof *pixels);
    image.plane[0].depth = 12;
    image.plane[0].data = pixels;
    return image;
}

static kst_encode_options options_of(const struct recipe *r)
{
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.quality = r->quality;
    options.colour = r->colour;
    options.coding = r->progressive ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
    options.wide_quantisers = r->wide;
    if (r->restart)
        options.restart = (kst_restart){KST_RESTART_MCUS, r->restart};
    memcpy(options.h, r->h, sizeof options.h);
    memcpy(options.v, r->v, sizeof options.v);
    return options;
}

static uint32_t sum_of(const kst_buffer *buffer)
{
    uint32_t sum = DEEP_SUM;
    for (size_t i = 0; i < buffer->length; i++)
        sum = (sum ^ ((const uint8_t *)buffer->data)[i]) * 0x01000193U;
    return sum;
}

static void encode(const struct recipe *r, kst_buffer *output)
{
    kst_image image = picture_of(r);
    kst_encode_options options = options_of(r);
    kst_report report;
    kst_report_init(&report);
    *output = (kst_buffer){0};
    assert_int_equal(kst_encode(context, &image, &options, output, &report), KST_OK);
    assert_int_equal(report.stage_device[KST_STAGE_PIXELS], KST_DEVICE_CPU);
    free(image.plane[0].data);
}

static void expect(const char *name, const char *what, const kst_buffer *found, uint32_t wanted)
{
    if (sum_of(found) != wanted)
        fail_msg("%s, %s: 0x%08x, %zu bytes", name, what, (unsigned)sum_of(found), found->length);
}

static void transcode(const kst_buffer *from, kst_transcode_options *options, kst_buffer *to)
{
    *to = (kst_buffer){0};
    assert_int_equal(kst_transcode(context, from->data, from->length, options, to, NULL), KST_OK);
}

static void test_sums(void **state)
{
    (void)state;
    for (size_t i = 0; i < RECIPES; i++) {
        kst_buffer coded, again;
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.restart.unit = KST_RESTART_NONE;
        encode(&recipes[i], &coded);
        expect(recipes[i].name, "encoded", &coded, sums[i].encoded);
        transcode(&coded, &options, &again);
        expect(recipes[i].name, "sequential", &again, sums[i].sequential);
        kst_buffer_release(context, &again);
        options.coding = KST_CODING_PROGRESSIVE;
        transcode(&coded, &options, &again);
        expect(recipes[i].name, "progressive", &again, sums[i].progressive);
        kst_buffer_release(context, &again);
        kst_buffer_release(context, &coded);
    }
}

static const uint16_t *row_of(const kst_image *image, uint32_t y)
{
    return (const void *)((const uint8_t *)image->plane[0].data + (ptrdiff_t)y * image->plane[0].pitch);
}

/* With quantisers of 1 and no conversion of colours, samples come back within 2. */
static void test_fidelity(void **state)
{
    static const struct recipe fine[] = {
        {"grey", 77, 51, 1, KST_COLOUR_GREY, {1}, {1}, false, false, 0, 100, false},
        {"RGB", 40, 60, 3, KST_COLOUR_RGB, {1, 1, 1}, {1, 1, 1}, true, true, 0, 100, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
        kst_image image = picture_of(&fine[i]), back;
        kst_buffer coded;
        encode(&fine[i], &coded);
        kst_image_init(&back);
        assert_int_equal(kst_decode(context, coded.data, coded.length, NULL, &back, NULL), KST_OK);
        assert_int_equal(back.plane[0].depth, 12);
        for (uint32_t y = 0; y < image.height; y++)
            for (uint32_t x = 0; x < image.width * fine[i].channels; x++)
                assert_in_range(row_of(&back, y)[x] + 2 - row_of(&image, y)[x], 0, 4);
        kst_image_release(context, &back);
        kst_buffer_release(context, &coded);
        free(image.plane[0].data);
    }
}

/* A picture turned four times is the same file. */
static void test_turns(void **state)
{
    struct recipe r = recipes[6];
    kst_buffer coded, turned;
    kst_transcode_options options;
    (void)state;
    r.width = 64;
    r.height = 48;
    encode(&r, &coded);
    const uint32_t wanted = sum_of(&coded);
    kst_transcode_options_init(&options);
    options.transform = KST_TRANSFORM_ROTATE_90;
    options.coding = KST_CODING_PROGRESSIVE;
    for (int i = 0; i < 4; i++) {
        transcode(&coded, &options, &turned);
        kst_buffer_release(context, &coded);
        coded = turned;
        assert_int_equal(sum_of(&coded) == wanted, i == 3);
    }
    kst_buffer_release(context, &coded);
}

static void test_threads(void **state)
{
    kst_context *mine = context, *alone = cpu_context_create(1), *crowd = cpu_context_create(5);
    (void)state;
    for (size_t i = 5; i < 7; i++) {
        struct recipe large = recipes[i];
        kst_buffer a, b;
        large.width = 300;
        large.height = 401;
        context = alone;
        encode(&large, &a);
        context = crowd;
        encode(&large, &b);
        assert_int_equal(a.length, b.length);
        assert_memory_equal(a.data, b.data, a.length);
        kst_buffer_release(alone, &a);
        kst_buffer_release(crowd, &b);
    }
    context = mine;
    kst_context_destroy(&alone);
    kst_context_destroy(&crowd);
}

/* Components that are decoded as they are make the same file when they are encoded so. */
static void test_raw(void **state)
{
    (void)state;
    for (size_t i = 5; i < 9; i++) {
        struct recipe r = recipes[i];
        kst_buffer coded, again = {0};
        kst_image raw;
        kst_decode_options options;
        kst_encode_options encoding;
        r.quality = 100;
        encode(&r, &coded);
        kst_decode_options_init(&options);
        options.format = KST_FORMAT_RAW;
        kst_image_init(&raw);
        assert_int_equal(kst_decode(context, coded.data, coded.length, &options, &raw, NULL), KST_OK);
        encoding = options_of(&r);
        assert_int_equal(kst_encode(context, &raw, &encoding, &again, NULL), KST_OK);
        kst_image twice;
        kst_image_init(&twice);
        assert_int_equal(kst_decode(context, again.data, again.length, &options, &twice, NULL), KST_OK);
        for (uint32_t c = 0; c < raw.plane_count; c++)
            for (uint32_t y = 0; y < raw.plane[c].height; y++) {
                const uint16_t *a = (const void *)((const uint8_t *)raw.plane[c].data + y * raw.plane[c].pitch);
                const uint16_t *b = (const void *)((const uint8_t *)twice.plane[c].data + y * twice.plane[c].pitch);
                for (uint32_t x = 0; x < raw.plane[c].width; x++)
                    assert_in_range(a[x] + 1 - b[x], 0, 2);
            }
        kst_image_release(context, &twice);
        kst_image_release(context, &raw);
        kst_buffer_release(context, &again);
        kst_buffer_release(context, &coded);
    }
}

static bool read_row(void *user, uint32_t plane, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    const kst_image *image = user;
    const uint32_t channels = kst_format_channels(image->format);
    (void)plane;
    memcpy(samples, row_of(image, y) + (size_t)x * channels, (size_t)count * channels * sizeof(uint16_t));
    return true;
}

/* Rows that come from a function make the same file; samples above 4095 count as 4095. */
static void test_rows(void **state)
{
    const struct recipe *r = &recipes[6];
    kst_image image = picture_of(r), described = image;
    kst_encode_options options = options_of(r);
    kst_rows rows = {.size = sizeof rows, .read = read_row, .user = &image, .in_order = true};
    kst_buffer found = {0};
    (void)state;
    uint16_t *pixels = image.plane[0].data;
    for (uint32_t i = 0; i < 3 * r->width; i++)
        pixels[i] = 4095;
    kst_buffer wanted = {0};
    assert_int_equal(kst_encode(context, &image, &options, &wanted, NULL), KST_OK);
    for (uint32_t i = 0; i < 3 * r->width; i++)
        pixels[i] = (uint16_t)(4095 + 20 * i);
    described.plane[0].data = NULL;
    assert_int_equal(kst_encode_rows(context, &described, &rows, &options, &found, NULL), KST_OK);
    assert_int_equal(sum_of(&found), sum_of(&wanted));
    kst_buffer_release(context, &found);
    kst_buffer_release(context, &wanted);
    free(image.plane[0].data);
}

static void test_refusals(void **state)
{
    static const uint8_t depths[] = {7, 9, 10, 11, 13, 14, 16};
    kst_image image = picture_of(&recipes[3]);
    kst_encode_options options = options_of(&recipes[3]);
    kst_buffer output = {0};
    (void)state;
    for (size_t i = 0; i < sizeof depths; i++) {
        image.plane[0].depth = depths[i];
        assert_int_equal(kst_encode(context, &image, &options, &output, NULL), KST_ERROR_IMAGE_DEPTH);
    }
    image.plane[0].depth = 12;
    image.plane[0].is_signed = true;
    assert_int_not_equal(kst_encode(context, &image, &options, &output, NULL), KST_OK);
    free(image.plane[0].data);
}

static int create(void **state)
{
    (void)state;
    context = cpu_context_create(3);
    return 0;
}

static int destroy(void **state)
{
    (void)state;
    kst_context_destroy(&context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_fidelity),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, create, destroy);
}
