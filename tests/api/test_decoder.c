/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks what the header promises about decoders: information, metadata, descriptions, reports. */
#include <stdlib.h>
#include <string.h>

#include "support/shared_context.h"
#include "support/test.h"

#include <kostka/kostka.h>

enum { WIDTH = 100, HEIGHT = 60 };

static uint8_t samples[WIDTH * HEIGHT * 3];
static uint8_t profile[100000];

static int start(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples; i++)
        samples[i] = (uint8_t)(i * i / 977);
    for (size_t i = 0; i < sizeof profile; i++)
        profile[i] = (uint8_t)(i / 251);
    return 0;
}

static kst_buffer encode(const kst_encode_options *options)
{
    kst_image image;
    kst_buffer output = {0};
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, WIDTH, HEIGHT, samples, 0), KST_OK);
    assert_int_equal(kst_encode(context, &image, options, &output, NULL), KST_OK);
    return output;
}

static kst_decoder *open_decoder(const kst_buffer *stream)
{
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, stream->data, stream->length), KST_OK);
    return decoder;
}

static void defaults(void **state)
{
    kst_decode_options options;
    kst_report report;
    (void)state;
    memset(&options, 0xFF, sizeof options);
    kst_decode_options_init(&options);
    assert_int_equal(options.size, sizeof options);
    assert_int_equal(options.format, KST_FORMAT_AUTO);
    assert_int_equal(options.reduce, 0);
    assert_int_equal(options.region.width, 0);
    assert_int_equal(options.region.height, 0);
    assert_false(options.strict);
    assert_false(options.orient);
    assert_int_equal(options.alpha, 255);
    memset(&report, 0xFF, sizeof report);
    kst_report_init(&report);
    assert_int_equal(report.size, sizeof report);
    assert_int_equal(report.status, KST_OK);
    assert_int_equal(report.warnings, 0);
    assert_int_equal(report.message[0], 0);
}

static void information(void **state)
{
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.quality = 83;
    options.restart = (kst_restart){KST_RESTART_MCUS, 5};
    options.density_unit = KST_DENSITY_INCH;
    options.density_x = 300;
    options.density_y = 150;
    kst_buffer stream = encode(&options);
    kst_decoder *decoder = open_decoder(&stream);
    const kst_info *info = kst_decoder_info(decoder);
    (void)state;
    assert_int_equal(info->size, sizeof *info);
    assert_int_equal(info->codec, KST_CODEC_JPEG);
    assert_int_equal(info->process, KST_PROCESS_BASELINE);
    assert_int_equal(info->colour, KST_COLOUR_YCBCR);
    assert_int_equal(info->width, WIDTH);
    assert_int_equal(info->height, HEIGHT);
    assert_int_equal(info->component_count, 3);
    assert_int_equal(info->component[0].h, 2);
    assert_int_equal(info->component[0].v, 2);
    assert_int_equal(info->component[1].width, WIDTH / 2);
    assert_int_equal(info->component[2].height, HEIGHT / 2);
    assert_int_equal(info->component[2].quant_table, 1);
    assert_int_equal(info->component[1].depth, 8);
    assert_int_equal(info->scans, 1);
    assert_int_equal(info->restart_interval, 5);
    assert_int_equal(info->mcu_width, 16);
    assert_int_equal(info->mcu_height, 16);
    assert_int_equal(info->quality, 83);
    assert_int_equal(info->orientation, 1);
    assert_true(info->jfif);
    assert_int_equal(info->jfif_version, 0x101);
    assert_false(info->adobe);
    assert_int_equal(info->density_unit, KST_DENSITY_INCH);
    assert_int_equal(info->density_x, 300);
    assert_int_equal(info->density_y, 150);
    assert_in_range(info->entropy_bytes, 100, stream.length);
    assert_int_equal(info->quant_table[0][1], (11 * 34 + 50) / 100);
    kst_decoder_destroy(&decoder);
    kst_buffer_release(context, &stream);
}

