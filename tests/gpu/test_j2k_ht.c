/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code-blocks of T.814 that are made for it: of all shapes and numbers of planes and passes, in regions of interest,
 * beside code-blocks of T.800, sound and damaged. Every device must decode them as the CPU does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "j2k/plan/block_coder.h"
#include "support/gpu/gpus.h"
#include "support/gpu/j2k_compare.h"
#include "support/gpu/lone_band.h"
#include "support/j2k/model.h"
#include "support/random.h"
#include "support/test.h"

static uint32_t random_state = 11;
static struct model model;

/* How a block is coded. */
struct coding {
    uint32_t width, height;
    uint32_t planes;       /* of the band */
    uint32_t plane;        /* of the last set's cleanup pass */
    uint32_t sets, passes; /* number of sets, and of passes of the last one; the others have three */
    uint32_t placeholders; /* bit-planes of passes without bytes */
};

static uint32_t below(uint32_t n)
{
    return random_below(&random_state, n);
}

/* Magnitudes of up to `planes` bits, small ones more often, in patches. */
static void fill(struct j2k_block_scratch *scratch, uint32_t count, uint32_t planes)
{
    uint32_t quiet = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i % 61 == 0)
            quiet = below(planes + 1);
        uint32_t length = planes > quiet ? below(planes - quiet + 1) : 0;
        uint32_t magnitude = (below(1U << 16) << 16 ^ below(1U << 20)) & ((UINT32_C(1) << length) - 1);
        scratch->sample[i] = magnitude | (magnitude > 0 ? below(2) << 31 : 0);
    }
}

/* Add the segments of a set, in front of which there are `before` passes in the same segment. */
static uint32_t add_set(struct lone_band *made, struct j2k_block_scratch *scratch, const struct coding *c,
    uint32_t plane, uint32_t before, uint32_t passes)
{
    const struct j2k_block_settings settings = {
        .width = c->width, .height = c->height, .style = J2K_STYLE_HT, .plane = plane, .refinements = passes - 1};
    static uint32_t kept[J2K_BLOCK_SAMPLES];
    struct j2k_block_outcome outcome;
    memcpy(kept, scratch->sample, sizeof kept);
    kst_j2k_cpu_ht.encode(scratch, kst_cpu_best(), &settings, &outcome);
    struct j2k_codeword cleanup = {.passes = before + 1}, refinement = {.passes = passes - 1};
    if (outcome.passes > 0) {
        cleanup.data = outcome.data;
        cleanup.length = outcome.pass[0].length;
        refinement.data = outcome.data + cleanup.length;
        refinement.length = outcome.length - cleanup.length;
    }
    lone_band_codeword(made, &cleanup, false, 1);
    if (passes > 1)
        lone_band_codeword(made, &refinement, false, 2);
    memcpy(scratch->sample, kept, sizeof kept);
    return cleanup.length + refinement.length;
}

/* Add a block with random samples. */
static void add_block(struct lone_band *made, uint32_t x, const struct coding *c)
{
    struct j2k_plan *plan = &made->plan;
    struct j2k_block *block = &made->block[plan->block_count++];
    struct j2k_block_scratch *scratch = calloc(1, kst_j2k_cpu_ht.encoder_length);
    assert_non_null(scratch);
    assert_true(plan->block_count <= LONE_BAND_BLOCKS);
    fill(scratch, c->width * c->height, c->planes < 31 ? c->planes : 31);
    uint32_t top = c->plane + c->sets - 1;
    *block = (struct j2k_block){.x = x,
        .width = (uint16_t)c->width,
        .height = (uint16_t)c->height,
        .first_segment = plan->segment_count,
        .planes = (uint8_t)(top + 1 + c->placeholders),
        .missing = (uint8_t)(c->planes - top - 1 - c->placeholders),
        .passes = (uint16_t)(3 * (c->placeholders + c->sets - 1) + c->passes),
        .coder = J2K_HT};
    for (uint32_t s = 0; s < c->sets; s++)
        block->length +=
            add_set(made, scratch, c, top - s, s == 0 ? 3 * c->placeholders : 0, s + 1 == c->sets ? c->passes : 3);
    block->segment_count = (uint16_t)(plan->segment_count - block->first_segment);
    free(scratch);
}

static struct coding choose_coding(const uint32_t shape[2], uint32_t planes, uint32_t passes)
{
    struct coding c = {.width = shape[0], .height = shape[1], .planes = planes, .sets = 1, .passes = 1};
    c.plane = below(2) ? below(planes) : passes > 1 && planes > 1;
    if (c.plane > 0)
        c.passes = passes;
    if (c.plane + 1 < planes && below(3) == 0)
        c.sets = 2;
    c.placeholders = below(planes - (c.plane + c.sets - 1));
    return c;
}

