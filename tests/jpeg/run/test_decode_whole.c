/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that whole pictures of every size, sampling and coding decode to the bytes of libjpeg's decoder. */
#include <stdlib.h>
#include <string.h>

#include "support/jpeg/reference.h"
#include "support/jpeg/streams.h"
#include "support/machines.h"
#include "support/test.h"

static uint32_t confirmed, refused; /* by libjpeg's own resampling */

/*
 * Compare the plain reference with libjpeg where libjpeg resamples, so that it can be trusted where libjpeg does not.
 */
static void expect(const struct recipe *recipe, const struct stream *stream, uint32_t reduce, kst_format format,
    struct libjpeg_picture *expected)
{
    struct libjpeg_planes planes;
    struct libjpeg_picture peer;
    if (!libjpeg_decode_planes(stream->data, stream->length, reduce, &planes)) {
        show_recipe(recipe);
        fail_msg("libjpeg refuses to read this");
    }
    reference_picture(&planes, recipe->colour, format, expected);
    libjpeg_planes_release(&planes);
    assert_int_equal(expected->warnings, 0);
    if (!libjpeg_decode(stream->data, stream->length, format, reduce, &peer)) {
        refused++;
        return;
    }
    confirmed++;
    assert_int_equal(peer.width, expected->width);
    assert_int_equal(peer.height, expected->height);
    assert_int_equal(peer.channels, expected->channels);
    if (memcmp(peer.pixels, expected->pixels, (size_t)peer.width * peer.height * peer.channels) != 0) {
        show_recipe(recipe);
        fail_msg("the reference is wrong at 1/%u", 1U << reduce);
    }
    libjpeg_picture_release(&peer);
}

static void compare(const kst_image *image, const struct libjpeg_picture *expected, const struct recipe *recipe,
    uint32_t reduce, const char *machine)
{
    if (image->width != expected->width || image->height != expected->height) {
        show_recipe(recipe);
        fail_msg("%s: at 1/%u %u×%u instead of %u×%u", machine, 1U << reduce, image->width, image->height,
            expected->width, expected->height);
    }
    size_t row = (size_t)expected->width * expected->channels;
    for (uint32_t y = 0; y < expected->height; y++) {
        const uint8_t *a = (const uint8_t *)image->plane[0].data + (ptrdiff_t)y * image->plane[0].pitch;
        const uint8_t *b = expected->pixels + y * row;
        if (memcmp(a, b, row) == 0)
            continue;
        size_t x = 0;
        while (a[x] == b[x])
            x++;
        show_recipe(recipe);
        fail_msg("%s: at 1/%u pixel (%zu, %u) has %u instead of %u", machine, 1U << reduce, x / expected->channels, y,
            a[x], b[x]);
    }
}

static kst_format natural(kst_colour colour)
{
    switch (colour) {
    case KST_COLOUR_GREY:
        return KST_FORMAT_GREY;
    case KST_COLOUR_CMYK:
    case KST_COLOUR_YCCK:
        return KST_FORMAT_CMYK;
    default:
        return KST_FORMAT_RGB;
    }
}

static void check_on(uint32_t machine, const struct recipe *recipe, const struct stream *stream, uint32_t reduce,
    const struct libjpeg_picture *expected)
{
    kst_decode_options options;
    kst_image image;
    kst_report report;
    kst_decode_options_init(&options);
    kst_image_init(&image);
    kst_report_init(&report);
    options.reduce = reduce;
    kst_status status = kst_decode(contexts.context[machine], stream->data, stream->length, &options, &image, &report);
    if (status || report.warnings != 0) {
        show_recipe(recipe);
        fail_msg("%s: %s", contexts.name[machine], report.message);
    }
    assert_int_equal(image.format, natural(recipe->colour));
    compare(&image, expected, recipe, reduce, contexts.name[machine]);
    kst_image_release(contexts.context[machine], &image);
}

static void check_at(const struct recipe *recipe, const struct stream *stream, uint32_t reduce)
{
    static uint32_t turn;
    struct libjpeg_picture expected;
    expect(recipe, stream, reduce, natural(recipe->colour), &expected);
    /* GPUs are among the machines of one check in seven: gpu_decode and gpu_jpeg_decode compare them with the CPU. */
    const uint32_t count = ++turn % 7 == 0 ? contexts.count : contexts.cpu_count;
    for (uint32_t i = machines_first(turn); i < count; i += MACHINES_APART)
        check_on(i, recipe, stream, reduce, &expected);
    libjpeg_picture_release(&expected);
}

static void check(const struct recipe *recipe)
{
    struct stream stream = make_stream(recipe);
    for (uint32_t reduce = 0; reduce <= 3; reduce++)
        check_at(recipe, &stream, reduce);
    free(stream.data);
}

