/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks sYCC and smaller components as RGB: what the components hold, each pixel taking the sample at it or the next
 * one to the left and above, whatever the offset of the picture, the region, the tile and the reduction.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#include "support/context.h"
#include "support/j2k/coded.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { SIDE = 61 };

static uint32_t random_state = 3;

static uint8_t random_byte(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return (uint8_t)(random_state >> 24);
}

struct layout {
    uint32_t dx, dy, x, y, tile;
};

static const struct layout layouts[] = {
    {2, 2, 0, 0, 0}, {2, 2, 3, 5, 16}, {2, 1, 1, 0, 19}, {1, 2, 2, 7, 17}, {3, 2, 5, 1, 23}, {1, 1, 1, 1, 20}};

static uint32_t divide(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* Signal of chroma at the layout's separations; `codestream`: that it is YCbCr nothing says but the sizes. */
static kst_buffer encode(const struct layout *layout, bool codestream)
{
    kst_image image;
    kst_j2k_options j2k;
    uint8_t *data[3];
    kst_image_init(&image);
    image.format = KST_FORMAT_RAW;
    image.colour = KST_COLOUR_YCBCR;
    image.width = image.height = SIDE;
    image.plane_count = 3;
    for (uint32_t c = 0; c < 3; c++) {
        uint32_t dx = c ? layout->dx : 1, dy = c ? layout->dy : 1;
        uint32_t width = divide(layout->x + SIDE, dx) - divide(layout->x, dx);
        uint32_t height = divide(layout->y + SIDE, dy) - divide(layout->y, dy);
        data[c] = malloc((size_t)width * height);
        assert_non_null(data[c]);
        for (size_t i = 0; i < (size_t)width * height; i++)
            data[c][i] = random_byte();
        image.plane[c] = (kst_plane){.data = data[c], .pitch = width, .width = width, .height = height, .depth = 8};
    }
    kst_j2k_options_init(&j2k);
    j2k.image_x = layout->x;
    j2k.image_y = layout->y;
    j2k.tile_width = j2k.tile_height = layout->tile;
    j2k.levels = 3;
    j2k.codestream = codestream;
    kst_buffer buffer = j2k_coded(context, &image, &j2k);
    for (uint32_t c = 0; c < 3; c++)
        free(data[c]);
    return buffer;
}

static kst_image decode(const kst_buffer *coded, const kst_decode_options *options)
{
    kst_image image;
    kst_image_init(&image);
    assert_int_equal(kst_decode(context, coded->data, coded->length, options, &image, NULL), KST_OK);
    return image;
}

static uint8_t sample_at(const kst_plane *plane, uint32_t first, uint32_t at, uint32_t separation, uint32_t row)
{
    uint32_t index = at / separation;
    index = index < first ? 0 : index - first;
    return ((
        const uint8_t *)plane->data)[(ptrdiff_t)row * plane->pitch + (index < plane->width ? index : plane->width - 1)];
}

static uint32_t row_at(const kst_plane *plane, uint32_t first, uint32_t at, uint32_t separation)
{
    uint32_t index = at / separation;
    index = index < first ? 0 : index - first;
    return index < plane->height ? index : plane->height - 1;
}

static int limited(double value)
{
    return value < 0 ? 0 : value > 255 ? 255 : (int)lrint(value);
}

/* From the components as they are, in double precision: within one. */
static void check_whole(const struct layout *layout, const kst_image *raw, const kst_image *rgb, uint32_t reduce)
{
    uint32_t x0 = divide(layout->x, 1U << reduce), y0 = divide(layout->y, 1U << reduce);
    for (uint32_t y = 0; y < rgb->height; y++) {
        const uint8_t *row = (const uint8_t *)rgb->plane[0].data + (ptrdiff_t)y * rgb->plane[0].pitch;
        for (uint32_t x = 0; x < rgb->width; x++) {
            double v[3];
            for (uint32_t c = 0; c < 3; c++) {
                uint32_t dx = c ? layout->dx : 1, dy = c ? layout->dy : 1;
                uint32_t at = row_at(&raw->plane[c], divide(y0, dy), y0 + y, dy);
                v[c] = sample_at(&raw->plane[c], divide(x0, dx), x0 + x, dx, at) - (c ? 128.0 : 0);
            }
            assert_true(abs(row[3 * x] - limited(v[0] + 1.402 * v[2])) <= 1);
            assert_true(abs(row[3 * x + 1] - limited(v[0] - 0.344136 * v[1] - 0.714136 * v[2])) <= 1);
            assert_true(abs(row[3 * x + 2] - limited(v[0] + 1.772 * v[1])) <= 1);
        }
    }
}

static void check_part(const kst_image *whole, const kst_image *part, uint32_t x, uint32_t y)
{
    for (uint32_t row = 0; row < part->height; row++)
        assert_memory_equal((const uint8_t *)part->plane[0].data + (ptrdiff_t)row * part->plane[0].pitch,
            (const uint8_t *)whole->plane[0].data + (ptrdiff_t)(row + y) * whole->plane[0].pitch + (size_t)3 * x,
            (size_t)3 * part->width);
}

static void check_regions(const kst_buffer *coded, const kst_image *whole, kst_decode_options options)
{
    for (uint32_t i = 0; i < 20; i++) {
        options.region.x = random_byte() % whole->width;
        options.region.y = random_byte() % whole->height;
        options.region.width = 1 + random_byte() % (whole->width - options.region.x);
        options.region.height = 1 + random_byte() % (whole->height - options.region.y);
        kst_image part = decode(coded, &options);
        check_part(whole, &part, options.region.x, options.region.y);
        kst_image_release(context, &part);
    }
}

/* Tiles one by one make up the whole. */
static void check_tiles(const struct layout *layout, const kst_buffer *coded, const kst_image *whole, uint32_t reduce)
{
    uint32_t step = layout->tile ? layout->tile : layout->x + layout->y + SIDE,
             columns = divide(layout->x + SIDE, step);
    uint64_t pixels = 0;
    if (!layout->tile)
        return;
    for (uint32_t t = 0; t < columns * divide(layout->y + SIDE, step); t++) {
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.format = KST_FORMAT_RGB;
        options.reduce = reduce;
        options.tile = t;
        uint32_t x = t % columns * step > layout->x ? t % columns * step : layout->x;
        uint32_t y = t / columns * step > layout->y ? t / columns * step : layout->y;
        kst_image part = decode(coded, &options);
        check_part(whole, &part, divide(x, 1U << reduce) - divide(layout->x, 1U << reduce),
            divide(y, 1U << reduce) - divide(layout->y, 1U << reduce));
        pixels += (uint64_t)part.width * part.height;
        if (part.width > 1) {
            options.region = (kst_region){1, 0, part.width - 1, 1};
            kst_image less = decode(coded, &options);
            check_part(&part, &less, 1, 0);
            kst_image_release(context, &less);
        }
        kst_image_release(context, &part);
    }
    assert_int_equal(pixels, (uint64_t)whole->width * whole->height);
}

static void test_ycc(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        kst_buffer coded = encode(&layouts[i], false);
        for (uint32_t reduce = 0; reduce < 3; reduce++) {
            kst_decode_options options;
            kst_decode_options_init(&options);
            options.reduce = reduce;
            options.format = KST_FORMAT_RAW;
            kst_image raw = decode(&coded, &options);
            options.format = KST_FORMAT_AUTO;
            kst_image rgb = decode(&coded, &options);
            assert_true(rgb.format == KST_FORMAT_RGB && raw.colour == KST_COLOUR_YCBCR);
            check_whole(&layouts[i], &raw, &rgb, reduce);
            check_regions(&coded, &rgb, options);
            check_tiles(&layouts[i], &coded, &rgb, reduce);
            kst_image_release(context, &raw);
            kst_image_release(context, &rgb);
        }
        kst_buffer_release(context, &coded);
    }
}

