/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes pictures of every shape with every option to JPEG 2000, and checks that our decoder, which conforms to T.803,
 * returns them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#include "support/context.h"
#include "support/encode_rows.h"
#include "support/j2k/coded.h"
#include "support/test.h"

enum { SIDE = 200, PLANES = 4 };

struct fixture {
    kst_context *context;
    uint16_t samples[PLANES][SIDE * SIDE];
    uint32_t random;
};

static uint32_t next(struct fixture *f)
{
    f->random = f->random * 1664525 + 1013904223;
    return f->random >> 8;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->random = 1;
    *state = f;
    f->context = cpu_context_create(3);
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    kst_context_destroy(&f->context);
    free(f);
    return 0;
}

/* Slopes, a sharp line and noise, over the whole range of the depth; signed samples as their low bits. */
static void fill(struct fixture *f, kst_image *image)
{
    for (uint32_t p = 0; p < image->plane_count; p++) {
        kst_plane *plane = &image->plane[p];
        uint32_t samples = kst_format_channels(image->format), max = (1u << plane->depth) - 1;
        uint32_t width = plane->width * (samples ? samples : 1), noise = next(f) % 3;
        plane->data = f->samples[p];
        plane->pitch = (ptrdiff_t)width * (plane->depth > 8 ? 2 : 1);
        for (uint32_t i = 0; i < width * plane->height; i++) {
            uint32_t x = i % width, y = i / width, value = x * 37 + y * 61 + (x > y ? max / 2 : 0);
            value = (value + (noise ? next(f) >> (noise == 1 ? 16 : 0) : 0)) & max;
            if (plane->is_signed && value > max / 2)
                value |= 0xFFFF ^ max;
            if (plane->depth > 8)
                f->samples[p][i] = (uint16_t)value;
            else
                ((uint8_t *)f->samples[p])[i] = (uint8_t)value;
        }
    }
}

static kst_image describe(kst_format format, uint32_t width, uint32_t height, uint32_t depth)
{
    kst_image image;
    kst_image_init(&image);
    image.format = format;
    image.width = width;
    image.height = height;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){.width = width, .height = height, .depth = (uint8_t)depth};
    return image;
}

static kst_status encode(struct fixture *f, const kst_image *image, const kst_j2k_options *j2k, kst_buffer *output)
{
    kst_encode_options options = j2k_coding(j2k);
    *output = (kst_buffer){.data = NULL};
    kst_report report;
    kst_report_init(&report);
    kst_status status = kst_encode(f->context, image, &options, output, &report);
    if (status && report.message[0] == 0)
        fail_msg("an error without a message: %d", status);
    return status;
}

static void decode(struct fixture *f, const kst_buffer *coded, const kst_image *like, kst_image *decoded)
{
    kst_decode_options options;
    kst_report report;
    kst_decode_options_init(&options);
    kst_image_init(decoded);
    kst_report_init(&report);
    options.format = like->format;
    options.strict = true;
    if (kst_decode(f->context, coded->data, coded->length, &options, decoded, &report))
        fail_msg("not decoded: %s", report.message);
}

static void expect_same(struct fixture *f, const kst_image *image, const kst_j2k_options *j2k, const char *what)
{
    kst_buffer coded;
    kst_image decoded;
    kst_comparison comparison = {.size = sizeof comparison};
    kst_status status = encode(f, image, j2k, &coded);
    if (status)
        fail_msg("%s, %u × %u: %s", what, image->width, image->height, kst_status_text(status));
    decode(f, &coded, image, &decoded);
    assert_int_equal(kst_compare(image, &decoded, &comparison), KST_OK);
    if (!comparison.identical)
        fail_msg("%s, %u × %u, depth %u: %llu samples differ, the worst by %u", what, image->width, image->height,
            image->plane[0].depth, (unsigned long long)comparison.differing, comparison.max_error);
    kst_image_release(f->context, &decoded);
    kst_buffer_release(f->context, &coded);
}

