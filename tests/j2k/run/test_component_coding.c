/* SPDX-License-Identifier: BSD-2-Clause */
/* Components that are coded in ways of their own (COC, QCC): headers say so, and what is decoded is what was coded. */
#include <math.h>
#include <string.h>

#include <kostka/kostka.h>

#include "support/context.h"
#include "support/j2k/coded.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/test.h"

enum { SIDE = 150, PLANES = 4, FIELDS = 127, TILES = 4 };

static kst_context *context, *plain;
static uint16_t samples[PLANES][SIDE * SIDE];
static uint32_t random_state = 1;

static int setup(void **state)
{
    (void)state;
    context = cpu_context_create(3);
    plain = cpu_context_create(1);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    kst_context_destroy(&context);
    kst_context_destroy(&plain);
    return 0;
}

/* Planes of 8 bits, the first one of 12, the last two half as wide. */
static kst_image describe(kst_colour colour, uint32_t planes)
{
    kst_image image;
    kst_image_init(&image);
    image.format = KST_FORMAT_RAW;
    image.colour = colour;
    image.width = image.height = SIDE;
    image.plane_count = planes;
    for (uint32_t p = 0; p < planes; p++) {
        bool deep = colour != KST_COLOUR_RGB && p == 0, narrow = colour != KST_COLOUR_RGB && p > 1;
        uint32_t width = narrow ? SIDE / 2 : SIDE;
        image.plane[p] = (kst_plane){.data = samples[p],
            .pitch = (ptrdiff_t)width * (deep ? 2 : 1),
            .width = width,
            .height = SIDE,
            .depth = deep ? 12 : 8};
        for (uint32_t i = 0; i < width * SIDE; i++) {
            uint32_t x = i % width, y = i / width,
                     value = x * (p + 1) + y / 2 + random_below(&random_state, 9) + (x * y > 5000 ? 90 : 0);
            if (deep)
                samples[p][i] = (uint16_t)(value * 7 & 0xFFF);
            else
                ((uint8_t *)samples[p])[i] = (uint8_t)value;
        }
    }
    return image;
}

static kst_status encode(
    kst_context *on, const kst_image *image, const kst_j2k_options *j2k, kst_buffer *coded, kst_report *report)
{
    kst_encode_options options = j2k_coding(j2k);
    kst_report_init(report);
    *coded = (kst_buffer){.data = NULL};
    return kst_encode(on, image, &options, coded, report);
}

/* The PSNR, infinite where the same comes back; the same bytes on one thread, too. */
static double encode_and_decode(const kst_image *image, const kst_j2k_options *j2k)
{
    kst_buffer coded, again;
    kst_report report;
    kst_image decoded;
    kst_comparison comparison = {.size = sizeof comparison};
    kst_decode_options options;
    if (encode(context, image, j2k, &coded, &report) || encode(plain, image, j2k, &again, &report))
        fail_msg("%s", report.message);
    assert_int_equal(coded.length, again.length);
    assert_memory_equal(coded.data, again.data, coded.length);
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    options.strict = true;
    kst_image_init(&decoded);
    kst_report_init(&report);
    if (kst_decode(context, coded.data, coded.length, &options, &decoded, &report))
        fail_msg("%s", report.message);
    assert_int_equal(kst_compare(image, &decoded, &comparison), KST_OK);
    kst_image_release(context, &decoded);
    kst_buffer_release(context, &coded);
    kst_buffer_release(plain, &again);
    return comparison.identical ? HUGE_VAL : comparison.psnr;
}

static kst_j2k_component random_component(uint32_t index, uint32_t tiles)
{
    static const uint32_t sides[][2] = {{64, 64}, {32, 16}, {4, 256}, {128, 8}};
    uint32_t side = random_below(&random_state, 4);
    return (kst_j2k_component){.component = index,
        .fields = random_below(&random_state, FIELDS + 1),
        .levels = random_below(&random_state, 7),
        .block_width = sides[side][0],
        .block_height = sides[side][1],
        .style = random_below(&random_state, 64),
        .reversible = true,
        .step = 0.5 + random_below(&random_state, 8),
        .guard_bits = 1 + random_below(&random_state, 7),
        .tile = random_below(&random_state, tiles)};
}