/* A bare codestream says nothing of colours: smaller chroma means YCbCr, as other decoders have it. */
static void test_codestream(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        kst_buffer coded = encode(&layouts[i ? 5 : 1], true);
        kst_decode_options options;
        kst_decode_options_init(&options);
        kst_image image = decode(&coded, &options);
        assert_int_equal(image.format, KST_FORMAT_RGB);
        options.format = KST_FORMAT_RAW;
        kst_image raw = decode(&coded, &options);
        assert_int_equal(raw.colour, i ? KST_COLOUR_RGB : KST_COLOUR_YCBCR);
        kst_image_release(context, &image);
        kst_image_release(context, &raw);
        kst_buffer_release(context, &coded);
    }
}

static void test_tiles_refused(void **state)
{
    (void)state;
    kst_buffer coded = encode(&layouts[1], false);
    kst_decode_options options;
    kst_image image;
    kst_decode_options_init(&options);
    kst_image_init(&image);
    options.tile = 25;
    assert_int_equal(kst_decode(context, coded.data, coded.length, &options, &image, NULL), KST_ERROR_REGION);
    options.tile = 24;
    options.region = (kst_region){0, 0, 17, 1}; /* more than a tile is wide */
    assert_int_equal(kst_decode(context, coded.data, coded.length, &options, &image, NULL), KST_ERROR_REGION);
    kst_buffer_release(context, &coded);
}