static void shapes(void **state)
{
    struct fixture *f = *state;
    static const uint16_t sizes[][2] = {
        {1, 1}, {1, 2}, {2, 1}, {3, 3}, {1, 200}, {200, 1}, {5, 7}, {64, 64}, {65, 63}, {129, 200}, {33, 2}};
    for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t levels = 0; levels < 9; levels += 1 + levels / 4) {
            kst_j2k_options j2k;
            kst_j2k_options_init(&j2k);
            j2k.levels = levels;
            j2k.codestream = s % 2;
            kst_image image = describe(KST_FORMAT_GREY, sizes[s][0], sizes[s][1], 8);
            fill(f, &image);
            expect_same(f, &image, &j2k, "a shape");
            if (3 * sizes[s][0] > SIDE)
                continue;
            image = describe(KST_FORMAT_RGB, sizes[s][0], sizes[s][1], 8);
            fill(f, &image);
            expect_same(f, &image, &j2k, "a shape in colour");
        }
}

/* The origins of the picture and the tiles change which samples are even. */
static void offsets_and_tiles(void **state)
{
    struct fixture *f = *state;
    for (uint32_t i = 0; i < 60; i++) {
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        j2k.image_x = next(f) % 40;
        j2k.image_y = next(f) % 40;
        j2k.tile_x = next(f) % (j2k.image_x + 1);
        j2k.tile_y = next(f) % (j2k.image_y + 1);
        j2k.tile_width = j2k.image_x - j2k.tile_x + 1 + next(f) % 50;
        j2k.tile_height = j2k.image_y - j2k.tile_y + 1 + next(f) % 50;
        j2k.levels = next(f) % 6;
        j2k.layers = 1 + next(f) % 3;
        j2k.progression = (kst_progression)(i % 5);
        j2k.precinct_count = i % 3;
        j2k.precinct_width[0] = j2k.precinct_height[1] = 32;
        j2k.precinct_width[1] = j2k.precinct_height[0] = 16;
        j2k.block_width = 4u << i % 4;
        j2k.block_height = 4u << i / 4 % 4;
        j2k.sop = i % 2;
        j2k.eph = i / 2 % 2;
        j2k.packet_lengths = i / 3 % 2;
        j2k.tile_part_lengths = i / 5 % 2;
        j2k.division = i % 8;
        kst_image image = describe(i % 2 ? KST_FORMAT_GREY : KST_FORMAT_RGBA, 1 + next(f) % 50, 1 + next(f) % 90, 8);
        fill(f, &image);
        expect_same(f, &image, &j2k, "tiles");
    }
}

static void styles(void **state)
{
    struct fixture *f = *state;
    for (uint32_t style = 0; style < 64; style++) {
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        j2k.style = style;
        j2k.layers = 1 + style % 4;
        kst_image image = describe(KST_FORMAT_GREY, 70, 50, style % 2 ? 8 : 12);
        fill(f, &image);
        expect_same(f, &image, &j2k, "a style");
    }
}

static void depths(void **state)
{
    struct fixture *f = *state;
    for (uint32_t depth = 1; depth <= 16; depth++) {
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        kst_image image = describe(KST_FORMAT_RGB, 40, 30, depth);
        fill(f, &image);
        expect_same(f, &image, &j2k, "a depth");
        image = describe(KST_FORMAT_BGRA, 31, 30, depth);
        fill(f, &image);
        expect_same(f, &image, &j2k, "a depth with alpha");
        for (uint32_t is_signed = 0; is_signed < 2; is_signed++) {
            image = describe(KST_FORMAT_RAW, 41, 33, depth);
            image.plane_count = 3;
            image.colour = KST_COLOUR_YCBCR;
            for (uint32_t p = 0; p < 3; p++)
                image.plane[p] = (kst_plane){.width = p == 0 ? 41 : 21,
                    .height = p == 0 ? 33 : 11 + 6 * (p == 2),
                    .depth = (uint8_t)(p == 2 && depth > 1 ? depth - 1 : depth),
                    .is_signed = is_signed};
            fill(f, &image);
            expect_same(f, &image, &j2k, is_signed ? "signed planes" : "planes");
        }
    }
}

