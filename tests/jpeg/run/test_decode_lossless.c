/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding the lossless process (T.81 H): all predictors, precisions, point transforms, samplings, scans and restarts
 * in all formats, against an encoder that follows the formulas; damage; and what is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/jpeg/lossless.h"
#include "support/random.h"
#include "support/test.h"

static kst_context *context;

static struct lossless_stream grey(uint32_t width, uint32_t height, uint8_t precision, uint8_t predictor)
{
    return (struct lossless_stream){.width = width,
        .height = height,
        .components = 1,
        .precision = precision,
        .predictor = predictor,
        .factors = {0x11, 0x11, 0x11, 0x11},
        .ids = {1, 2, 3, 4}};
}

static uint32_t sample_in(const kst_image *image, uint32_t plane, uint32_t at, uint32_t row)
{
    const kst_plane *p = kst_image_plane(image, plane);
    const uint8_t *line = (const uint8_t *)p->data + (ptrdiff_t)row * p->pitch;
    return p->depth > 8 ? ((const uint16_t *)(const void *)line)[at] : line[at];
}

static uint32_t wanted(const struct lossless_stream *s, uint32_t component, uint32_t x, uint32_t y)
{
    return (uint32_t)s->samples[component][(size_t)y * lossless_width(s, component) + x] >> s->shift << s->shift;
}

static void check_raw(const struct lossless_stream *s, const struct bytes *bytes)
{
    kst_decode_options options;
    kst_report report;
    kst_image image;
    kst_decode_options_init(&options);
    kst_report_init(&report);
    kst_image_init(&image);
    options.format = KST_FORMAT_RAW;
    assert_int_equal(kst_decode(context, bytes->data, bytes->length, &options, &image, &report), KST_OK);
    assert_int_equal(report.warnings, 0);
    assert_int_equal(image.plane_count, s->components);
    for (uint32_t i = 0; i < s->components; i++) {
        assert_int_equal(image.plane[i].width, lossless_width(s, i));
        assert_int_equal(image.plane[i].height, lossless_height(s, i));
        assert_int_equal(image.plane[i].depth, s->precision);
        for (uint32_t y = 0; y < image.plane[i].height; y++)
            for (uint32_t x = 0; x < image.plane[i].width; x++)
                assert_int_equal(sample_in(&image, i, x, y), wanted(s, i, x, y));
    }
    kst_image_release(context, &image);
}

static void check(struct lossless_stream *s, uint32_t seed, bool noise)
{
    struct bytes bytes = {0};
    lossless_make(s, seed, noise);
    lossless_encode(s, &bytes);
    check_raw(s, &bytes);
    bytes_free(&bytes);
    lossless_free(s);
}

static void test_predictors(void **state)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {2, 2}, {33, 17}, {300, 5}};
    (void)state;
    for (uint8_t predictor = 1; predictor <= 7; predictor++)
        for (uint8_t precision = 2; precision <= 16; precision++)
            for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
                struct lossless_stream s = grey(sizes[i][0], sizes[i][1], precision, predictor);
                s.long_codes = (precision + i) % 2;
                s.shift = (uint8_t)(i == 4 ? precision / 3 : 0);
                check(&s, 7U * predictor + precision, i % 2);
            }
}

static void test_samplings(void **state)
{
    static const uint8_t factors[][4] = {{0x11, 0x11, 0x11, 0x11}, {0x22, 0x11, 0x11, 0x11}, {0x21, 0x11, 0x12, 0x11},
        {0x11, 0x22, 0x13, 0x11}, {0x41, 0x11, 0x11, 0x21}};
    uint32_t seed = 3;
    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        struct lossless_stream s = grey(1 + random_below(&seed, 40), 1 + random_below(&seed, 40),
            (uint8_t)(2 + random_below(&seed, 15)), (uint8_t)(1 + random_below(&seed, 7)));
        s.components = 1 + random_below(&seed, 4);
        memcpy(s.factors, factors[random_below(&seed, 5)], sizeof s.factors);
        s.shift = (uint8_t)random_below(&seed, s.precision);
        s.restart_rows = random_below(&seed, 4);
        s.separate = random_below(&seed, 2);
        s.long_codes = random_below(&seed, 2);
        check(&s, i, random_below(&seed, 2));
    }
}