static void spoil(struct lone_band *made, uint32_t bytes)
{
    for (uint32_t k = 0; k < bytes && made->plan.length > 0; k++)
        made->data[below((uint32_t)made->plan.length)] ^= (uint8_t)(1 + below(255));
}

/* Damage lengths: some sets lose bytes at their end, or all but one. */
static void shorten(struct lone_band *made)
{
    for (uint32_t i = 0; i < made->plan.segment_count; i++) {
        struct j2k_segment *segment = &made->segment[i];
        struct j2k_piece *piece = &made->piece[segment->first_piece];
        if (segment->piece_count != 1 || below(3) > 0)
            continue;
        piece->length = below(2) ? 1 : 1 + below(piece->length);
        segment->length = piece->length;
    }
}

enum harm { SOUND, SPOILT, SHORTENED };

struct variety {
    uint32_t planes, passes, style, roi_shift;
    bool reversible;
    enum harm harm;
};

static void compare_shapes(const uint32_t shapes[][2], uint32_t count, uint32_t height, const struct variety *v)
{
    char name[96];
    struct lone_band *made = calloc(1, sizeof *made);
    uint32_t x = 0, all = v->planes + v->roi_shift;
    assert_non_null(made);
    for (uint32_t i = 0; i < count; i++) {
        struct coding c = choose_coding(shapes[i], all, v->passes);
        if (all - c.plane > 31)
            c = (struct coding){shapes[i][0], shapes[i][1], all, all - 31, 1, v->passes, 0};
        add_block(made, x, &c);
        x += c.width;
    }
    if (v->harm == SPOILT)
        spoil(made, 4);
    else if (v->harm == SHORTENED)
        shorten(made);
    lone_band_finish(made, x, height, all, J2K_STYLE_HT | v->style, v->reversible);
    made->tile_component.roi_shift = (uint8_t)v->roi_shift;
    made->tile_component.block_height = height > 64 ? 10 : 6;
    made->component.depth = all > 15 ? 31 : 15;
    snprintf(name, sizeof name, "%u planes, %u passes, style %u, region %u, %s%s", v->planes, v->passes, v->style,
        v->roi_shift, v->reversible ? "5/3" : "9/7", v->harm ? ", damaged" : "");
    compare_plan(name, &made->plan, 1, false);
    free(made);
}

static const uint32_t plain_shapes[][2] = {
    {13, 23}, {5, 30}, {1, 1}, {64, 64}, {128, 32}, {37, 3}, {3, 17}, {200, 12}, {32, 32}, {2, 2}};
static const uint32_t long_shapes[][2] = {{1024, 4}, {1023, 3}, {4, 1024}, {3, 1023}};

enum { PLAIN = sizeof plain_shapes / sizeof *plain_shapes, LONG = sizeof long_shapes / sizeof *long_shapes };

static void compare_all(const struct variety *v)
{
    compare_shapes(plain_shapes, simulated() ? 2 : PLAIN, 64, v);
}

static void test_planes(void **state)
{
    (void)state;
    for (uint32_t planes = simulated() ? 9 : 1; planes <= (simulated() ? 9 : 31); planes++) {
        struct variety v = {.planes = planes, .passes = 1 + planes % 3, .reversible = true};
        compare_all(&v);
        v = (struct variety){.planes = planes, .passes = 1 + (planes + 1) % 3, .style = J2K_STYLE_CAUSAL};
        compare_all(&v);
    }
}

static void test_passes(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < (simulated() ? 2 : fewer_cases() ? 8 : 24); i++) {
        const struct variety v = {.planes = 2 + below(12),
            .passes = 1 + (i + 1) % 3,
            .style = i % 4 < 2 ? J2K_STYLE_CAUSAL : 0,
            .reversible = i % 2 == 0};
        compare_all(&v);
    }
}

static void test_long_blocks(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3 && !simulated(); i++) {
        const struct variety v = {.planes = 4 + below(9), .passes = 1 + i, .reversible = i % 2 == 0};
        compare_shapes(long_shapes, LONG, 1024, &v);
    }
}