/* POC: by resolutions, then what is left by components. */
static void changes(void **state)
{
    struct fixture *f = *state;
    const kst_j2k_change change[] = {{KST_PROGRESSION_RLCP, 0, 2, 0, 3, 1}, {KST_PROGRESSION_CPRL, 0, 3, 1, 3, 2},
        {KST_PROGRESSION_LRCP, 0, 33, 0, 3, 2}};
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.layers = 2;
    j2k.change = change;
    j2k.change_count = 3;
    kst_image image = describe(KST_FORMAT_RGB, 60, 90, 8);
    fill(f, &image);
    expect_same(f, &image, &j2k, "changes of progression");
}

static double psnr(struct fixture *f, const kst_image *image, const kst_j2k_options *j2k, size_t *length)
{
    kst_buffer coded;
    kst_image decoded;
    kst_comparison comparison = {.size = sizeof comparison};
    assert_int_equal(encode(f, image, j2k, &coded), KST_OK);
    *length = coded.length;
    decode(f, &coded, image, &decoded);
    assert_int_equal(kst_compare(image, &decoded, &comparison), KST_OK);
    kst_image_release(f->context, &decoded);
    kst_buffer_release(f->context, &coded);
    return comparison.psnr;
}

/* A picture with something at every scale but little noise. */
static void paint(struct fixture *f, kst_image *image)
{
    fill(f, image);
    uint32_t samples = kst_format_channels(image->format), width = image->width * samples;
    for (uint32_t i = 0; i < width * image->height; i++) {
        uint32_t column = i % width / samples, row = i / width;
        double x = column, y = row;
        double value = 128 + 60 * sin(x / 9) * cos(y / 13) + 40 * sin(x * y / 400) + (x > 40 && y > 60 ? 25 : 0);
        ((uint8_t *)f->samples[0])[i] = (uint8_t)value;
    }
}

static void targets(void **state)
{
    struct fixture *f = *state;
    kst_image image = describe(KST_FORMAT_RGB, 130, 190, 8);
    double before = 0;
    paint(f, &image);
    for (uint32_t i = 0; i < 6; i++) {
        static const double rates[] = {0.25, 0.5, 1, 2, 4, 6};
        kst_j2k_options j2k;
        size_t length;
        kst_j2k_options_init(&j2k);
        j2k.target = KST_J2K_RATE;
        j2k.value = rates[i];
        j2k.layers = 1 + i % 3;
        double reached = psnr(f, &image, &j2k, &length);
        assert_in_range(length, 0, (size_t)(rates[i] * 130 * 190 / 8));
        if (reached < before) /* equal where no bit is left to be written */
            fail_msg("at %f bits a pixel %f dB, less than %f", rates[i], reached, before);
        before = reached;
        j2k.reversible = true;
        reached = psnr(f, &image, &j2k, &length);
        assert_in_range(length, 0, (size_t)(rates[i] * 130 * 190 / 8));
        if (reached < before - 10)
            fail_msg("at %f bits a pixel %f dB, not nearly %f", rates[i], reached, before);
    }
    for (uint32_t i = 0; i < 5; i++) {
        kst_j2k_options j2k;
        size_t length;
        kst_j2k_options_init(&j2k);
        j2k.target = i % 2 ? KST_J2K_PSNR : KST_J2K_STEP;
        j2k.value = i % 2 ? 30 + 5 * i : 1u << i;
        j2k.derived_steps = i == 2;
        double reached = psnr(f, &image, &j2k, &length);
        if (i % 2)
            assert_true(reached >= j2k.value && reached < j2k.value + 0.15);
        else
            assert_true(reached > 20 && reached < 62);
    }
}

