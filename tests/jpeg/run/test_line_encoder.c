/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A picture whose lines arrive little by little is encoded to the bytes of the picture as a whole, which come while
 * lines arrive; what needs the whole picture is refused, and nothing is left behind without memory.
 */
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/failing_allocator.h"
#include "support/test.h"

enum { WIDTH = 197, HEIGHT = 141, CHANNELS_MAX = 4 };

static kst_context *context;
static uint8_t pixels[WIDTH * HEIGHT * CHANNELS_MAX];

struct choice {
    kst_format format;
    kst_subsampling subsampling;
    kst_restart restart;
    kst_dct dct;
    uint32_t at_once; /* lines */
};

static const struct choice choices[] = {
    {KST_FORMAT_RGB, KST_SUBSAMPLING_420, {KST_RESTART_NONE, 0}, KST_DCT_ACCURATE, 1},
    {KST_FORMAT_RGB, KST_SUBSAMPLING_422, {KST_RESTART_MCUS, 5}, KST_DCT_ACCURATE, 7},
    {KST_FORMAT_BGRA, KST_SUBSAMPLING_444, {KST_RESTART_ROWS, 1}, KST_DCT_FAST, 16},
    {KST_FORMAT_GREY, KST_SUBSAMPLING_420, {KST_RESTART_NONE, 0}, KST_DCT_ACCURATE, 3},
    {KST_FORMAT_CMYK, KST_SUBSAMPLING_420, {KST_RESTART_ROWS, 2}, KST_DCT_ACCURATE, HEIGHT},
    {KST_FORMAT_BGR, KST_SUBSAMPLING_410, {KST_RESTART_NONE, 0}, KST_DCT_FAST, 40},
};

static void describe(const struct choice *choice, kst_image *image, kst_encode_options *options)
{
    kst_encode_options_init(options);
    options->subsampling = choice->subsampling;
    options->restart = choice->restart;
    options->dct = choice->dct;
    kst_image_wrap(image, choice->format, WIDTH, HEIGHT, pixels, 0);
}

/* Append what was made to a file. */
static kst_status take(kst_line_encoder *encoder, uint8_t *file, size_t *length)
{
    const void *data;
    size_t more;
    kst_status status = kst_line_encoder_take(encoder, &data, &more);
    if (!status && more > 0)
        memcpy(file + *length, data, more);
    *length += status ? 0 : more;
    return status;
}

/* Encode line by line; *half receives how many bytes there were when half of the lines had come. */
static kst_status encode_lines(
    kst_context *on, const struct choice *choice, uint8_t *file, size_t *length, size_t *half)
{
    kst_image image;
    kst_encode_options options;
    kst_line_encoder *encoder;
    const void *rows[HEIGHT];
    describe(choice, &image, &options);
    size_t line = (size_t)WIDTH * kst_format_channels(choice->format);
    kst_status status = kst_line_encoder_open(on, &image, &options, &encoder);
    for (uint32_t y = 0; y < HEIGHT; y++)
        rows[y] = pixels + y * line;
    *length = 0;
    if (!status)
        status = take(encoder, file, length);
    for (uint32_t y = 0; !status && y < HEIGHT; y += choice->at_once) {
        uint32_t count = choice->at_once < HEIGHT - y ? choice->at_once : HEIGHT - y;
        *half = y <= HEIGHT / 2 ? *length : *half;
        status = kst_line_encoder_write(encoder, rows + y, count);
        if (!status)
            status = take(encoder, file, length);
    }
    kst_line_encoder_close(&encoder);
    assert_null(encoder);
    return status;
}

static void test_bytes(void **state)
{
    static uint8_t file[sizeof pixels];
    (void)state;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        kst_image image;
        kst_encode_options options;
        kst_buffer whole = {.data = NULL};
        size_t length, half = 0;
        describe(&choices[i], &image, &options);
        assert_int_equal(kst_encode(context, &image, &options, &whole, NULL), KST_OK);
        assert_int_equal(encode_lines(context, &choices[i], file, &length, &half), KST_OK);
        assert_int_equal(length, whole.length);
        assert_memory_equal(file, whole.data, length);
        if (choices[i].at_once < HEIGHT)
            assert_true(half > length / 4 && half < length);
        kst_buffer_release(context, &whole);
    }
}

static void test_refusals(void **state)
{
    kst_image image;
    kst_encode_options options;
    kst_line_encoder *encoder = (kst_line_encoder *)&options;
    const void *row = pixels, *rows[HEIGHT + 1] = {NULL}, *data;
    size_t length;
    (void)state;
    describe(&choices[0], &image, &options);
    assert_int_equal(kst_line_encoder_open(context, &image, &options, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_line_encoder_open(NULL, &image, &options, &encoder), KST_ERROR_ARGUMENT);
    assert_null(encoder);
    assert_int_equal(kst_line_encoder_write(NULL, &row, 1), KST_ERROR_ARGUMENT);
    options.coding = KST_CODING_OPTIMIZED;
    assert_int_equal(kst_line_encoder_open(context, &image, &options, &encoder), KST_ERROR_OPTIONS);
    assert_null(encoder);
    describe(&choices[0], &image, &options);
    options.codec = KST_CODEC_JPEG2000;
    assert_int_equal(kst_line_encoder_open(context, &image, &options, &encoder), KST_ERROR_OPTIONS);
    describe(&choices[0], &image, &options);
    image.format = KST_FORMAT_PLANAR;
    assert_int_equal(kst_line_encoder_open(context, &image, &options, &encoder), KST_ERROR_IMAGE_FORMAT);
    image.format = KST_FORMAT_RGB;
    image.width = 65536;
    assert_int_equal(kst_line_encoder_open(context, &image, &options, &encoder), KST_ERROR_JPEG_TOO_LARGE);

    describe(&choices[0], &image, &options);
    assert_int_equal(kst_line_encoder_open(context, &image, NULL, &encoder), KST_OK);
    for (size_t i = 0; i <= HEIGHT; i++)
        rows[i] = pixels;
    assert_int_equal(kst_line_encoder_write(encoder, rows, HEIGHT + 1), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_line_encoder_write(encoder, rows, HEIGHT), KST_OK);
    assert_int_equal(kst_line_encoder_write(encoder, rows, 1), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_line_encoder_take(encoder, &data, &length), KST_OK);
    assert_memory_equal((const uint8_t *)data + length - 2, "\xFF\xD9", 2);
    assert_int_equal(kst_line_encoder_take(encoder, &data, &length), KST_OK);
    assert_int_equal(length, 0);
    kst_line_encoder_close(&encoder);
    kst_line_encoder_close(&encoder);
}

static kst_status encode_work(kst_context *on, const void *argument)
{
    static uint8_t file[sizeof pixels];
    size_t length, half;
    return encode_lines(on, argument, file, &length, &half);
}

static void test_without_memory(void **state)
{
    (void)state;
    assert_true(failing_check(encode_work, &choices[0], 1) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_without_memory),
    };
    uint32_t seed = 1;
    for (size_t i = 0; i < sizeof pixels; i++) {
        seed = seed * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(i / 7 % 200 + (seed >> 27));
    }
    context = cpu_context_create(1);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    kst_context_destroy(&context);
    return failures;
}