/* Compare the picture in a format with samples of the components, where channel `place[i]` of a pixel is component i.
 */
static void check_format(const struct lossless_stream *s, const struct bytes *bytes, kst_format format,
    const kst_region *region, const uint32_t place[4], uint32_t colours)
{
    kst_decode_options options;
    kst_image image;
    kst_decode_options_init(&options);
    kst_image_init(&image);
    options.format = format;
    options.region = *region;
    assert_int_equal(kst_decode(context, bytes->data, bytes->length, &options, &image, NULL), KST_OK);
    uint32_t channels = kst_format_channels(image.format), width = region->width ? region->width : s->width;
    uint32_t height = region->height ? region->height : s->height;
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            for (uint32_t i = 0; i < colours; i++) {
                uint32_t plane = channels ? 0 : place[i], at = channels ? x * channels + place[i] : x;
                uint32_t component = s->components == 1 ? 0 : i;
                assert_int_equal(sample_in(&image, plane, at, y), wanted(s, component, region->x + x, region->y + y));
            }
            if (channels > colours)
                assert_int_equal(sample_in(&image, 0, x * channels + colours, y), (1U << s->precision) - 1);
        }
    kst_image_release(context, &image);
}

static void test_formats(void **state)
{
    static const uint32_t forward[] = {0, 1, 2, 3}, backward[] = {2, 1, 0, 3};
    static const kst_region regions[] = {{0, 0, 0, 0}, {3, 5, 20, 7}, {36, 0, 1, 23}, {0, 22, 37, 1}};
    (void)state;
    for (uint8_t precision = 5; precision <= 14; precision += 3)
        for (uint32_t i = 0; i < sizeof regions / sizeof regions[0]; i++)
            for (int separate = 0; separate < 2; separate++) {
                struct lossless_stream s = grey(37, 23, precision, (uint8_t)(1 + i));
                struct bytes bytes = {0};
                s.components = 3;
                s.separate = separate;
                lossless_make(&s, i, true);
                lossless_encode(&s, &bytes);
                check_format(&s, &bytes, KST_FORMAT_AUTO, &regions[i], forward, 3);
                check_format(&s, &bytes, KST_FORMAT_RGB, &regions[i], forward, 3);
                check_format(&s, &bytes, KST_FORMAT_BGR, &regions[i], backward, 3);
                check_format(&s, &bytes, KST_FORMAT_RGBA, &regions[i], forward, 3);
                check_format(&s, &bytes, KST_FORMAT_BGRA, &regions[i], backward, 3);
                check_format(&s, &bytes, KST_FORMAT_PLANAR, &regions[i], forward, 3);
                bytes_free(&bytes);
                lossless_free(&s);
                s.components = 4;
                lossless_make(&s, i, true);
                lossless_encode(&s, &bytes);
                check_format(&s, &bytes, KST_FORMAT_CMYK, &regions[i], forward, 4);
                bytes_free(&bytes);
                lossless_free(&s);
                s.components = 1;
                lossless_make(&s, i, true);
                lossless_encode(&s, &bytes);
                check_format(&s, &bytes, KST_FORMAT_GREY, &regions[i], forward, 1);
                check_format(&s, &bytes, KST_FORMAT_RGBA, &regions[i], forward, 3);
                bytes_free(&bytes);
                lossless_free(&s);
            }
}