/* A rate is used up to a few bytes; a PSNR is reached. With KOSTKA_SHOW set, the results are printed. */
static void closeness(void **state)
{
    struct fixture *f = *state;
    kst_image image = describe(KST_FORMAT_RGB, 180, 190, 8);
    kst_j2k_options j2k;
    size_t length;
    paint(f, &image);
    kst_j2k_options_init(&j2k);
    j2k.block_width = j2k.block_height = 32;
    for (uint32_t i = 0; i < 12; i++) {
        size_t wanted = 700 + 691 * i;
        j2k.target = KST_J2K_RATE;
        j2k.value = 8.0 * ((double)wanted + 0.5) / (180 * 190);
        j2k.packet_lengths = i % 2;
        psnr(f, &image, &j2k, &length);
        if (getenv("KOSTKA_SHOW"))
            print_message("%zu bytes wanted, %zu made\n", wanted, length);
        assert_in_range(length, wanted - 12, wanted);
    }
    for (uint32_t i = 0; i < 12; i++) {
        j2k.target = KST_J2K_PSNR;
        j2k.value = 27 + 2 * i;
        j2k.reversible = i % 3 == 2;
        double reached = psnr(f, &image, &j2k, &length);
        if (getenv("KOSTKA_SHOW"))
            print_message("%.1f dB wanted, %.3f reached\n", j2k.value, reached);
        double lump = j2k.value < 35 ? 0.6 : 0.2; /* of passes, where they are few */
        assert_true(reached >= j2k.value && reached < j2k.value + lump);
    }
}

/* The first layers of a file are what a file of those layers would be, nearly. */
static void layers(void **state)
{
    struct fixture *f = *state;
    kst_image image = describe(KST_FORMAT_RGB, 130, 190, 8), decoded;
    const double rates[] = {0.4, 0.9, 2};
    kst_comparison comparison = {.size = sizeof comparison};
    kst_j2k_options j2k;
    kst_buffer coded;
    size_t length;
    double reached[3];
    paint(f, &image);
    kst_j2k_options_init(&j2k);
    j2k.target = KST_J2K_RATE;
    for (uint32_t i = 0; i < 3; i++) {
        j2k.value = rates[i];
        reached[i] = psnr(f, &image, &j2k, &length);
    }
    j2k.layers = 3;
    j2k.layer_value = rates;
    assert_int_equal(encode(f, &image, &j2k, &coded), KST_OK);
    for (uint32_t i = 0; i < 3; i++) {
        kst_decode_options options;
        kst_decode_options_init(&options);
        kst_image_init(&decoded);
        options.layers = i + 1;
        assert_int_equal(kst_decode(f->context, coded.data, coded.length, &options, &decoded, NULL), KST_OK);
        assert_int_equal(kst_compare(&image, &decoded, &comparison), KST_OK);
        assert_true(fabs(comparison.psnr - reached[i]) < 1);
        kst_image_release(f->context, &decoded);
    }
    kst_buffer_release(f->context, &coded);
}

static void region_of_interest(void **state)
{
    struct fixture *f = *state;
    kst_image image = describe(KST_FORMAT_GREY, 150, 150, 8), decoded;
    kst_j2k_options j2k;
    kst_buffer coded;
    paint(f, &image);
    kst_j2k_options_init(&j2k);
    j2k.interest = (kst_region){30, 40, 50, 60};
    expect_same(f, &image, &j2k, "a region of interest");
    j2k.target = KST_J2K_RATE;
    j2k.value = 1.2;
    j2k.reversible = true;
    assert_int_equal(encode(f, &image, &j2k, &coded), KST_OK);
    decode(f, &coded, &image, &decoded);
    uint32_t inside = 0, outside = 0;
    for (uint32_t y = 0; y < 150; y++)
        for (uint32_t x = 0; x < 150; x++) {
            const uint8_t *row = (const uint8_t *)decoded.plane[0].data + (ptrdiff_t)y * decoded.plane[0].pitch;
            uint32_t differs = row[x] != ((uint8_t *)f->samples[0])[y * 150 + x];
            if (x >= 30 && x < 80 && y >= 40 && y < 100)
                inside += differs;
            else
                outside += differs;
        }
    assert_int_equal(inside, 0);
    assert_true(outside > 1000);
    kst_image_release(f->context, &decoded);
    kst_buffer_release(f->context, &coded);
}

