/* SPDX-License-Identifier: BSD-2-Clause */
/* Wrong use of the decoder's interface: an error that says so, and nothing written. */
#include <stdlib.h>
#include <string.h>

#include "support/bytes.h"
#include "support/machines.h"
#include "support/shared_context.h"
#include "support/test.h"

static struct bytes stream; /* 40 × 24, grey */

static int start(void **state)
{
    (void)state;
    put_start(&stream);
    put_frame(&stream, 0xC0, 40, 24, 1, NULL);
    put_scan(&stream, 0, 1, 0, 63, 0, 0);
    put_zeros(&stream, 12);
    put_marker(&stream, 0xD9);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    bytes_free(&stream);
    return 0;
}

static kst_decoder *open_decoder(void)
{
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, stream.data, stream.length), KST_OK);
    return decoder;
}

static void null_pointers(void **state)
{
    kst_decoder *decoder = NULL;
    kst_image image;
    (void)state;
    kst_image_init(&image);
    assert_int_equal(kst_decoder_create(NULL, &decoder), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decoder_create(context, NULL), KST_ERROR_ARGUMENT);
    kst_decoder_destroy(NULL);
    kst_decoder_destroy(&decoder);
    assert_int_equal(kst_decoder_open(NULL, stream.data, stream.length), KST_ERROR_ARGUMENT);
    assert_null(kst_decoder_info(NULL));
    assert_null(kst_decoder_metadata(NULL, 0));
    assert_null(kst_decoder_report(NULL));
    assert_int_equal(kst_decoder_describe(NULL, NULL, &image), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decoder_decode(NULL, NULL, &image), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decode(NULL, stream.data, stream.length, NULL, &image, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decode(context, stream.data, stream.length, NULL, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decode(context, NULL, 10, NULL, &image, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decode(context, NULL, 0, NULL, &image, NULL), KST_ERROR_EMPTY);
    assert_int_equal(kst_decode_batch(NULL, NULL, 0), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decode_batch(context, NULL, 1), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decode_batch(context, NULL, 0), KST_OK);
    kst_decode_options_init(NULL);
    kst_image_init(NULL);
    kst_report_init(NULL);

    decoder = open_decoder();
    assert_int_equal(kst_decoder_describe(decoder, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decoder_decode(decoder, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decoder_open(decoder, NULL, 3), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decoder_report(decoder)->status, KST_ERROR_ARGUMENT);
    assert_null(kst_decoder_info(decoder));
    kst_decoder_destroy(&decoder);
    assert_null(decoder);
}

/* "Every member is set by the operation, whether it succeeds or fails." */
static void reports_of_refused_calls(void **state)
{
    kst_report report;
    kst_image image;
    (void)state;
    kst_image_init(&image);
    for (uint32_t i = 0; i < 2; i++) {
        memset(&report, 0xEE, sizeof report);
        report.size = sizeof report;
        assert_int_equal(kst_decode(i ? context : NULL, stream.data, stream.length, NULL, i ? NULL : &image, &report),
            KST_ERROR_ARGUMENT);
        assert_int_equal(report.status, KST_ERROR_ARGUMENT);
        assert_int_equal(report.warnings, 0);
        assert_int_equal(report.offset, UINT64_MAX);
        assert_true(strlen(report.message) > 0);
    }
}

static void decoders_without_a_stream(void **state)
{
    kst_decoder *decoder;
    kst_image image;
    (void)state;
    kst_image_init(&image);
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_non_null(kst_decoder_report(decoder));
    assert_null(kst_decoder_info(decoder));
    assert_null(kst_decoder_metadata(decoder, 0));
    assert_int_equal(kst_decoder_describe(decoder, NULL, &image), KST_ERROR_STATE);
    assert_int_equal(kst_decoder_decode(decoder, NULL, &image), KST_ERROR_STATE);
    assert_int_equal(kst_decoder_report(decoder)->status, KST_ERROR_STATE);
    assert_int_equal(kst_decoder_open(decoder, stream.data, stream.length), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, "no picture", 10), KST_ERROR_JPEG_SOI);
    assert_null(kst_decoder_info(decoder));
    assert_int_equal(kst_decoder_decode(decoder, NULL, &image), KST_ERROR_STATE);
    assert_int_equal(kst_decoder_open(decoder, stream.data, stream.length), KST_OK);
    assert_int_equal(kst_decoder_decode(decoder, NULL, &image), KST_OK);
    kst_image_release(context, &image);
    kst_decoder_destroy(&decoder);
}

static void sizes_of_structures(void **state)
{
    kst_decoder *decoder = open_decoder();
    kst_decode_options options;
    kst_image image;
    (void)state;
    kst_image_init(&image);
    memset(&options, 0, sizeof options);
    assert_int_equal(kst_decoder_describe(decoder, &options, &image), KST_ERROR_OPTIONS);
    assert_int_equal(kst_decoder_decode(decoder, &options, &image), KST_ERROR_OPTIONS);
    options.size = sizeof options - 1;
    assert_int_equal(kst_decoder_decode(decoder, &options, &image), KST_ERROR_OPTIONS);
    kst_decode_options_init(&options);
    image.size = 0;
    assert_int_equal(kst_decoder_decode(decoder, &options, &image), KST_ERROR_OPTIONS);
    image.size = sizeof image + 8;
    assert_int_equal(kst_decoder_decode(decoder, &options, &image), KST_ERROR_OPTIONS);
    kst_decoder_destroy(&decoder);
}

static void options_out_of_range(void **state)
{
    kst_decoder *decoder = open_decoder();
    kst_decode_options options;
    kst_image image;
    (void)state;
    kst_image_init(&image);
    kst_decode_options_init(&options);
    options.reduce = 4;
    assert_int_equal(kst_decoder_decode(decoder, &options, &image), KST_ERROR_OPTIONS);
    options.reduce = UINT32_MAX;
    assert_int_equal(kst_decoder_describe(decoder, &options, &image), KST_ERROR_OPTIONS);
    kst_decode_options_init(&options);
    options.format = (kst_format)9;
    assert_int_equal(kst_decoder_decode(decoder, &options, &image), KST_ERROR_OPTIONS);
    options.format = (kst_format)-1;
    assert_int_equal(kst_decoder_decode(decoder, &options, &image), KST_ERROR_OPTIONS);
    options.format = KST_FORMAT_RAW;
    options.orient = true;
    assert_int_equal(kst_decoder_decode(decoder, &options, &image), KST_ERROR_OPTIONS);
    assert_null(image.plane[0].data);
    kst_decoder_destroy(&decoder);
}

/* The caller's image must be the one described. */
static void wrong_images(void **state)
{
    enum { W = 40, H = 24 };
    static uint8_t buffer[W * H * 4];
    static const struct {
        kst_format format;
        uint32_t width, height;
        ptrdiff_t pitch;
        kst_status expected;
    } wrong[] = {
        {KST_FORMAT_RGB, W, H, 0, KST_ERROR_IMAGE_FORMAT},
        {KST_FORMAT_GREY, W - 1, H, 0, KST_ERROR_IMAGE_SIZE},
        {KST_FORMAT_GREY, W + 1, H, 0, KST_ERROR_IMAGE_SIZE},
        {KST_FORMAT_GREY, W, H - 1, 0, KST_ERROR_IMAGE_SIZE},
        {KST_FORMAT_GREY, H, W, 0, KST_ERROR_IMAGE_SIZE},
        {KST_FORMAT_GREY, W, H, W - 1, KST_ERROR_IMAGE_PITCH},
        {KST_FORMAT_GREY, W, H, 1 - W, KST_ERROR_IMAGE_PITCH},
        {KST_FORMAT_GREY, W, H, PTRDIFF_MAX, KST_ERROR_IMAGE_PITCH},
        {KST_FORMAT_GREY, W, H, PTRDIFF_MIN, KST_ERROR_IMAGE_PITCH},
    };
    kst_decoder *decoder = open_decoder();
    (void)state;
    memset(buffer, 0x5A, sizeof buffer);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        kst_image image;
        kst_image_init(&image);
        image.format = wrong[i].format;
        image.width = wrong[i].width;
        image.height = wrong[i].height;
        image.plane_count = 1;
        image.plane[0].data = buffer;
        image.plane[0].pitch =
            wrong[i].pitch ? wrong[i].pitch : (ptrdiff_t)(wrong[i].width * kst_format_channels(wrong[i].format));
        image.plane[0].width = wrong[i].width;
        image.plane[0].height = wrong[i].height;
        image.plane[0].depth = 8;
        kst_status status = kst_decoder_decode(decoder, NULL, &image);
        if (status != wrong[i].expected)
            fail_msg("image %zu: %s", i, kst_status_name(status));
        assert_int_equal(kst_decoder_report(decoder)->status, status);
    }
    for (uint32_t i = 0; i < 4; i++) {
        kst_image image;
        assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, W, H, buffer, 0), KST_OK);
        if (i == 0)
            image.plane[0].depth = 16;
        else if (i == 1)
            image.plane[0].is_signed = true;
        else if (i == 2)
            image.plane_count = 2;
        else
            image.memory = KST_MEMORY_CUDA;
        assert_int_not_equal(kst_decoder_decode(decoder, NULL, &image), KST_OK);
    }
    for (size_t i = 0; i < sizeof buffer; i++)
        assert_int_equal(buffer[i], 0x5A);
    kst_decoder_destroy(&decoder);
}

/* After an error the decoder goes on as before; an image that was made can be used again. */
static void going_on(void **state)
{
    kst_decoder *decoder = open_decoder();
    kst_decode_options options;
    kst_image image;
    (void)state;
    kst_image_init(&image);
    kst_decode_options_init(&options);
    options.region.width = 41;
    options.region.height = 1;
    assert_int_equal(kst_decoder_decode(decoder, &options, &image), KST_ERROR_REGION);
    assert_int_equal(kst_decoder_decode(decoder, NULL, &image), KST_OK);
    assert_int_equal(kst_decoder_report(decoder)->status, KST_OK);
    void *data = image.plane[0].data;
    assert_int_equal(kst_decoder_decode(decoder, NULL, &image), KST_OK);
    assert_ptr_equal(image.plane[0].data, data);
    kst_image_release(context, &image);
    kst_image_release(context, &image);
    kst_decoder_destroy(&decoder);
}

static void batch_with_bad_items(void **state)
{
    kst_decode_item item[5];
    kst_image image[5];
    kst_decode_options options;
    (void)state;
    memset(item, 0, sizeof item);
    memset(&options, 0, sizeof options);
    for (uint32_t i = 0; i < 5; i++) {
        kst_image_init(&image[i]);
        item[i].data = stream.data;
        item[i].length = stream.length;
        item[i].image = &image[i];
    }
    item[1].image = NULL;
    item[2].options = &options;
    item[3].data = NULL;
    assert_int_equal(kst_decode_batch(context, item, 5), KST_ERROR_ARGUMENT);
    assert_int_equal(item[0].report.status, KST_OK);
    assert_int_equal(item[1].report.status, KST_ERROR_ARGUMENT);
    assert_int_equal(item[2].report.status, KST_ERROR_OPTIONS);
    assert_int_equal(item[3].report.status, KST_ERROR_ARGUMENT);
    assert_int_equal(item[4].report.status, KST_OK);
    assert_true(strlen(item[1].report.message) > 0);
    for (uint32_t i = 0; i < 5; i++)
        kst_image_release(context, &image[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_pointers),
        cmocka_unit_test(reports_of_refused_calls),
        cmocka_unit_test(decoders_without_a_stream),
        cmocka_unit_test(sizes_of_structures),
        cmocka_unit_test(options_out_of_range),
        cmocka_unit_test(wrong_images),
        cmocka_unit_test(going_on),
        cmocka_unit_test(batch_with_bad_items),
    };
    return run_with_context(2, tests, start, stop);
}
