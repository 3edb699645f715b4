/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks JPEG 2000 through the API: JP2 files against their references, formats against each other, options and
 * reports.
 */
#include <kostka/kostka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "image/format.h"
#include "support/context.h"
#include "support/j2k/corpus.h"
#include "support/shared_context.h"
#include "support/test.h"

struct stream {
    uint8_t *data;
    size_t length;
};

static struct stream load(const char *name)
{
    struct stream stream;
    stream.data = j2k_corpus_read("streams", name, &stream.length);
    assert_non_null(stream.data);
    return stream;
}

static kst_status decode(
    const struct stream *stream, const kst_decode_options *options, kst_image *image, kst_report *report)
{
    kst_image_init(image);
    kst_report_init(report);
    return kst_decode(context, stream->data, stream->length, options, image, report);
}

static uint32_t sample(const kst_plane *plane, size_t x, size_t y)
{
    const uint8_t *row = (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
    uint16_t wide;
    if (plane->depth <= 8)
        return row[x];
    memcpy(&wide, row + 2 * x, sizeof wide);
    return wide;
}

static uint32_t *read_tiff(const char *name, uint32_t width, uint32_t height)
{
    char path[4096];
    const char *corpus = getenv("KOSTKA_CORPUS");
    snprintf(path, sizeof path, "%s/jpeg2000/references/%s", corpus ? corpus : "../shared/corpus", name);
    uint32_t *pixels = malloc((size_t)width * height * sizeof *pixels);
    TIFF *tiff = TIFFOpen(path, "r");
    assert_non_null(pixels);
    assert_non_null(tiff);
    assert_true(TIFFReadRGBAImageOriented(tiff, width, height, pixels, ORIENTATION_TOPLEFT, 1));
    TIFFClose(tiff);
    return pixels;
}

/* Peak 4 and a mean squared error of 1 are allowed. */
static void check_file(const char *name, const char *reference, kst_colour colour, uint8_t depth)
{
    struct stream stream = load(name);
    kst_decode_options options;
    kst_image image;
    kst_report report;
    double sum = 0;
    uint32_t peak = 0;
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RGB;
    assert_int_equal(decode(&stream, &options, &image, &report), KST_OK);
    assert_int_equal(report.warnings, 0);
    assert_int_equal(image.plane[0].depth, depth);
    assert_int_equal(image.colour, KST_COLOUR_RGB);
    uint32_t *expected = read_tiff(reference, image.width, image.height);
    for (size_t i = 0; i < (size_t)image.width * image.height * 3; i++) {
        uint32_t found = sample(&image.plane[0], i % (image.width * 3), i / (image.width * 3)) >> (depth - 8);
        uint32_t difference = (uint32_t)abs((int)found - (int)(expected[i / 3] >> (8 * (i % 3)) & 255));
        peak = difference > peak ? difference : peak;
        sum += (double)difference * difference;
    }
    double mse = sum / ((double)image.width * image.height * 3);
    printf("%-12s %-14s peak %3u of   4, MSE %9.4f of     1.000\n", name, reference, (unsigned)peak, mse);
    if (getenv("KOSTKA_TABLE"))
        printf("| %s | 0 | RGB of the file | %u | 4 | %.4f | 1.000 |\n", name, (unsigned)peak, mse);
    assert_true(peak <= 4 && mse <= 1);
    kst_image_release(context, &image);
    options.format = KST_FORMAT_AUTO;
    assert_int_equal(decode(&stream, &options, &image, &report), KST_OK);
    assert_int_equal(image.format, colour == KST_COLOUR_GREY ? KST_FORMAT_GREY : KST_FORMAT_RGB);
    kst_image_release(context, &image);
    free(expected);
    free(stream.data);
}

static void test_files(void **state)
{
    (void)state;
    check_file("file1.jp2", "file1.tif", KST_COLOUR_RGB, 8);
    check_file("file2.jp2", "file2.tif", KST_COLOUR_YCBCR, 8);
    check_file("file4.jp2", "file4.tif", KST_COLOUR_GREY, 8);
    check_file("file6.jp2", "file6.tif", KST_COLOUR_GREY, 12);
}

/* Every format holds the same pixels as the components as coded. */
static void check_format(const struct stream *stream, const kst_image *raw, kst_format format)
{
    const struct pixel_layout *layout = kst_pixel_layout(format);
    kst_decode_options options;
    kst_image image;
    kst_report report;
    kst_decode_options_init(&options);
    options.format = format;
    options.alpha = 77;
    assert_int_equal(decode(stream, &options, &image, &report), KST_OK);
    uint32_t samples = kst_format_channels(format);
    for (size_t y = 0; y < image.height; y++)
        for (size_t x = 0; x < (size_t)image.width * samples; x++) {
            uint32_t channel = (uint32_t)(x % samples), place = kst_pixel_place(layout, channel);
            uint32_t expected = layout->alpha && channel == 3
                                    ? 77
                                    : sample(&raw->plane[channel < raw->plane_count ? channel : 0], x / samples, y);
            assert_int_equal(sample(&image.plane[0], x - channel + place, y), expected);
        }
    kst_image_release(context, &image);
}

static void test_formats(void **state)
{
    (void)state;
    static const char *const names[] = {"d1_colr.j2c", "a1_mono.j2c"};
    for (uint32_t i = 0; i < 2; i++) {
        struct stream stream = load(names[i]);
        kst_decode_options options;
        kst_image raw;
        kst_report report;
        kst_decode_options_init(&options);
        options.format = KST_FORMAT_RAW;
        assert_int_equal(decode(&stream, &options, &raw, &report), KST_OK);
        assert_int_equal(raw.plane_count, i == 0 ? 3 : 1);
        for (kst_format format = i == 0 ? KST_FORMAT_RGB : KST_FORMAT_GREY; kst_format_is_known(format); format++)
            if (format == KST_FORMAT_GREY || kst_pixel_is_rgb(kst_pixel_layout(format)))
                check_format(&stream, &raw, format);
        options.format = KST_FORMAT_CMYK;
        kst_image none;
        assert_int_equal(decode(&stream, &options, &none, &report), KST_ERROR_J2K_COLOUR);
        kst_image_release(context, &raw);
        free(stream.data);
    }
}

/* A signed one and one whose components differ in size are given as they are. */
static void test_raw(void **state)
{
    (void)state;
    static const char *const names[] = {"p0_03.j2k", "p0_06.j2k", "p1_07.j2k"};
    for (uint32_t i = 0; i < 3; i++) {
        struct stream stream = load(names[i]);
        kst_image image;
        kst_report report;
        assert_int_equal(decode(&stream, NULL, &image, &report), KST_OK);
        assert_int_equal(image.format, KST_FORMAT_RAW);
        if (i == 0)
            assert_true(image.plane[0].is_signed && image.plane[0].depth == 4);
        if (i == 1)
            assert_true(image.plane_count == 4 && image.plane[3].width == 257 && image.plane[3].depth == 12);
        kst_image_release(context, &image);
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.format = KST_FORMAT_GREY;
        assert_int_equal(decode(&stream, &options, &image, &report), KST_ERROR_J2K_COLOUR);
        free(stream.data);
    }
}

/* A region of the reduced picture is what the whole has there; layers make a difference. */
static void test_options(void **state)
{
    (void)state;
    struct stream stream = load("file1.jp2");
    kst_decode_options options;
    kst_image whole, part;
    kst_report report;
    kst_decode_options_init(&options);
    options.reduce = 2;
    assert_int_equal(decode(&stream, &options, &whole, &report), KST_OK);
    assert_true(whole.width == 192 && whole.height == 128);
    options.region = (kst_region){31, 17, 50, 40};
    assert_int_equal(decode(&stream, &options, &part, &report), KST_OK);
    for (size_t y = 0; y < 40; y++)
        assert_memory_equal((uint8_t *)part.plane[0].data + (ptrdiff_t)y * part.plane[0].pitch,
            (uint8_t *)whole.plane[0].data + (ptrdiff_t)(y + 17) * whole.plane[0].pitch + 31 * 3, 150);
    kst_image_release(context, &whole);
    kst_image_release(context, &part);
    options.region.x = 150;
    assert_int_equal(decode(&stream, &options, &part, &report), KST_ERROR_REGION);
    options.region = (kst_region){0, 0, 0, 0};
    options.reduce = 6;
    assert_int_equal(decode(&stream, &options, &part, &report), KST_ERROR_J2K_REDUCE);
    options.reduce = 33;
    assert_int_equal(decode(&stream, &options, &part, &report), KST_ERROR_OPTIONS);
    free(stream.data);
    stream = load("p0_02.j2k");
    kst_decode_options_init(&options);
    options.layers = 1;
    kst_comparison comparison = {.size = sizeof comparison};
    assert_int_equal(decode(&stream, &options, &part, &report), KST_OK);
    assert_int_equal(report.warnings, 0);
    assert_int_equal(decode(&stream, NULL, &whole, &report), KST_OK);
    assert_int_equal(kst_compare(&part, &whole, &comparison), KST_OK);
    assert_true(!comparison.identical);
    kst_image_release(context, &whole);
    kst_image_release(context, &part);
    free(stream.data);
}

static void test_info(void **state)
{
    (void)state;
    struct stream stream = load("file1.jp2");
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, stream.data, stream.length), KST_OK);
    const kst_info *info = kst_decoder_info(decoder);
    assert_int_equal(info->codec, KST_CODEC_JPEG2000);
    assert_int_equal(info->colour, KST_COLOUR_RGB);
    assert_true(info->width == 768 && info->height == 512 && info->component_count == 3);
    assert_true(info->jp2 && info->reversible && !info->alpha);
    assert_true(info->levels == 5 && info->layers == 1 && info->tiles == 1);
    kst_image image;
    kst_image_init(&image);
    assert_int_equal(kst_decoder_describe(decoder, NULL, &image), KST_OK);
    assert_int_equal(image.format, KST_FORMAT_RGB);
    kst_decoder_destroy(&decoder);
    free(stream.data);
}

/* Cut off anywhere behind the headers a picture comes out, with a warning; strict ones fail. */
static void test_truncated(void **state)
{
    (void)state;
    static const char *const names[] = {"file4.jp2", "p1_03.j2k", "p0_10.j2k", "e1_colr.j2c"};
    for (uint32_t i = 0; i < 4; i++) {
        struct stream whole = load(names[i]);
        for (uint32_t part = 2; part < 8; part++) {
            struct stream stream = {whole.data, whole.length * part / 8};
            kst_decode_options options;
            kst_image image;
            kst_report report;
            assert_int_equal(decode(&stream, NULL, &image, &report), KST_OK);
            assert_true(report.warnings > 0);
            kst_image_release(context, &image);
            kst_decode_options_init(&options);
            options.strict = true;
            assert_true(kst_status_is_warning(decode(&stream, &options, &image, &report)));
            assert_null(image.plane[0].data);
        }
        free(whole.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_truncated),
    };
    if (!j2k_corpus_present())
        return skip_all("there is no corpus");
    return run_with_context(3, tests, NULL, NULL);
}