/* The step that meets a target changes the planes, and with them the shift of the region. */
static void region_by_steps(void **state)
{
    struct fixture *f = *state;
    kst_image image = describe(KST_FORMAT_GREY, 150, 150, 8);
    kst_j2k_options j2k;
    size_t length;
    paint(f, &image);
    kst_j2k_options_init(&j2k);
    j2k.style = KST_J2K_HT;
    j2k.target = KST_J2K_RATIO;
    j2k.value = 5;
    const double without = psnr(f, &image, &j2k, &length);
    j2k.interest = (kst_region){30, 40, 50, 60};
    assert_true(psnr(f, &image, &j2k, &length) > without - 10); /* the region costs bits */
    assert_true(length <= 150 * 150 / 5);
}

/* Each layer of T.814's blocks reaches its PSNR, though one step must do for all of them. */
static void layers_by_psnr(void **state)
{
    struct fixture *f = *state;
    static const double wanted[] = {30, 36, 42};
    kst_image image = describe(KST_FORMAT_GREY, SIDE, SIDE, 8), decoded;
    kst_comparison comparison = {.size = sizeof comparison};
    kst_j2k_options j2k;
    kst_buffer coded;
    paint(f, &image);
    kst_j2k_options_init(&j2k);
    j2k.style = KST_J2K_HT;
    j2k.target = KST_J2K_PSNR;
    j2k.layers = 3;
    j2k.layer_value = wanted;
    j2k.block_width = j2k.block_height = 16;
    for (j2k.passes = 1; j2k.passes <= 3; j2k.passes += 2) {
        assert_int_equal(encode(f, &image, &j2k, &coded), KST_OK);
        for (uint32_t i = 0; i < 3; i++) {
            kst_decode_options options;
            kst_decode_options_init(&options);
            kst_image_init(&decoded);
            options.layers = i + 1;
            assert_int_equal(kst_decode(f->context, coded.data, coded.length, &options, &decoded, NULL), KST_OK);
            assert_int_equal(kst_compare(&image, &decoded, &comparison), KST_OK);
            assert_true(comparison.psnr >= wanted[i] && comparison.psnr < wanted[i] + 4);
            kst_image_release(f->context, &decoded);
        }
        kst_buffer_release(f->context, &coded);
    }
}

/* Fill a grey image with a pattern that takes the whole range of its depth. */
static void paint_depth(struct fixture *f, kst_image *image, uint32_t depth)
{
    fill(f, image);
    for (uint32_t i = 0; i < image->width * image->height; i++) {
        const uint32_t column = i % image->width, row = i / image->width;
        const double x = column, y = row;
        const double value = (127 + 70 * sin(x / 9) * cos(y / 13) + 50 * sin(x * y / 400)) / 255;
        const uint32_t sample = (uint32_t)(value * ((1U << depth) - 1));
        if (depth > 8)
            ((uint16_t *)f->samples[0])[i] = (uint16_t)sample;
        else
            ((uint8_t *)f->samples[0])[i] = (uint8_t)sample;
    }
}

/*
 * A region of interest doubles the planes. Where the target would take more of them than there are, the picture has as
 * many as there are and is shorter than it may be.
 */
static void region_of_all_planes(void **state)
{
    struct fixture *f = *state;
    static const double ratios[] = {1.5, 3, 10};
    for (uint32_t depth = 4; depth <= 16; depth += 4)
        for (uint32_t i = 0; i < 6; i++) {
            kst_image image = describe(KST_FORMAT_GREY, 90, 70, depth);
            kst_j2k_options j2k;
            size_t length;
            paint_depth(f, &image, depth);
            kst_j2k_options_init(&j2k);
            j2k.style = i < 3 ? KST_J2K_HT : 0;
            j2k.target = KST_J2K_RATIO;
            j2k.value = ratios[i % 3];
            j2k.interest = (kst_region){30, 40, 20, 10};
            assert_true(psnr(f, &image, &j2k, &length) > 20);
            assert_true((double)length <= 90 * 70 * depth / j2k.value / 8);
        }
}

