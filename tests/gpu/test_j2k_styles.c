/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code-blocks that are made for it: of all styles, with any number of planes, in regions of interest, sound and
 * damaged. Every device must decode them as the CPU does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gpu/gpus.h"
#include "support/gpu/j2k_compare.h"
#include "support/gpu/lone_band.h"
#include "support/j2k/model.h"
#include "support/random.h"
#include "support/test.h"

static uint32_t random_state = 7;

static struct model model;

static void fill_model(uint32_t width, uint32_t height, uint32_t planes)
{
    model.width = width;
    model.height = height;
    model.planes = planes;
    for (uint32_t i = 0; i < width * height; i++) {
        uint32_t bits = random_below(&random_state, planes + 1);
        model.magnitude[i] = random_below(&random_state, 4) == 0 ? random_below(&random_state, 1u << 20) >> (20 - bits)
                                                                 : random_below(&random_state, 2);
        model.negative[i] = (uint8_t)random_below(&random_state, 2);
    }
}

static void add_block(struct lone_band *made, uint32_t x, uint32_t passes, uint32_t style)
{
    struct j2k_plan *plan = &made->plan;
    struct j2k_block *block = &made->block[plan->block_count++];
    model.style = style;
    model_encode(&model, passes);
    *block = (struct j2k_block){.x = x,
        .width = (uint16_t)model.width,
        .height = (uint16_t)model.height,
        .first_segment = plan->segment_count,
        .planes = (uint8_t)model.planes,
        .passes = (uint16_t)passes};
    uint32_t pass = 0;
    for (uint32_t s = 0; s < model.segment_count; s++) {
        bool raw = (style & J2K_STYLE_BYPASS) != 0 && pass >= 10 && pass % 3 != 0;
        lone_band_codeword(made, &model.segment[s], raw, 2);
        block->length += model.segment[s].length;
        pass += model.segment[s].passes;
    }
    block->segment_count = (uint16_t)(plan->segment_count - block->first_segment);
    block->cut = (style & J2K_STYLE_TERMALL) == 0 && random_below(&random_state, 2) == 1;
}

/* Blocks of several shapes and so many planes with all or some of their passes, in a style; `spoilt`: damaged. */
static struct lone_band *make_blocks(
    uint32_t style, uint32_t planes, uint32_t orientation, bool reversible, bool spoilt)
{
    static const uint32_t shapes[][2] = {{64, 64}, {12, 23}, {5, 30}, {40, 3}, {1, 1}, {200, 12}, {17, 9}};
    struct lone_band *made = calloc(1, sizeof *made);
    uint32_t x = 0, count = simulated() ? 2 : 7;
    assert_non_null(made);
    made->band.orientation = (uint8_t)orientation;
    model.orientation = orientation;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *shape = shapes[simulated() ? 1 + 3 * i : i];
        fill_model(shape[0], shape[1], planes);
        add_block(made, x, i % 2 ? 1 + random_below(&random_state, 3 * planes - 2) : 3 * planes - 2, style);
        x += shape[0];
    }
    for (uint32_t k = 0; spoilt && k < 3 && made->plan.length > 0; k++)
        made->data[random_below(&random_state, (uint32_t)made->plan.length)] ^=
            (uint8_t)(1 + random_below(&random_state, 255));
    lone_band_finish(made, x, 64, planes, style, reversible);
    return made;
}

static void compare_style(uint32_t style, uint32_t planes, uint32_t orientation, bool reversible, bool spoilt)
{
    struct lone_band *made = make_blocks(style, planes, orientation, reversible, spoilt);
    char name[64];
    snprintf(
        name, sizeof name, "style %u, %u planes, band %u%s", style, planes, orientation, spoilt ? ", damaged" : "");
    compare_plan(name, &made->plan, 1, true);
    free(made);
}