#define FACTORS_420 .h = {2, 1, 1, 2}, .v = {2, 1, 1, 2}
#define FACTORS_422 .h = {2, 1, 1, 2}, .v = {1, 1, 1, 1}
#define FACTORS_440 .h = {1, 1, 1, 1}, .v = {2, 1, 1, 2}
#define FACTORS_411 .h = {4, 1, 1, 4}, .v = {1, 1, 1, 1}
#define FACTORS_410 .h = {4, 1, 1, 4}, .v = {2, 1, 1, 2}
#define FACTORS_444 .h = {1, 1, 1, 1}, .v = {1, 1, 1, 1}

static const struct recipe usual[] = {
    {.colour = KST_COLOUR_YCBCR, FACTORS_420},
    {.colour = KST_COLOUR_YCBCR, FACTORS_422},
    {.colour = KST_COLOUR_YCBCR, FACTORS_440},
    {.colour = KST_COLOUR_YCBCR, FACTORS_411},
    {.colour = KST_COLOUR_YCBCR, FACTORS_410},
    {.colour = KST_COLOUR_YCBCR, FACTORS_444},
    {.colour = KST_COLOUR_GREY},
    {.colour = KST_COLOUR_RGB},
    {.colour = KST_COLOUR_CMYK},
    {.colour = KST_COLOUR_YCCK, FACTORS_420},
};

static void sizes(void **state)
{
    static const uint32_t side[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65};
    (void)state;
    for (uint32_t i = 0; i < COUNT(usual); i++) {
        for (uint32_t x = 0; x < COUNT(side); x++) {
            for (uint32_t y = 0; y < COUNT(side); y++) {
                struct recipe recipe = usual[i];
                if (x != y && x > 3 && y > 3 && (x + y + i) % 7 != 0)
                    continue;
                if (fewer_cases() && (x * 5 + y + i) % (SANITIZED ? 23 : 5) != 0)
                    continue;
                recipe.width = side[x];
                recipe.height = side[y];
                check(&recipe);
            }
        }
    }
}

static void large_sizes(void **state)
{
    static const uint32_t size[][2] = {{100, 75}, {227, 149}, {640, 480}, {4096, 17}, {17, 4096}, {1, 3000}, {3000, 1}};
    (void)state;
    for (uint32_t i = 0; i < COUNT(usual); i++) {
        for (uint32_t j = 0; j < COUNT(size); j++) {
            struct recipe recipe = usual[i];
            if (fewer_cases() && (i + j) % (SANITIZED ? 9 : 3) != 0)
                continue;
            recipe.width = size[j][0];
            recipe.height = size[j][1];
            check(&recipe);
        }
    }
}

/* Three components of every factors that fit an MCU, whole ratios or not, luminance finest or not. */
static void sampling_factors(void **state)
{
    uint32_t count = 0;
    (void)state;
    confirmed = refused = 0;
    for (uint32_t code = 0; code < 1 << 12; code++) {
        struct recipe recipe = {.colour = KST_COLOUR_YCBCR};
        for (uint32_t i = 0; i < 3; i++) {
            recipe.h[i] = (uint8_t)((code >> (4 * i) & 3) + 1);
            recipe.v[i] = (uint8_t)((code >> (4 * i + 2) & 3) + 1);
        }
        if (recipe_mcu_blocks(&recipe) > 10)
            continue;
        count++;
        if (fewer_cases() && count % (SANITIZED ? 41 : 7) != 0)
            continue;
        recipe.width = 35 + code % 11;
        recipe.height = 29 + code % 13;
        check(&recipe);
    }
    assert_true(count > 500);
    assert_true(confirmed > (fewer_cases() ? 10 : 100) && refused > (fewer_cases() ? 10 : 100));
}

static void four_components(void **state)
{
    uint32_t count = 0;
    uint32_t random = 7;
    (void)state;
    for (uint32_t i = 0; i < (SANITIZED ? 300 : fewer_cases() ? 1000 : 4000); i++) {
        struct recipe recipe = {.colour = i % 2 ? KST_COLOUR_YCCK : KST_COLOUR_CMYK};
        for (uint32_t j = 0; j < 4; j++) {
            random = random * 1664525 + 1013904223;
            recipe.h[j] = (uint8_t)((random >> 16 & 3) + 1);
            recipe.v[j] = (uint8_t)((random >> 20 & 3) + 1);
        }
        if (recipe_mcu_blocks(&recipe) > 10)
            continue;
        count++;
        recipe.width = 1 + (random >> 8) % 70;
        recipe.height = 1 + (random >> 12) % 60;
        check(&recipe);
    }
    assert_true(count > (fewer_cases() ? 0 : 5));
}

/* A.2.2: what factors a single component has does not matter. */
static void grey_of_any_factors(void **state)
{
    (void)state;
    for (uint8_t h = 1; h <= 4; h++) {
        for (uint8_t v = 1; v <= 4; v++) {
            struct recipe recipe = {.width = 67, .height = 45, .colour = KST_COLOUR_GREY, .h = {h}, .v = {v}};
            check(&recipe);
            recipe.coding = KST_CODING_PROGRESSIVE;
            check(&recipe);
        }
    }
}