/* One option after the other that cannot be. */
static void refusals(void **state)
{
    struct fixture *f = *state;
    kst_image image = describe(KST_FORMAT_GREY, 20, 20, 8);
    const double falling[] = {2, 1};
    kst_j2k_options good, j2k;
    kst_buffer coded;
    fill(f, &image);
    kst_j2k_options_init(&good);
#define REFUSED(member, value, status)                                                                                 \
    j2k = good;                                                                                                        \
    j2k.member = value;                                                                                                \
    assert_int_equal(encode(f, &image, &j2k, &coded), status);                                                         \
    assert_null(coded.data)
    REFUSED(size, 3, KST_ERROR_OPTIONS);
    REFUSED(layers, 0, KST_ERROR_OPTIONS);
    REFUSED(layers, 1025, KST_ERROR_OPTIONS);
    REFUSED(levels, 33, KST_ERROR_OPTIONS);
    REFUSED(target, (kst_j2k_target)9, KST_ERROR_OPTIONS);
    REFUSED(target, KST_J2K_RATE, KST_ERROR_OPTIONS);
    REFUSED(progression, (kst_progression)5, KST_ERROR_OPTIONS);
    REFUSED(style, KST_J2K_HT | KST_J2K_RESET, KST_ERROR_OPTIONS);
    REFUSED(style, 128, KST_ERROR_OPTIONS);
    REFUSED(passes, 0, KST_ERROR_OPTIONS);
    REFUSED(passes, 2, KST_ERROR_OPTIONS);
    REFUSED(weights, KST_J2K_WEIGHTS_VISION, KST_ERROR_OPTIONS);
    REFUSED(target, KST_J2K_QUALITY, KST_ERROR_OPTIONS);
    REFUSED(guard_bits, 8, KST_ERROR_OPTIONS);
    REFUSED(division, 8, KST_ERROR_OPTIONS);
    REFUSED(change_count, 1, KST_ERROR_OPTIONS);
    REFUSED(block_width, 48, KST_ERROR_J2K_CODING);
    REFUSED(block_width, 2048, KST_ERROR_J2K_CODING);
    REFUSED(block_width, 128, KST_ERROR_J2K_CODING);
    REFUSED(precinct_count, 34, KST_ERROR_J2K_CODING);
    REFUSED(precinct_count, 1, KST_ERROR_J2K_CODING);
    REFUSED(tile_x, 1, KST_ERROR_J2K_DIMENSIONS);
    REFUSED(image_x, UINT32_MAX - 4, KST_ERROR_J2K_DIMENSIONS);
    REFUSED(interest, ((kst_region){10, 10, 20, 5}), KST_ERROR_REGION);
    good.target = KST_J2K_RATE;
    good.layers = 2;
    REFUSED(layer_value, falling, KST_ERROR_OPTIONS);
    good.target = KST_J2K_STEP;
    good.value = 1e-12;
    REFUSED(layers, 1, KST_ERROR_J2K_QUANTISATION);
    good.image_x = 100;
    REFUSED(tile_width, 50, KST_ERROR_J2K_DIMENSIONS);
}

/* Nothing is written behind a buffer that is too small, and the most that memory there is may be is respected. */
static void small_buffers(void **state)
{
    struct fixture *f = *state;
    kst_image image = describe(KST_FORMAT_GREY, 60, 60, 8);
    uint8_t bytes[600];
    fill(f, &image);
    kst_encode_options options = j2k_coding(NULL);
    for (size_t capacity = 0; capacity < 500; capacity += 37) {
        kst_buffer buffer = {.data = bytes, .capacity = capacity};
        memset(bytes, 0xEE, sizeof bytes);
        assert_int_equal(kst_encode(f->context, &image, &options, &buffer, NULL), KST_ERROR_BUFFER_FULL);
        for (size_t i = capacity; i < sizeof bytes; i++)
            assert_int_equal(bytes[i], 0xEE);
    }
}

