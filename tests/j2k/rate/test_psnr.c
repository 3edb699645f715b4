/* SPDX-License-Identifier: BSD-2-Clause */
/* A PSNR that is asked for is reached, and hardly exceeded, whatever the picture and the way it is coded. */
#include <math.h>
#include <stdlib.h>

#include <kostka/kostka.h>

#include "support/encode_rows.h"
#include "support/j2k/coded.h"
#include "support/j2k/rate.h"
#include "support/sanitizers.h"
#include "support/shared_context.h"

enum { WIDTH = 230, HEIGHT = 300, PLANES = 3 };

static uint16_t samples[PLANES][WIDTH * HEIGHT * 3];

/* Something at every scale and a little noise, over most of the depth's range: −0.5 … 0.5. */
static double paint(uint32_t kind, double x, double y, uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    double noise = (*random >> 16) / 65536.0 - 0.5, value = 0.22 * sin(x / 9) * cos(y / 13);
    if (kind == 0)
        return value + 0.15 * sin(x * y / 400) + (x > 40 && y > 60 ? 0.1 : 0);
    if (kind == 1)
        return value + 0.02 * noise + 0.1 * sin(x / 70 + y / 31);
    return 0.6 * value + 0.25 * noise + (fmod(x + 2 * y, 37) < 3 ? 0.2 : 0);
}

static void fill(kst_image *image, uint32_t kind)
{
    uint32_t random = 1 + kind, channels = kst_format_channels(image->format);
    channels = channels ? channels : 1;
    for (uint32_t p = 0; p < image->plane_count; p++) {
        kst_plane *plane = &image->plane[p];
        uint32_t width = plane->width * channels;
        double range = ldexp(1, plane->depth) - 1, base = plane->is_signed ? 0 : range / 2;
        plane->data = samples[p];
        plane->pitch = (ptrdiff_t)width * (plane->depth > 8 ? 2 : 1);
        for (uint32_t i = 0; i < width * plane->height; i++) {
            uint32_t column = i % width / channels, row = i / width;
            double x = column + 5.0 * (i % channels), y = row;
            int value = (int)lround(base + range * fmax(-0.49, fmin(paint(kind, x, y, &random), 0.49)));
            if (plane->depth > 8)
                samples[p][i] = (uint16_t)value;
            else
                ((uint8_t *)samples[p])[i] = (uint8_t)value;
        }
    }
}

static kst_image describe(kst_format format, uint32_t depth)
{
    kst_image image;
    kst_image_init(&image);
    image.format = format;
    image.width = WIDTH;
    image.height = HEIGHT;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){.width = WIDTH, .height = HEIGHT, .depth = (uint8_t)depth};
    return image;
}

/* Passes come in lumps, and these pictures have few. */
static void expect_near(double reached, double wanted, const kst_j2k_options *j2k, uint32_t what)
{
    if (getenv("KOSTKA_SHOW"))
        print_message("%u: %.1f dB wanted, %.3f reached\n", what, wanted, reached);
    if (reached < wanted || reached > wanted + 0.2)
        fail_msg("%u, %s: %f dB wanted, %f reached", what, j2k->reversible ? "5/3" : "9/7", wanted, reached);
}

/* The same bytes on one thread, and the PSNR at the end of each layer that was asked for. */
static void expect_reached(const kst_image *image, const kst_j2k_options *j2k, uint32_t what)
{
    kst_buffer coded = rate_encode(image, j2k);
    if (!j2k->layer_value)
        expect_near(rate_psnr(image, &coded, 0), j2k->value, j2k, what);
    for (uint32_t l = 0; j2k->layer_value && l < j2k->layers; l++)
        expect_near(rate_psnr(image, &coded, l + 1), j2k->layer_value[l], j2k, what);
    kst_buffer_release(context, &coded);
}

static kst_j2k_options options_of(double value, bool reversible)
{
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.target = KST_J2K_PSNR;
    j2k.value = value;
    j2k.reversible = reversible;
    j2k.block_width = j2k.block_height = 32;
    return j2k;
}

static void pictures(void **state)
{
    (void)state;
    kst_image image = describe(KST_FORMAT_RGB, 8);
    for (uint32_t i = 0; i < 12; i += THREADS_WATCHED ? 5 : 1) {
        static const double values[] = {31, 37.5, 44};
        kst_j2k_options j2k = options_of(values[i / 2 % 3], i % 2);
        fill(&image, i / 4);
        expect_reached(&image, &j2k, i);
    }
}

static void depths(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i += THREADS_WATCHED ? 3 : 1) {
        static const uint8_t depths[] = {5, 12, 16};
        uint32_t depth = depths[i / 2];
        kst_image image = describe(KST_FORMAT_GREY, depth);
        kst_j2k_options j2k = options_of(22 + depth * 2.5, i % 2);
        fill(&image, 1 + i / 2 % 2);
        expect_reached(&image, &j2k, depth);
    }
}

static void tiles_and_layers(void **state)
{
    (void)state;
    kst_image image = describe(KST_FORMAT_RGB, 8);
    static const double layers[] = {28, 33.3, 40};
    for (uint32_t i = 0; i < 4; i += THREADS_WATCHED ? 3 : 1) {
        kst_j2k_options j2k = options_of(38, i % 2);
        fill(&image, i / 2);
        j2k.tile_width = 101;
        j2k.tile_height = 90;
        j2k.image_x = 13;
        j2k.image_y = 7;
        j2k.layers = 3;
        expect_reached(&image, &j2k, i);
        j2k.layer_value = layers;
        expect_reached(&image, &j2k, i);
    }
}

/* Components of several sizes, one with a sign. */
static void components(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        kst_image image = describe(KST_FORMAT_RAW, 10);
        kst_j2k_options j2k = options_of(42, i % 2);
        image.plane_count = 3;
        image.plane[1] = (kst_plane){.width = (WIDTH + 1) / 2, .height = (HEIGHT + 2) / 3, .depth = 10};
        image.plane[2] = (kst_plane){.width = WIDTH, .height = HEIGHT, .depth = 10, .is_signed = true};
        fill(&image, 1);
        expect_reached(&image, &j2k, i);
    }
}

static void rows(void **state)
{
    (void)state;
    kst_image image = describe(KST_FORMAT_RGB, 8);
    kst_j2k_options j2k = options_of(38, false);
    fill(&image, 1);
    kst_buffer coded = j2k_coded(context, &image, &j2k), from_rows;
    kst_encode_options options = j2k_coding(&j2k);
    assert_int_equal(encode_from_rows(context, &image, UINT32_MAX, &options, &from_rows, NULL), KST_OK);
    assert_int_equal(coded.length, from_rows.length);
    assert_memory_equal(coded.data, from_rows.data, coded.length);
    kst_buffer_release(context, &coded);
    kst_buffer_release(context, &from_rows);
}

/* If a PSNR cannot be reached, everything is coded, which is nearly all that the picture has. */
static void beyond_reach(void **state)
{
    (void)state;
    kst_image image = describe(KST_FORMAT_RGB, 8);
    fill(&image, 2);
    for (uint32_t i = 0; i < 2; i++) {
        kst_j2k_options j2k = options_of(90, i % 2);
        kst_buffer coded = j2k_coded(context, &image, &j2k);
        assert_true(rate_psnr(&image, &coded, 0) > 70);
        kst_buffer_release(context, &coded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures),
        cmocka_unit_test(depths),
        cmocka_unit_test(tiles_and_layers),
        cmocka_unit_test(components),
        cmocka_unit_test(rows),
        cmocka_unit_test(beyond_reach),
    };
    return run_with_context(3, tests, NULL, NULL);
}