/* Three of four samples of three pixels: each is one, wherever the region begins. */
static void test_like_sizes(void **state)
{
    static const uint32_t forward[] = {0, 1, 2, 3};
    static const kst_region regions[] = {{0, 0, 0, 0}, {1, 0, 2, 5}, {2, 1, 1, 3}};
    struct lossless_stream s = grey(3, 5, 8, 4);
    struct bytes bytes = {0};
    (void)state;
    s.components = 3;
    memcpy(s.factors, (const uint8_t[]){0x41, 0x31, 0x31, 0x11}, 4);
    lossless_make(&s, 1, true);
    lossless_encode(&s, &bytes);
    for (uint32_t i = 0; i < sizeof regions / sizeof regions[0]; i++)
        check_format(&s, &bytes, KST_FORMAT_RGB, &regions[i], forward, 3);
    bytes_free(&bytes);
    lossless_free(&s);
}

static void test_description(void **state)
{
    struct lossless_stream s = grey(64, 48, 12, 6);
    struct bytes bytes = {0};
    kst_decoder *decoder;
    (void)state;
    lossless_make(&s, 1, false);
    lossless_encode(&s, &bytes);
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, bytes.data, bytes.length), KST_OK);
    const kst_info *info = kst_decoder_info(decoder);
    assert_int_equal(info->codec, KST_CODEC_JPEG);
    assert_int_equal(info->process, KST_PROCESS_LOSSLESS);
    assert_int_equal(info->component[0].depth, 12);
    assert_int_equal(info->mcu_width, 1);
    assert_int_equal(info->quality, 0);
    kst_decoder_destroy(&decoder);
    bytes_free(&bytes);
    lossless_free(&s);
}

/* Cut at any byte, or with a byte changed: an error, or warnings and a picture; with `strict` never a picture of these.
 */
static void test_damage(void **state)
{
    struct lossless_stream s = grey(40, 30, 11, 4);
    struct bytes bytes = {0};
    uint32_t seed = 5, warned = 0;
    (void)state;
    s.components = 3;
    s.restart_rows = 4;
    lossless_make(&s, 9, false);
    lossless_encode(&s, &bytes);
    uint8_t *copy = malloc(bytes.length);
    assert_non_null(copy);
    for (size_t i = 0; i < bytes.length - 2; i++) {
        kst_decode_options options;
        kst_report report;
        kst_image image;
        kst_decode_options_init(&options);
        kst_report_init(&report);
        kst_image_init(&image);
        options.format = KST_FORMAT_RAW;
        memcpy(copy, bytes.data, bytes.length);
        size_t length = i % 2 ? i : bytes.length;
        copy[i] ^= (uint8_t)(1U << random_below(&seed, 8));
        kst_status status = kst_decode(context, copy, length, &options, &image, &report);
        assert_true(length == bytes.length || status || report.warnings > 0);
        warned += !status && report.warnings > 0;
        kst_image_release(context, &image);
        options.strict = true;
        if (report.warnings > 0)
            assert_int_not_equal(kst_decode(context, copy, length, &options, &image, NULL), KST_OK);
    }
    assert_true(warned > bytes.length / 4);
    free(copy);
    bytes_free(&bytes);
    lossless_free(&s);
}

static kst_status decode_with(const struct bytes *bytes, const kst_decode_options *options)
{
    kst_image image;
    kst_image_init(&image);
    kst_status status = kst_decode(context, bytes->data, bytes->length, options, &image, NULL);
    kst_image_release(context, &image);
    return status;
}