/* Colour spaces unlike RGB are reported and passed on: CIELab and e-sYCC. */
static void test_other_spaces(void **state)
{
    (void)state;
    static const uint8_t spaces[] = {14, 24};
    for (size_t i = 0; i < 2; i++) {
        kst_buffer coded = encode(&layouts[5], false);
        kst_decoder *decoder;
        kst_image image;
        for (size_t at = 0; at + 15 < coded.length; at++)
            if (memcmp(coded.data + at, "colr\1\0\0\0\0\0", 10) == 0)
                coded.data[at + 10] = spaces[i];
        assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
        assert_int_equal(kst_decoder_open(decoder, coded.data, coded.length), KST_OK);
        assert_int_equal(kst_decoder_info(decoder)->colour_space, spaces[i]);
        assert_int_equal(kst_decoder_info(decoder)->colour, KST_COLOUR_UNKNOWN);
        kst_image_init(&image);
        assert_int_equal(kst_decoder_describe(decoder, NULL, &image), KST_OK);
        assert_true(image.format == KST_FORMAT_RAW && image.plane_count == 3);
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.format = KST_FORMAT_RGB;
        assert_int_equal(kst_decoder_describe(decoder, &options, &image), KST_ERROR_J2K_COLOUR);
        kst_decoder_destroy(&decoder);
        kst_buffer_release(context, &coded);
    }
}

/* Encode planes of noise of a colour with code points, and perhaps with an ICC profile. */
static kst_status encode_points(
    kst_colour colour, uint32_t planes, const kst_j2k_options *j2k, bool profile, kst_buffer *output)
{
    static uint8_t noise[4 * SIDE * SIDE];
    const kst_metadata icc = {.kind = KST_METADATA_ICC, .data = noise, .length = 100};
    kst_encode_options options = j2k_coding(j2k);
    kst_image image;
    kst_image_init(&image);
    image.format = KST_FORMAT_RAW;
    image.colour = colour;
    image.width = image.height = SIDE;
    image.plane_count = planes;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)(i * 7 + i / SIDE);
    for (uint32_t p = 0; p < planes; p++)
        image.plane[p] = (kst_plane){
            .data = noise + (size_t)p * SIDE * SIDE, .pitch = SIDE, .width = SIDE, .height = SIDE, .depth = 8};
    options.metadata = &icc;
    options.metadata_count = profile;
    *output = (kst_buffer){.data = NULL};
    return kst_encode(context, &image, &options, output, NULL);
}

static kst_info info_of(const kst_buffer *coded)
{
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, coded->data, coded->length), KST_OK);
    const kst_info info = *kst_decoder_info(decoder);
    kst_decoder_destroy(&decoder);
    return info;
}

static void expect_points(const kst_buffer *coded, const kst_code_points *points)
{
    const kst_code_points found = info_of(coded).code_points;
    assert_true(found.present == points->present && found.full_range == points->full_range);
    assert_int_equal(found.primaries, points->primaries);
    assert_int_equal(found.transfer, points->transfer);
    assert_int_equal(found.matrix, points->matrix);
}

static kst_j2k_options with_points(uint16_t primaries, uint16_t transfer, uint16_t matrix, bool full_range)
{
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.style = KST_J2K_HT;
    j2k.code_points = (kst_code_points){
        .present = true, .full_range = full_range, .primaries = primaries, .transfer = transfer, .matrix = matrix};
    return j2k;
}

