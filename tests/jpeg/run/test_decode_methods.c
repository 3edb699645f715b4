/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that every size of eighths, each transform and each upsampling decode to the bytes of libjpeg's decoder, on
 * every tier and number of threads, and that what cannot be done is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "support/jpeg/libjpeg_decode.h"
#include "support/machines.h"
#include "support/pixels.h"
#include "support/test.h"

static const struct recipe pictures[] = {
    {.width = 143, .height = 95, .colour = KST_COLOUR_YCBCR, .h = {2, 1, 1}, .v = {2, 1, 1}},
    {.width = 66, .height = 51, .colour = KST_COLOUR_YCBCR, .h = {2, 1, 1}, .v = {1, 1, 1}, .quality = 30},
    {.width = 61, .height = 70, .colour = KST_COLOUR_YCBCR, .h = {1, 1, 1}, .v = {1, 1, 1}, .quality = 100},
    {.width = 49, .height = 83, .colour = KST_COLOUR_YCBCR, .h = {1, 1, 1}, .v = {2, 1, 1}, .quality = 96},
    {.width = 99, .height = 34, .colour = KST_COLOUR_YCBCR, .h = {4, 1, 1}, .v = {1, 1, 1}},
    {.width = 34, .height = 99, .colour = KST_COLOUR_YCBCR, .h = {1, 1, 1}, .v = {4, 1, 1}},
    {.width = 83,
        .height = 61,
        .colour = KST_COLOUR_YCBCR,
        .h = {2, 1, 1},
        .v = {2, 1, 1},
        .coding = KST_CODING_PROGRESSIVE},
    {.width = 70, .height = 53, .colour = KST_COLOUR_RGB},
    {.width = 57, .height = 41, .colour = KST_COLOUR_GREY, .quality = 5},
    {.width = 50, .height = 39, .colour = KST_COLOUR_CMYK},
    {.width = 71, .height = 47, .colour = KST_COLOUR_YCCK, .h = {2, 1, 1, 2}, .v = {2, 1, 1, 2}},
    {.width = 3, .height = 5, .colour = KST_COLOUR_YCBCR, .h = {2, 1, 1}, .v = {2, 1, 1}},
    {.width = 1, .height = 1, .colour = KST_COLOUR_YCBCR, .h = {2, 1, 1}, .v = {1, 1, 1}},
};

static kst_decode_options usual(void)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    return options;
}

static uint32_t compared;

static void check(const struct recipe *recipe, const struct stream *stream, const kst_decode_options *options)
{
    static uint32_t turn;
    struct libjpeg_picture expected;
    assert_true(libjpeg_decode_as(stream->data, stream->length, options, &expected));
    const uint32_t count = ++turn % 5 == 0 ? contexts.count : contexts.cpu_count;
    for (uint32_t i = 0; i < count; i++) {
        kst_image image = decode_image(contexts.context[i], stream, options);
        assert_int_equal(image.width, expected.width);
        assert_int_equal(image.height, expected.height);
        const size_t row = (size_t)expected.width * expected.channels;
        for (uint32_t y = 0; y < image.height; y++) {
            if (memcmp(image_at(&image, 0, 0, y), expected.pixels + y * row, row) == 0)
                continue;
            show_recipe(recipe);
            fail_msg("%s: %u/8, dct %d, upsampling %d, line %u", contexts.name[i], options->eighths, (int)options->dct,
                (int)options->upsampling, y);
        }
        kst_image_release(contexts.context[i], &image);
        compared++;
    }
    libjpeg_picture_release(&expected);
}

static void eighths(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(pictures); i++) {
        struct stream stream = make_stream(&pictures[i]);
        for (uint32_t n = 1; n <= 16; n++) {
            kst_decode_options options = usual();
            options.eighths = n;
            if (SANITIZED && (i + n) % 3 != 0)
                continue;
            options.upsampling = (i + n) % 2 ? KST_UPSAMPLING_FANCY : KST_UPSAMPLING_NEAREST;
            check(&pictures[i], &stream, &options);
            options.upsampling = KST_UPSAMPLING_FANCY;
            options.dct = n % 4 == 0 ? KST_DCT_FAST : KST_DCT_ACCURATE;
            check(&pictures[i], &stream, &options);
        }
        free(stream.data);
    }
}