static const kst_scan by_component[] = {
    {1, {0}, 0, 63, 0, 0},
    {1, {1}, 0, 63, 0, 0},
    {1, {2}, 0, 63, 0, 0},
};
static const kst_scan pair_of_components[] = {
    {1, {0}, 0, 63, 0, 0},
    {2, {1, 2}, 0, 63, 0, 0},
};
static const kst_scan spectral[] = {
    {3, {0, 1, 2}, 0, 0, 0, 0},
    {1, {2}, 1, 63, 0, 0},
    {1, {0}, 1, 5, 0, 0},
    {1, {1}, 1, 63, 0, 0},
    {1, {0}, 6, 63, 0, 0},
};
static const kst_scan approximations[] = {
    {3, {0, 1, 2}, 0, 0, 0, 3},
    {1, {0}, 1, 63, 0, 2},
    {3, {0, 1, 2}, 0, 0, 3, 2},
    {1, {1}, 1, 63, 0, 1},
    {1, {2}, 1, 63, 0, 0},
    {1, {0}, 1, 63, 2, 1},
    {3, {0, 1, 2}, 0, 0, 2, 1},
    {1, {1}, 1, 63, 1, 0},
    {3, {0, 1, 2}, 0, 0, 1, 0},
    {1, {0}, 1, 63, 1, 0},
};

static const struct {
    kst_coding coding;
    const kst_scan *script;
    size_t length;
} codings[] = {
    {KST_CODING_BASELINE, NULL, 0},
    {KST_CODING_OPTIMIZED, NULL, 0},
    {KST_CODING_PROGRESSIVE, NULL, 0},
    {KST_CODING_BASELINE, by_component, COUNT(by_component)},
    {KST_CODING_OPTIMIZED, pair_of_components, COUNT(pair_of_components)},
    {KST_CODING_PROGRESSIVE, spectral, COUNT(spectral)},
    {KST_CODING_PROGRESSIVE, approximations, COUNT(approximations)},
};

static void codings_and_restarts(void **state)
{
    static const kst_restart restart[] = {
        {KST_RESTART_NONE, 0}, {KST_RESTART_MCUS, 1}, {KST_RESTART_MCUS, 7}, {KST_RESTART_ROWS, 1}};
    static const uint32_t size[][2] = {{161, 97}, {320, 240}, {33, 1000}, {8, 8}};
    (void)state;
    for (uint32_t i = 0; i < COUNT(codings); i++) {
        for (uint32_t j = 0; j < COUNT(restart); j++) {
            for (uint32_t k = 0; k < COUNT(size); k++) {
                for (uint32_t s = 0; s < 6; s++) { /* the YCbCr ones */
                    struct recipe recipe = usual[s];
                    if ((fewer_cases() && (i + j + k + s) % (SANITIZED ? 23 : 5) != 0) ||
                        (k > 0 && (i + j + s) % 3 != 0))
                        continue;
                    recipe.width = size[k][0];
                    recipe.height = size[k][1];
                    recipe.coding = codings[i].coding;
                    recipe.script = codings[i].script;
                    recipe.script_length = codings[i].length;
                    recipe.restart = restart[j];
                    check(&recipe);
                }
            }
        }
    }
}

static void qualities(void **state)
{
    static const int quality[] = {1, 2, 5, 10, 24, 25, 50, 90, 95, 98, 99, 100};
    (void)state;
    for (uint32_t i = 0; i < COUNT(quality); i++) {
        for (uint32_t s = 0; s < COUNT(usual); s++) {
            struct recipe recipe = usual[s];
            if (fewer_cases() && (i + s) % (SANITIZED ? 19 : 5) != 0)
                continue;
            recipe.width = 131;
            recipe.height = 77;
            recipe.quality = quality[i];
            check(&recipe);
        }
    }
}

/* Large enough that every thread has its share, with and without restart markers. */
static void several_bands(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < COUNT(usual); s++) {
        for (uint32_t i = 0; i < 3; i++) {
            struct recipe recipe = usual[s];
            if (fewer_cases() && s % 4 != 0)
                continue;
            recipe.width = 701;
            recipe.height = 613;
            recipe.coding = i == 2 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
            recipe.restart = (kst_restart){i == 1 ? KST_RESTART_MCUS : KST_RESTART_NONE, i == 1 ? 5 : 0};
            check(&recipe);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(large_sizes),
        cmocka_unit_test(sampling_factors),
        cmocka_unit_test(four_components),
        cmocka_unit_test(grey_of_any_factors),
        cmocka_unit_test(codings_and_restarts),
        cmocka_unit_test(qualities),
        cmocka_unit_test(several_bands),
    };
    return cmocka_run_group_tests(tests, contexts_start, contexts_stop);
}