static kst_status encode_rows(struct fixture *f, const kst_image *image, const kst_j2k_options *j2k, uint32_t most,
    kst_codec codec, kst_buffer *output)
{
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.codec = codec;
    options.jpeg2000 = j2k;
    return encode_from_rows(f->context, image, most, &options, output, NULL);
}

static void expect_same_rows(struct fixture *f, const kst_image *image, const kst_j2k_options *j2k)
{
    kst_buffer whole, rows;
    assert_int_equal(encode(f, image, j2k, &whole), KST_OK);
    assert_int_equal(encode_rows(f, image, j2k, UINT32_MAX, KST_CODEC_JPEG2000, &rows), KST_OK);
    assert_int_equal(whole.length, rows.length);
    assert_memory_equal(whole.data, rows.data, whole.length);
    kst_buffer_release(f->context, &whole);
    kst_buffer_release(f->context, &rows);
    assert_int_equal(encode_rows(f, image, j2k, image->height / 2, KST_CODEC_JPEG2000, &rows), KST_ERROR_ROWS);
    assert_null(rows.data);
}

static void from_rows(void **state)
{
    struct fixture *f = *state;
    static const kst_format formats[] = {KST_FORMAT_GREY, KST_FORMAT_RGB, KST_FORMAT_BGRA};
    for (uint32_t i = 0; i < 24; i++) {
        kst_j2k_options j2k;
        kst_image image = describe(formats[i % 3], i % 3 ? 47 : 190, 180, i % 2 ? 8 : 12);
        kst_j2k_options_init(&j2k);
        j2k.levels = i % 7;
        j2k.tile_width = i / 3 % 2 ? 40 : 0;
        j2k.tile_height = i / 3 % 2 ? 71 : 0;
        j2k.block_height = 16;
        j2k.target = i / 6 % 2 ? KST_J2K_RATIO : KST_J2K_LOSSLESS;
        j2k.value = 6;
        fill(f, &image);
        expect_same_rows(f, &image, &j2k);
        image.format = KST_FORMAT_RAW;
        image.plane_count = 3;
        for (uint32_t p = 0; p < 3; p++)
            image.plane[p] = (kst_plane){.width = p ? (image.width + 1) / 2 : image.width, .height = 180, .depth = 9};
        fill(f, &image);
        expect_same_rows(f, &image, &j2k);
    }
    kst_buffer output;
    kst_image image = describe(KST_FORMAT_GREY, 20, 20, 8);
    fill(f, &image);
    assert_int_equal(encode_rows(f, &image, NULL, 100, KST_CODEC_JPEG, &output), KST_OK); /* see jpeg/cpu/rows.c */
    kst_buffer_release(f->context, &output);
    assert_int_equal(kst_encode_rows(f->context, &image, NULL, NULL, &output, NULL), KST_ERROR_ARGUMENT);
    image.memory = KST_MEMORY_CUDA;
    assert_int_equal(encode_rows(f, &image, NULL, 100, KST_CODEC_JPEG2000, &output), KST_ERROR_IMAGE_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shapes, setup, teardown),
        cmocka_unit_test_setup_teardown(offsets_and_tiles, setup, teardown),
        cmocka_unit_test_setup_teardown(styles, setup, teardown),
        cmocka_unit_test_setup_teardown(depths, setup, teardown),
        cmocka_unit_test_setup_teardown(changes, setup, teardown),
        cmocka_unit_test_setup_teardown(closeness, setup, teardown),
        cmocka_unit_test_setup_teardown(targets, setup, teardown),
        cmocka_unit_test_setup_teardown(layers, setup, teardown),
        cmocka_unit_test_setup_teardown(region_of_interest, setup, teardown),
        cmocka_unit_test_setup_teardown(region_by_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(region_of_all_planes, setup, teardown),
        cmocka_unit_test_setup_teardown(layers_by_psnr, setup, teardown),
        cmocka_unit_test_setup_teardown(refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(small_buffers, setup, teardown),
        cmocka_unit_test_setup_teardown(from_rows, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