static void by_themselves(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < (THREADS_WATCHED ? 14 : 40); i++) {
        kst_image image = describe(KST_COLOUR_UNKNOWN, PLANES);
        kst_j2k_component own[PLANES + 1];
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        for (uint32_t c = 0; c <= PLANES; c++)
            own[c] = random_component(c % PLANES, i % 3 ? 1 : TILES);
        j2k.component = own;
        j2k.component_count = 1 + random_below(&random_state, PLANES + 1);
        j2k.levels = random_below(&random_state, 6);
        j2k.tile_width = j2k.tile_height = i % 3 ? 0 : 97; /* TILES of them */
        j2k.progression = (kst_progression)random_below(&random_state, 5);
        j2k.layers = 1 + random_below(&random_state, 3);
        if (encode_and_decode(&image, &j2k) < HUGE_VAL)
            fail_msg("%u: not the same", i);
        j2k.target = KST_J2K_PSNR;
        j2k.value = 34;
        for (uint32_t c = 0; c <= PLANES; c++)
            own[c].reversible = random_below(&random_state, 2);
        double reached = encode_and_decode(&image, &j2k);
        if (reached < 34 || reached > 37)
            fail_msg("%u: %f dB", i, reached);
    }
}

/* Check which options components that are transformed together may have of their own. */
static void together(void **state)
{
    (void)state;
    kst_image image = describe(KST_COLOUR_RGB, 3);
    kst_j2k_component own = {
        .component = 1, .fields = KST_J2K_OWN_STYLE | KST_J2K_OWN_STEP | KST_J2K_OWN_GUARD_BITS, .step = 4};
    kst_j2k_options j2k;
    kst_buffer coded;
    kst_report report;
    own.style = KST_J2K_TERMALL;
    own.guard_bits = 4;
    own.levels = 3;
    own.block_width = own.block_height = 32;
    kst_j2k_options_init(&j2k);
    j2k.component = &own;
    j2k.component_count = 1;
    assert_true(encode_and_decode(&image, &j2k) == HUGE_VAL);
    j2k.target = KST_J2K_STEP;
    j2k.value = 1;
    double coarse = encode_and_decode(&image, &j2k);
    own.step = 1;
    assert_true(encode_and_decode(&image, &j2k) > coarse + 0.5);
    static const uint32_t shared[] = {KST_J2K_OWN_LEVELS, KST_J2K_OWN_BLOCKS, KST_J2K_OWN_TRANSFORM};
    own.reversible = true;
    for (uint32_t i = 0; i < 3; i++) {
        own.fields = shared[i];
        j2k.keep_components = false;
        assert_int_equal(encode(context, &image, &j2k, &coded, &report), KST_ERROR_OPTIONS);
        j2k.keep_components = true;
        assert_true(encode_and_decode(&image, &j2k) > 30);
    }
}

static void refusals(void **state)
{
    (void)state;
    kst_image image = describe(KST_COLOUR_UNKNOWN, PLANES);
    static const kst_j2k_component wrong[] = {{.component = PLANES}, {.fields = FIELDS + 1},
        {.fields = KST_J2K_OWN_TILE, .tile = 1}, {.fields = KST_J2K_OWN_LEVELS, .levels = 33},
        {.fields = KST_J2K_OWN_STYLE, .style = 65}, {.fields = KST_J2K_OWN_GUARD_BITS},
        {.fields = KST_J2K_OWN_GUARD_BITS, .guard_bits = 8}, {.fields = KST_J2K_OWN_STEP},
        {.fields = KST_J2K_OWN_STEP, .step = 300}, {.fields = KST_J2K_OWN_TRANSFORM},
        {.fields = KST_J2K_OWN_BLOCKS, .block_width = 12, .block_height = 16}};
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        kst_j2k_options j2k;
        kst_buffer coded;
        kst_report report;
        kst_j2k_options_init(&j2k);
        j2k.component = &wrong[i];
        j2k.component_count = 1;
        if (!encode(context, &image, &j2k, &coded, &report))
            fail_msg("%u is not refused", i);
        assert_true(report.message[0] != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_themselves),
        cmocka_unit_test(together),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