static void metadata(void **state)
{
    static const uint8_t exif[] = {
        'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0};
    const kst_metadata given[] = {
        {.kind = KST_METADATA_EXIF, .data = exif, .length = sizeof exif},
        {.kind = KST_METADATA_ICC, .data = profile, .length = sizeof profile},
        {.kind = KST_METADATA_COMMENT, .data = (const uint8_t *)"one", .length = 3},
        {.kind = KST_METADATA_XMP, .data = (const uint8_t *)"<x/>", .length = 4},
        {.kind = KST_METADATA_APP, .marker = 0xE9, .data = (const uint8_t *)"nine", .length = 4},
        {.kind = KST_METADATA_COMMENT, .data = (const uint8_t *)"two", .length = 3},
    };
    enum { GIVEN = sizeof given / sizeof given[0] };
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.metadata = given;
    options.metadata_count = GIVEN;
    kst_buffer stream = encode(&options);
    kst_decoder *decoder = open_decoder(&stream);
    (void)state;
    for (size_t i = 0; i < GIVEN; i++) {
        const kst_metadata *item = kst_decoder_metadata(decoder, i);
        assert_non_null(item);
        assert_int_equal(item->kind, given[i].kind);
        assert_int_equal(item->length, given[i].length);
        assert_memory_equal(item->data, given[i].data, item->length);
        assert_true(item->offset < stream.length);
        if (i > 0)
            assert_true(item->offset > kst_decoder_metadata(decoder, i - 1)->offset);
    }
    assert_int_equal(kst_decoder_metadata(decoder, 4)->marker, 0xE9);
    assert_null(kst_decoder_metadata(decoder, GIVEN));
    assert_null(kst_decoder_metadata(decoder, SIZE_MAX));
    assert_int_equal(kst_decoder_info(decoder)->orientation, 6);

    kst_image image;
    kst_decode_options decoding;
    kst_decode_options_init(&decoding);
    decoding.orient = true;
    assert_int_equal(kst_decoder_describe(decoder, &decoding, &image), KST_OK);
    assert_int_equal(image.width, HEIGHT);
    assert_int_equal(image.height, WIDTH);
    assert_int_equal(image.plane[0].pitch, HEIGHT * 3);
    kst_decoder_destroy(&decoder);
    kst_buffer_release(context, &stream);
}

static void descriptions(void **state)
{
    kst_buffer stream = encode(NULL);
    kst_decoder *decoder = open_decoder(&stream);
    kst_decode_options options;
    kst_image image;
    (void)state;
    assert_int_equal(kst_decoder_describe(decoder, NULL, &image), KST_OK);
    assert_int_equal(image.size, sizeof image);
    assert_int_equal(image.format, KST_FORMAT_RGB);
    assert_int_equal(image.colour, KST_COLOUR_RGB);
    assert_int_equal(image.memory, KST_MEMORY_HOST);
    assert_int_equal(image.plane_count, 1);
    assert_null(image.plane[0].data);
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    options.reduce = 3;
    assert_int_equal(kst_decoder_describe(decoder, &options, &image), KST_OK);
    assert_int_equal(image.width, (WIDTH + 7) / 8);
    assert_int_equal(image.height, (HEIGHT + 7) / 8);
    assert_int_equal(image.plane_count, 3);
    assert_int_equal(image.colour, KST_COLOUR_YCBCR);
    assert_int_equal(image.plane[1].width, (WIDTH + 15) / 16);
    assert_int_equal(image.plane[2].height, (HEIGHT + 15) / 16);
    options.region = (kst_region){1, 2, 3, 4};
    options.format = KST_FORMAT_BGRA;
    assert_int_equal(kst_decoder_describe(decoder, &options, &image), KST_OK);
    assert_int_equal(image.plane[0].width, 3);
    assert_int_equal(image.plane[0].height, 4);
    assert_int_equal(image.plane[0].pitch, 12);
    kst_decoder_destroy(&decoder);
    kst_buffer_release(context, &stream);
}

static void reports(void **state)
{
    kst_buffer stream = encode(NULL);
    kst_decoder *decoder = open_decoder(&stream);
    const kst_report *report = kst_decoder_report(decoder);
    kst_image image;
    (void)state;
    kst_image_init(&image);
    assert_int_equal(report->status, KST_OK);
    assert_string_equal(report->device, "cpu");
    assert_int_equal(report->stage_device[KST_STAGE_PARSE], KST_DEVICE_CPU);
    assert_int_equal(report->stage_device[KST_STAGE_PIXELS], KST_DEVICE_NONE);
    assert_int_equal(kst_decoder_decode(decoder, NULL, &image), KST_OK);
    report = kst_decoder_report(decoder);
    assert_int_equal(report->status, KST_OK);
    assert_int_equal(report->warnings, 0);
    assert_int_equal(report->first_warning, KST_OK);
    assert_int_equal(report->first_warning_offset, UINT64_MAX);
    assert_int_equal(report->offset, UINT64_MAX);
    assert_int_equal(report->message[0], 0);
    assert_int_equal(report->stage_device[KST_STAGE_PIXELS], KST_DEVICE_CPU);
    assert_true(report->stage_seconds[KST_STAGE_PIXELS] > 0.0);
    assert_int_equal(report->stage_device[KST_STAGE_UPLOAD], KST_DEVICE_NONE);
    assert_int_equal(report->threads, 1);

    kst_decode_options strict;
    kst_decode_options_init(&strict);
    strict.strict = true;
    assert_int_equal(kst_decoder_open(decoder, stream.data, stream.length / 2), KST_OK);
    assert_true(kst_decoder_report(decoder)->warnings > 0);
    assert_int_equal(kst_decoder_decode(decoder, NULL, &image), KST_OK);
    uint64_t warnings = kst_decoder_report(decoder)->warnings;
    assert_true(warnings >= 2);
    assert_true(strlen(kst_decoder_report(decoder)->message) > 0);
    assert_int_equal(kst_decoder_decode(decoder, NULL, &image), KST_OK);
    assert_int_equal(kst_decoder_report(decoder)->warnings, warnings);
    kst_status status = kst_decoder_decode(decoder, &strict, &image);
    assert_true(kst_status_is_warning(status));
    assert_int_equal(kst_decoder_report(decoder)->status, status);
    assert_true(kst_decoder_report(decoder)->offset <= stream.length / 2);
    kst_image_release(context, &image);
    kst_decoder_destroy(&decoder);
    kst_buffer_release(context, &stream);
}

/* A report of an older program, which ends earlier, is filled as far as it goes. */
static void shorter_reports(void **state)
{
    kst_report report;
    kst_image image;
    (void)state;
    kst_image_init(&image);
    memset(&report, 0x77, sizeof report);
    report.size = offsetof(kst_report, message);
    assert_int_equal(kst_decode(context, "xx", 2, NULL, &image, &report), KST_ERROR_JPEG_SOI);
    assert_int_equal(report.size, offsetof(kst_report, message));
    assert_int_equal(report.status, KST_ERROR_JPEG_SOI);
    assert_int_equal(report.message[0], 0x77);
    assert_int_equal(report.threads, 0x77777777);
}

struct log {
    uint32_t lines;
    kst_log_level last;
};

static void write_line(void *user, kst_log_level level, const char *line)
{
    struct log *log = user;
    assert_non_null(line);
    assert_null(strchr(line, '\n'));
    log->lines++;
    log->last = level;
}

/* Many streams are described as each is by itself, bad ones among them with its error. */
static void describes_batches(void **state)
{
    enum { COUNT = 40 };
    kst_buffer stream = encode(NULL);
    kst_decoder *decoder = open_decoder(&stream);
    kst_decode_item item[COUNT];
    kst_image image[COUNT], one;
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        kst_image_init(&image[i]);
        item[i] = (kst_decode_item){.data = stream.data, .length = i % 7 == 3 ? i : stream.length, .image = &image[i]};
    }
    assert_int_equal(kst_decoder_describe(decoder, NULL, &one), KST_OK);
    assert_int_not_equal(kst_decode_describe_batch(context, item, COUNT), KST_OK);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(!item[i].report.status, i % 7 != 3);
        if (i % 7 != 3)
            assert_memory_equal(&image[i], &one, sizeof one);
    }
    item[0].image = NULL;
    assert_int_equal(kst_decode_describe_batch(context, item, 1), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decode_describe_batch(NULL, item, 1), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decode_describe_batch(context, NULL, 0), KST_OK);
    kst_decoder_destroy(&decoder);
    kst_buffer_release(context, &stream);
}

static void logs(void **state)
{
    struct log log = {0};
    kst_context_options options;
    kst_context *own;
    kst_image image;
    (void)state;
    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = 1;
    options.log = (kst_log){write_line, &log, KST_LOG_ERROR};
    assert_int_equal(kst_context_create(&options, &own), KST_OK);
    kst_image_init(&image);
    assert_int_equal(kst_decode(own, "no", 2, NULL, &image, NULL), KST_ERROR_JPEG_SOI);
    assert_int_equal(log.lines, 1);
    assert_int_equal(log.last, KST_LOG_ERROR);
    kst_context_destroy(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(information),
        cmocka_unit_test(metadata),
        cmocka_unit_test(descriptions),
        cmocka_unit_test(describes_batches),
        cmocka_unit_test(reports),
        cmocka_unit_test(shorter_reports),
        cmocka_unit_test(logs),
    };
    return run_with_context(1, tests, start, NULL);
}