static void test_refusals(void **state)
{
    struct lossless_stream s = grey(16, 12, 10, 1);
    struct bytes bytes = {0};
    kst_decode_options options;
    kst_buffer output = {0};
    kst_lines *lines;
    (void)state;
    s.components = 3;
    memcpy(s.factors, (const uint8_t[]){0x22, 0x11, 0x11, 0x11}, 4);
    lossless_make(&s, 1, false);
    lossless_encode(&s, &bytes);
    kst_decode_options_init(&options);
    assert_int_equal(decode_with(&bytes, &options), KST_OK); /* RAW */
    options.format = KST_FORMAT_RGB;
    assert_int_equal(decode_with(&bytes, &options), KST_ERROR_JPEG_COLOUR);
    kst_decode_options_init(&options);
    options.reduce = 1;
    assert_int_equal(decode_with(&bytes, &options), KST_ERROR_OPTIONS);
    kst_decode_options_init(&options);
    options.eighths = 4;
    assert_int_equal(decode_with(&bytes, &options), KST_ERROR_OPTIONS);
    options.eighths = 8;
    assert_int_equal(decode_with(&bytes, &options), KST_OK);
    options.dct = KST_DCT_FAST;
    assert_int_equal(decode_with(&bytes, &options), KST_ERROR_OPTIONS);
    kst_decode_options_init(&options);
    options.upsampling = KST_UPSAMPLING_NEAREST;
    assert_int_equal(decode_with(&bytes, &options), KST_ERROR_OPTIONS);
    assert_int_equal(kst_transcode(context, bytes.data, bytes.length, NULL, &output, NULL), KST_ERROR_JPEG_LOSSLESS);
    assert_int_equal(kst_lines_open(context, bytes.data, bytes.length, NULL, &lines), KST_ERROR_JPEG_LOSSLESS);
    bytes_free(&bytes);
    lossless_free(&s);
}

/* What the syntax does not allow, one field changed in a stream that decodes. */
static void test_headers(void **state)
{
    static const struct {
        size_t at; /* from the start, or from the end of the scan header if it is negative */
        int scan;
        uint8_t value;
        kst_status status;
    } changes[] = {
        {6, 0, 1, KST_ERROR_JPEG_PRECISION},    /* P */
        {6, 0, 17, KST_ERROR_JPEG_PRECISION},   /* P */
        {3, 1, 0, KST_ERROR_JPEG_PROGRESSION},  /* Ss */
        {3, 1, 8, KST_ERROR_JPEG_PROGRESSION},  /* Ss */
        {2, 1, 1, KST_ERROR_JPEG_PROGRESSION},  /* Se */
        {1, 1, 16, KST_ERROR_JPEG_PROGRESSION}, /* Ah */
        {1, 1, 10, KST_ERROR_JPEG_PROGRESSION}, /* Al */
    };
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct lossless_stream s = grey(16, 12, 10, 1);
        struct bytes bytes = {0};
        lossless_make(&s, 1, false);
        lossless_encode(&s, &bytes);
        size_t end = 0;
        while (bytes.data[end] != 0xFF || bytes.data[end + 1] != 0xDA)
            end++;
        end += 2 + bytes.data[end + 3];
        bytes.data[changes[i].scan ? end - changes[i].at : changes[i].at] = changes[i].value;
        assert_int_equal(decode_with(&bytes, NULL), changes[i].status);
        bytes_free(&bytes);
        lossless_free(&s);
    }
}

static void test_broken_restarts(void **state)
{
    struct lossless_stream s = grey(16, 12, 10, 1);
    struct bytes bytes = {0};
    (void)state;
    s.restart_rows = 2;
    lossless_make(&s, 1, false);
    lossless_encode(&s, &bytes);
    size_t at = 0;
    while (bytes.data[at] != 0xFF || bytes.data[at + 1] != 0xDD)
        at++;
    bytes.data[at + 5] = 33;
    assert_int_equal(decode_with(&bytes, NULL), KST_ERROR_JPEG_RESTART_INTERVAL);
    bytes_free(&bytes);
    lossless_free(&s);
}

static int create(void **state)
{
    (void)state;
    context = cpu_context_create(2);
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
        cmocka_unit_test(test_predictors),
        cmocka_unit_test(test_samplings),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_like_sizes),
        cmocka_unit_test(test_description),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_broken_restarts),
    };
    return cmocka_run_group_tests(tests, create, destroy);
}