/* Magnitudes of up to 31 bits, at any height above the region of interest's shift. */
static void test_interest(void **state)
{
    static const uint32_t planes[][2] = {{8, 9}, {3, 30}, {5, 31}, {20, 20}, {12, 12}, {25, 31}, {31, 31}};
    (void)state;
    for (size_t i = 0; i < (simulated() ? 1 : sizeof planes / sizeof *planes); i++)
        for (uint32_t passes = 1; passes <= (simulated() ? 1 : 3); passes++) {
            const struct variety v = {.planes = planes[i][0],
                .roi_shift = planes[i][1],
                .passes = passes,
                .reversible = (passes + i) % 2 == 0};
            compare_all(&v);
        }
}

static void test_damage(void **state)
{
    (void)state;
    damaged_plans = 0;
    for (uint32_t i = 0; i < (simulated() ? 4 : fewer_cases() ? 20 : 80); i++) {
        const struct variety v = {.planes = 1 + below(15),
            .passes = 1 + i % 3,
            .style = i % 7 == 0 ? J2K_STYLE_CAUSAL : 0,
            .reversible = i % 2 == 0,
            .harm = i % 4 == 3 ? SHORTENED : SPOILT};
        compare_all(&v);
    }
    assert_true(damaged_plans > 0);
}

/* A block of T.800 with all of its passes. */
static void add_other(struct lone_band *made, uint32_t x, uint32_t width, uint32_t height, uint32_t planes)
{
    struct j2k_plan *plan = &made->plan;
    struct j2k_block *block = &made->block[plan->block_count++];
    model = (struct model){.width = width, .height = height, .planes = planes};
    for (uint32_t i = 0; i < width * height; i++) {
        model.magnitude[i] = below(4) == 0 ? below(1U << planes) : below(2);
        model.negative[i] = (uint8_t)below(2);
    }
    model_encode(&model, 3 * planes - 2);
    *block = (struct j2k_block){.x = x,
        .width = (uint16_t)width,
        .height = (uint16_t)height,
        .first_segment = plan->segment_count,
        .segment_count = (uint16_t)model.segment_count,
        .planes = (uint8_t)planes,
        .passes = (uint16_t)(3 * planes - 2)};
    for (uint32_t s = 0; s < model.segment_count; s++) {
        lone_band_codeword(made, &model.segment[s], false, 2);
        block->length += model.segment[s].length;
    }
}

/* Blocks of both coders take turns. */
static struct lone_band *make_mixed(uint32_t first, bool spoilt)
{
    struct lone_band *made = calloc(1, sizeof *made);
    uint32_t x = 0, planes = 4 + below(9);
    assert_non_null(made);
    for (uint32_t i = 0; i < (simulated() ? 2 : 8); i++) {
        const uint32_t *shape = plain_shapes[simulated() ? i : i % PLAIN];
        const struct coding c = choose_coding(shape, planes, 1 + i % 3);
        if ((i + first) % 2)
            add_block(made, x, &c);
        else
            add_other(made, x, shape[0], shape[1], planes);
        x += shape[0];
    }
    if (spoilt)
        spoil(made, 6);
    lone_band_finish(made, x, 64, planes, J2K_STYLE_HT | J2K_STYLE_MIXED, true);
    return made;
}

static void test_mixed(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < (simulated() ? 2 : 12); i++) {
        struct lone_band *made = make_mixed(i % 2, i % 3 == 1);
        compare_plan("mixed", &made->plan, simulated() ? 1 : 3, false);
        free(made);
    }
}

/* Pictures of one batch, of which some have blocks of one coder only. */
static void test_batch(void **state)
{
    enum { PICTURES = 3 };
    struct lone_band *made[PICTURES];
    const struct j2k_plan *plans[PICTURES];
    (void)state;
    for (uint32_t i = 0; i < PICTURES; i++) {
        made[i] = i == 1 ? make_mixed(0, false) : calloc(1, sizeof *made[i]);
        assert_non_null(made[i]);
        for (uint32_t k = 0; k < 2 && i != 1; k++) {
            const struct coding c = choose_coding(plain_shapes[k], 8, 1 + i);
            if (i == 0)
                add_block(made[i], 13 * k, &c);
            else
                add_other(made[i], 13 * k, c.width, c.height, 8);
        }
        if (i != 1)
            lone_band_finish(made[i], 18, 64, 8, i == 0 ? J2K_STYLE_HT : 0, true);
        plans[i] = &made[i]->plan;
    }
    compare_batch("one coder, both, the other", plans, PICTURES);
    for (uint32_t i = 0; i < PICTURES; i++)
        free(made[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_long_blocks),
        cmocka_unit_test(test_interest),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_batch),
    };
    return cmocka_run_group_tests(tests, open_comparison, close_comparison);
}
