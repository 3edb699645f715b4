/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JPEG 2000 cut off anywhere: what is there is decoded, with a warning, and the longer the better. Cut where a layer
 * ends it is the picture of so many layers.
 */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#include "support/j2k/coded.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { WIDTH = 150, HEIGHT = 130, LAYERS = 4, CUTS = 40 };

static uint8_t pixels[WIDTH * HEIGHT * 3];

static kst_buffer encode(kst_progression progression, uint32_t tile, bool reversible, kst_j2k_headers headers)
{
    kst_image image;
    kst_j2k_options j2k;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, WIDTH, HEIGHT, pixels, 0), KST_OK);
    kst_j2k_options_init(&j2k);
    j2k.reversible = reversible;
    j2k.target = reversible ? KST_J2K_LOSSLESS : KST_J2K_STEP;
    j2k.value = 2;
    j2k.progression = progression;
    j2k.layers = LAYERS;
    j2k.tile_width = j2k.tile_height = tile;
    j2k.levels = 3;
    j2k.block_width = j2k.block_height = 16;
    j2k.headers = headers;
    j2k.sop = j2k.eph = true;
    return j2k_coded(context, &image, &j2k);
}

static kst_image decode(const uint8_t *data, size_t length, uint32_t layers, kst_report *report)
{
    kst_decode_options options;
    kst_image image;
    kst_decode_options_init(&options);
    kst_image_init(&image);
    kst_report_init(report);
    options.layers = layers;
    options.format = KST_FORMAT_RGB;
    assert_int_equal(kst_decode(context, data, length, &options, &image, report), KST_OK);
    return image;
}

static kst_comparison compare(const kst_image *a, const kst_image *b)
{
    kst_comparison comparison = {.size = sizeof comparison};
    assert_int_equal(kst_compare(a, b, &comparison), KST_OK);
    return comparison;
}

/* Find the first packet, and each packet of number 0, n, 2n …, of one tile. */
static size_t find_packet(const kst_buffer *coded, uint32_t wanted)
{
    const uint8_t mark[] = {0xFF, 0x91, 0x00, 0x04, (uint8_t)(wanted >> 8), (uint8_t)wanted};
    for (size_t i = 0; i + sizeof mark <= coded->length; i++)
        if (memcmp(coded->data + i, mark, sizeof mark) == 0)
            return i;
    return coded->length - 2; /* EOC */
}

static void test_anywhere(void **state)
{
    static const struct {
        kst_progression progression;
        uint32_t tile;
        bool reversible;
        kst_j2k_headers headers;
    } kinds[] = {{KST_PROGRESSION_LRCP, 0, true, KST_J2K_HEADERS_INLINE},
        {KST_PROGRESSION_RLCP, 0, false, KST_J2K_HEADERS_INLINE},
        {KST_PROGRESSION_RPCL, 64, true, KST_J2K_HEADERS_INLINE},
        {KST_PROGRESSION_CPRL, 100, false, KST_J2K_HEADERS_INLINE},
        {KST_PROGRESSION_LRCP, 0, true, KST_J2K_HEADERS_PPM}};
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        kst_report report;
        kst_buffer coded = encode(kinds[k].progression, kinds[k].tile, kinds[k].reversible, kinds[k].headers);
        kst_image whole = decode(coded.data, coded.length, 0, &report);
        size_t start = find_packet(&coded, 0);
        double best = 0;
        assert_int_equal(report.warnings, 0);
        for (uint32_t i = 0; i <= CUTS; i++) {
            size_t length = start + (coded.length - 3 - start) * i / CUTS;
            uint8_t *cut = malloc(length); /* so that reading behind the end is seen */
            assert_non_null(cut);
            memcpy(cut, coded.data, length);
            kst_image image = decode(cut, length, 0, &report);
            kst_comparison comparison = compare(&whole, &image);
            double psnr = comparison.identical ? 99 : comparison.psnr;
            assert_true(report.warnings > 0);
            assert_true(psnr > best - 0.4);
            best = psnr > best ? psnr : best;
            kst_image_release(context, &image);
            kst_decode_options strict;
            kst_decode_options_init(&strict);
            strict.strict = true;
            kst_status status = kst_decode(context, cut, length, &strict, &image, NULL);
            assert_true(status >= 200 && status < 300);
            free(cut);
        }
        assert_true(best > 35);
        kst_image_release(context, &whole);
        kst_buffer_release(context, &coded);
    }
}

/* LRCP, one precinct for each of the four resolutions of three components: 12 packets a layer. */
static void test_layers(void **state)
{
    kst_buffer coded = encode(KST_PROGRESSION_LRCP, 0, true, KST_J2K_HEADERS_INLINE);
    (void)state;
    for (uint32_t l = 1; l < LAYERS; l++) {
        kst_report report;
        size_t length = find_packet(&coded, 12 * l);
        kst_image some = decode(coded.data, coded.length, l, &report);
        assert_int_equal(report.warnings, 0);
        kst_image cut = decode(coded.data, length, 0, &report);
        assert_true(report.warnings > 0);
        assert_true(compare(&some, &cut).identical);
        kst_image_release(context, &some);
        kst_image_release(context, &cut);
    }
    kst_buffer_release(context, &coded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_anywhere), cmocka_unit_test(test_layers)};
    for (size_t i = 0; i < sizeof pixels; i++) {
        size_t x = i / 3 % WIDTH, y = i / 3 / WIDTH;
        pixels[i] = (uint8_t)(x + y + (x * y >> 6) + (x % 40 < 20 && y % 50 < 25 ? 60 : 0) + i % 3 * 20);
    }
    return run_with_context(1, tests, NULL, NULL);
}