/* Samples of a region of interest above `shift` planes of the others. */
static void fill_region(uint32_t width, uint32_t height, uint32_t planes, uint32_t shift)
{
    model.width = width;
    model.height = height;
    model.planes = planes + shift;
    for (uint32_t i = 0; i < width * height; i++) {
        uint64_t bits = (uint64_t)random_below(&random_state, 1U << 20) << 20 ^ random_below(&random_state, 1U << 20);
        uint32_t most = random_below(&random_state, 3) ? shift : planes;
        uint64_t magnitude = bits & ((UINT64_C(1) << random_below(&random_state, most + 1)) - 1);
        model.magnitude[i] = most == planes ? magnitude << shift : magnitude;
        model.negative[i] = (uint8_t)random_below(&random_state, 2);
    }
}

static void compare_region(uint32_t planes, uint32_t shift, uint32_t orientation)
{
    char name[64];
    struct lone_band *made = calloc(1, sizeof *made);
    const uint32_t rows = simulated() ? 11 : 23;
    assert_non_null(made);
    made->band.orientation = (uint8_t)orientation;
    model.orientation = orientation;
    for (uint32_t i = 0; i < (simulated() ? 1 : 3); i++) {
        uint32_t all = 3 * (planes + shift) - 2;
        fill_region(12, rows, planes, shift);
        add_block(made, 12 * i, i == 1 ? 1 + random_below(&random_state, all) : all, 0);
    }
    lone_band_finish(made, simulated() ? 12 : 36, rows, planes + shift, 0, false);
    made->tile_component.roi_shift = (uint8_t)shift;
    made->band.step = 0x1p-2F; /* so that what is left of the lowest planes can be seen */
    made->component.depth = 31;
    snprintf(name, sizeof name, "%u planes in a region, %u outside", planes, shift);
    compare_plan(name, &made->plan, 1, true);
    free(made);
}

/* Regions of interest with room for all planes, and with planes left out, of which the region may have no others. */
static void test_interest(void **state)
{
    static const uint32_t planes[][2] = {{8, 9}, {3, 30}, {5, 31}, {3, 33}, {6, 37}, {36, 28}, {32, 32}};
    (void)state;
    for (size_t i = simulated() ? 3 : 0; i < (simulated() ? 4 : sizeof planes / sizeof *planes); i++)
        compare_region(planes[i][0], planes[i][1], (uint32_t)i % 4);
}

/* Pictures of one batch whose blocks are decoded in different ways. */
static void test_mixed(void **state)
{
    enum { MIXED = 3 };
    static const uint32_t styles[MIXED] = {J2K_STYLE_RESET | J2K_STYLE_TERMALL, 0, J2K_STYLE_TERMALL};
    struct lone_band *made[MIXED];
    const struct j2k_plan *plans[MIXED];
    (void)state;
    for (uint32_t i = 0; i < MIXED; i++) {
        made[i] = make_blocks(styles[i], 4 + random_below(&random_state, 9), i, true, false);
        plans[i] = &made[i]->plan;
    }
    compare_batch("mixed", plans, MIXED);
    for (uint32_t i = 0; i < MIXED; i++)
        free(made[i]);
}

static void test_styles(void **state)
{
    (void)state;
    damaged_plans = 0;
    for (uint32_t style = 0; style < 64; style += simulated() ? 63 : 1) {
        compare_style(style, 4 + random_below(&random_state, 9), style % 4, style % 3 == 0, false);
        compare_style(style, 4 + random_below(&random_state, 9), (style + 1) % 4, style % 3 == 1, true);
    }
    assert_true(damaged_plans > 0);
}

/*
 * The most planes that samples of 16 bits have room for, that bits are turned into bytes of, and more. The simulator
 * takes two of these numbers; test_styles shows it both kinds of samples.
 */
static void test_planes(void **state)
{
    static const uint32_t planes[] = {15, 16, 17, 20};
    (void)state;
    for (size_t i = simulated() ? 1 : 0; i < (simulated() ? 3 : sizeof planes / sizeof *planes); i++) {
        compare_style(0, planes[i], (uint32_t)i % 4, true, false);
        if (!simulated())
            compare_style(0, planes[i], (uint32_t)i % 4, false, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_styles),
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_interest),
        cmocka_unit_test(test_mixed),
    };
    return cmocka_run_group_tests(tests, open_comparison, close_comparison);
}