static void methods(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(pictures); i++) {
        struct stream stream = make_stream(&pictures[i]);
        for (uint32_t method = 1; method < 4; method++) {
            kst_decode_options options = usual();
            options.dct = method & 1 ? KST_DCT_FAST : KST_DCT_ACCURATE;
            options.upsampling = method & 2 ? KST_UPSAMPLING_NEAREST : KST_UPSAMPLING_FANCY;
            check(&pictures[i], &stream, &options);
            for (uint32_t reduce = 1; reduce <= 3; reduce++) {
                options.reduce = reduce;
                check(&pictures[i], &stream, &options);
            }
        }
        free(stream.data);
    }
}

/* A region is what the whole picture has there. */
static void regions(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        struct stream stream = make_stream(&pictures[i]);
        for (uint32_t n = 3; n <= 16; n += 1 + i % 3) {
            kst_context *context = contexts.context[n % contexts.cpu_count];
            kst_decode_options options = usual();
            options.eighths = n;
            options.upsampling = n % 2 ? KST_UPSAMPLING_NEAREST : KST_UPSAMPLING_FANCY;
            kst_image whole = decode_image(context, &stream, &options);
            options.region = (kst_region){whole.width / 3, whole.height / 4, whole.width / 2, whole.height / 2};
            kst_image part = decode_image(context, &stream, &options);
            const uint32_t x[4] = {options.region.x}, y[4] = {options.region.y};
            assert_true(is_part(&part, &whole, x, y));
            kst_image_release(context, &part);
            kst_image_release(context, &whole);
        }
        free(stream.data);
    }
}

static void expect_refusal(const struct stream *stream, const kst_decode_options *options)
{
    kst_image image;
    kst_image_init(&image);
    assert_int_equal(
        kst_decode(contexts.context[0], stream->data, stream->length, options, &image, NULL), KST_ERROR_OPTIONS);
}

static void refusals(void **state)
{
    (void)state;
    struct stream stream = make_stream(&pictures[0]);
    kst_decode_options options = usual();
    options.eighths = 17;
    expect_refusal(&stream, &options);
    options.eighths = 4;
    options.reduce = 1;
    expect_refusal(&stream, &options);
    options = usual();
    options.dct = (kst_dct)2;
    expect_refusal(&stream, &options);
    options = usual();
    options.upsampling = (kst_upsampling)2;
    expect_refusal(&stream, &options);
    options.upsampling = KST_UPSAMPLING_NEAREST;
    options.format = KST_FORMAT_RAW;
    expect_refusal(&stream, &options);
    free(stream.data);
}

/* JPEG 2000 has none of these. */
static void jpeg2000(void **state)
{
    (void)state;
    uint8_t pixels[64] = {1, 2, 3};
    kst_image image;
    kst_encode_options coding;
    kst_buffer coded = {0};
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, 8, 8, pixels, 8), KST_OK);
    kst_encode_options_init(&coding);
    coding.codec = KST_CODEC_JPEG2000;
    assert_int_equal(kst_encode(contexts.context[0], &image, &coding, &coded, NULL), KST_OK);
    struct stream stream = {coded.data, coded.length};
    kst_decode_options options = usual();
    options.eighths = 4;
    expect_refusal(&stream, &options);
    options = usual();
    options.dct = KST_DCT_FAST;
    expect_refusal(&stream, &options);
    options = usual();
    options.upsampling = KST_UPSAMPLING_NEAREST;
    expect_refusal(&stream, &options);
    kst_buffer_release(contexts.context[0], &coded);
}

static void count_them(void **state)
{
    (void)state;
    assert_true(compared > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eighths),
        cmocka_unit_test(methods),
        cmocka_unit_test(regions),
        cmocka_unit_test(refusals),
        cmocka_unit_test(jpeg2000),
        cmocka_unit_test(count_them),
    };
    return cmocka_run_group_tests(tests, contexts_start, contexts_stop);
}