/* Code points are written, read, and kept by transcoding there and back; what can be decoded as colours is. */
static void test_points(void **state)
{
    (void)state;
    static const struct {
        kst_colour colour, found;
        uint16_t primaries, transfer, matrix;
        bool full_range;
    } cases[] = {{KST_COLOUR_RGB, KST_COLOUR_RGB, 9, 16, 0, true}, {KST_COLOUR_RGB, KST_COLOUR_UNKNOWN, 1, 1, 0, false},
        {KST_COLOUR_YCBCR, KST_COLOUR_YCBCR, 1, 13, 6, true}, {KST_COLOUR_YCBCR, KST_COLOUR_UNKNOWN, 9, 18, 9, true},
        {KST_COLOUR_UNKNOWN, KST_COLOUR_UNKNOWN, 22, 1, 1, false}, {KST_COLOUR_GREY, KST_COLOUR_GREY, 2, 2, 2, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kst_j2k_options j2k =
            with_points(cases[i].primaries, cases[i].transfer, cases[i].matrix, cases[i].full_range);
        kst_transcode_options options;
        kst_buffer coded, classic = {.data = NULL}, back = {.data = NULL};
        assert_int_equal(
            encode_points(cases[i].colour, cases[i].colour == KST_COLOUR_GREY ? 1 : 3, &j2k, false, &coded), KST_OK);
        expect_points(&coded, &j2k.code_points);
        assert_int_equal(info_of(&coded).colour, cases[i].found);
        kst_transcode_options_init(&options);
        options.jpeg2000.ht = KST_CHOICE_NO;
        assert_int_equal(kst_transcode(context, coded.data, coded.length, &options, &classic, NULL), KST_OK);
        expect_points(&classic, &j2k.code_points);
        options.jpeg2000.ht = KST_CHOICE_YES;
        assert_int_equal(kst_transcode(context, classic.data, classic.length, &options, &back, NULL), KST_OK);
        assert_int_equal(back.length, coded.length);
        assert_memory_equal(back.data, coded.data, coded.length);
        kst_buffer_release(context, &coded);
        kst_buffer_release(context, &classic);
        kst_buffer_release(context, &back);
    }
    kst_buffer plain = encode(&layouts[0], false);
    expect_points(&plain, &(kst_code_points){.present = false});
    kst_buffer_release(context, &plain);
}

/* What code points cannot say of a file is refused. */
static void test_points_refused(void **state)
{
    (void)state;
    const kst_j2k_options fine = with_points(1, 13, 0, true);
    kst_j2k_options j2k[9];
    kst_buffer coded;
    for (size_t i = 0; i < 9; i++)
        j2k[i] = fine;
    j2k[0].codestream = true;
    j2k[1].style = 0;
    j2k[2].code_points.primaries = 0;
    j2k[3].code_points.primaries = 13;
    j2k[4].code_points.transfer = 3;
    j2k[5].code_points.transfer = 19;
    j2k[6].code_points.matrix = 3;
    j2k[7].code_points.matrix = 18;
    j2k[8].code_points.matrix = 1; /* which is of YCbCr */
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(encode_points(KST_COLOUR_RGB, 3, &j2k[i], false, &coded), KST_ERROR_OPTIONS);
    assert_int_equal(encode_points(KST_COLOUR_RGB, 3, &fine, true, &coded), KST_ERROR_OPTIONS);
    assert_int_equal(encode_points(KST_COLOUR_YCBCR, 3, &fine, false, &coded), KST_ERROR_OPTIONS);
    assert_int_equal(encode_points(KST_COLOUR_CMYK, 4, &fine, false, &coded), KST_ERROR_OPTIONS);
    assert_int_equal(encode_points(KST_COLOUR_RGB, 3, &fine, false, &coded), KST_OK);
    kst_buffer_release(context, &coded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ycc),
        cmocka_unit_test(test_codestream),
        cmocka_unit_test(test_tiles_refused),
        cmocka_unit_test(test_other_spaces),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_points_refused),
    };
    return run_with_context(2, tests, NULL, NULL);
}
