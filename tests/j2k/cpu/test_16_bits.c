/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that the reversible path in 16 bits gives the same as in 32, which is used for targets with samples of 32
 * bits: for whole pictures that are just as deep as is allowed, or a bit more, and for streams whose coefficients are
 * far beyond what their depth says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/report.h"
#include "j2k/cpu/blocks/narrow.h"
#include "j2k/cpu/decode.h"
#include "j2k/packets/build.h"
#include "j2k/plan/range.h"
#include "support/j2k/coded.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/shared_context.h"
#include "support/test.h"

/* Under ThreadSanitizer some kinds of picture stand for all. */
enum { PICTURES_APART = THREADS_WATCHED ? 11 : 1, STREAMS_APART = THREADS_WATCHED ? 3 : 1 };

enum {
    WIDTH = 71,
    HEIGHT = 86,
    COUNT = WIDTH * HEIGHT,
    PLANES = 3,
    DEPTH_AT = 42 /* Ssiz of the first component */
};

static struct memory memory;
static struct pool *one, *three;
static uint16_t samples[PLANES][COUNT];
static int32_t wide[PLANES][COUNT];
static uint16_t narrow[PLANES][COUNT];
static uint8_t bytes[COUNT * PLANES];

struct kind {
    uint32_t depth, planes, levels, pattern;
    bool is_signed;
};

/* Noise, extremes at random, and by turns. */
static void fill(const struct kind *kind, uint32_t *random)
{
    uint32_t max = (1U << kind->depth) - 1;
    for (uint32_t p = 0; p < kind->planes; p++)
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t x = i % WIDTH, y = i / WIDTH, value = random_next(random) & max;
            if (kind->pattern == 1)
                value = random_next(random) & 16 ? max : 0;
            else if (kind->pattern == 2)
                value = ((x + y + p) & 1) != 0 ? max : 0;
            if (kind->is_signed && value > max / 2)
                value |= 0xFFFF ^ max;
            samples[p][i] = (uint16_t)value;
            if (kind->depth <= 8)
                bytes[p * COUNT + i] = (uint8_t)value;
        }
}

static void describe(const struct kind *kind, kst_image *image)
{
    kst_image_init(image);
    image->format = KST_FORMAT_RAW;
    image->colour = kind->planes == 3 ? KST_COLOUR_RGB : KST_COLOUR_GREY;
    image->width = WIDTH;
    image->height = HEIGHT;
    image->plane_count = kind->planes;
    for (uint32_t p = 0; p < kind->planes; p++) {
        bool small = kind->depth <= 8;
        image->plane[p] = (kst_plane){.data = small ? (void *)(bytes + p * COUNT) : samples[p],
            .pitch = WIDTH * (small ? 1 : 2),
            .width = WIDTH,
            .height = HEIGHT,
            .depth = (uint8_t)kind->depth,
            .is_signed = kind->is_signed};
    }
}

static kst_buffer encode(const struct kind *kind)
{
    kst_image image;
    kst_j2k_options j2k;
    describe(kind, &image);
    kst_j2k_options_init(&j2k);
    j2k.codestream = true;
    j2k.levels = (uint8_t)kind->levels;
    j2k.block_width = j2k.block_height = 32;
    return j2k_coded(context, &image, &j2k);
}

/* Targets of samples of 1, 2 or 4 bytes, of 1 as pixels. */
static void run(const struct j2k_plan *plan, uint32_t size, enum cpu_tier tier, struct pool *pool)
{
    struct j2k_target target[PLANES];
    kst_report report;
    kst_report_init(&report);
    for (uint32_t p = 0; p < plan->component_count; p++) {
        target[p] = (struct j2k_target){.data = wide[p], .pitch = WIDTH * 4, .stride = 1, .bytes = 4};
        if (size == 2)
            target[p] = (struct j2k_target){.data = narrow[p], .pitch = WIDTH * 2, .stride = 1, .bytes = 2};
        else if (size == 1)
            target[p] = (struct j2k_target){
                .data = bytes + p, .pitch = (ptrdiff_t)WIDTH * PLANES, .stride = PLANES, .bytes = 1};
    }
    const struct operation op = {.memory = &memory, .pool = pool, .tier = tier, .report = &report};
    kst_j2k_cpu_decode(&op, plan, target, false);
}

static bool is_narrow(const struct j2k_plan *plan)
{
    uint32_t count = plan->tile[0].transform == J2K_TRANSFORM_RCT ? 3 : 1;
    return kst_j2k_cpu_synthesis_is_narrow(plan, plan->tile_component, count, plan->component[0].depth);
}

static void compare(const struct j2k_plan *plan, enum cpu_tier tier, struct pool *pool)
{
    run(plan, 4, CPU_C, one);
    run(plan, 2, tier, pool);
    run(plan, plan->component[0].depth <= 8 ? 1 : 2, tier, pool);
    for (uint32_t p = 0; p < plan->component_count; p++)
        for (uint32_t i = 0; i < COUNT; i++) {
            if ((uint16_t)wide[p][i] != narrow[p][i])
                fail_msg("%s: sample %u of component %u is %u, not %u", kst_cpu_tier_name(tier), i, p, narrow[p][i],
                    (uint16_t)wide[p][i]);
            if (plan->component[0].depth <= 8)
                assert_int_equal((uint8_t)wide[p][i], bytes[i * PLANES + p]);
        }
}

/*
 * On all tiers, unless nothing is left; returns whether 16 bits sufficed. `range`: of the first component, if not null.
 */
static bool check(const uint8_t *data, size_t length, uint32_t *range)
{
    static const char *const names[] = {"c", "avx2", "avx512", "neon"};
    const struct j2k_filter filter = {.layers = 0};
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_report report;
    enum cpu_tier tier;
    kst_report_init(&report);
    const struct operation op = {.memory = &memory, .limits = &kst_default_limits, .report = &report};
    if (kst_j2k_parse(&op, data, length, &stream))
        return true;
    if (kst_j2k_plan_build(&op, &stream, &filter, &plan)) {
        kst_j2k_stream_release(&memory, &stream);
        return true;
    }
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!kst_cpu_tier_by_name(names[i], &tier))
            compare(&plan, tier, i % 2 ? one : three);
    bool fits = is_narrow(&plan);
    if (range)
        *range = kst_j2k_range(&plan, plan.tile_component);
    kst_j2k_plan_release(&memory, &plan);
    kst_j2k_stream_release(&memory, &stream);
    return fits;
}

/* Encoding took 16 bits up to 11 (10 with RCT), and what is decoded is what was encoded. */
static void pictures_come_back(void **state)
{
    (void)state;
    uint32_t random = 1, fitted = 0, total = 0;
    for (uint32_t i = 0; i < 12 * 2 * 3; i += PICTURES_APART, total++) {
        struct kind kind = {
            .depth = 1 + i % 12, .planes = i / 12 % 2 ? 3 : 1, .pattern = i / 24, .is_signed = i % 5 == 0};
        static const uint8_t levels[] = {0, 1, 2, 5, 7};
        kind.levels = levels[i % sizeof levels];
        fill(&kind, &random);
        kst_buffer coded = encode(&kind);
        fitted += check(coded.data, coded.length, NULL);
        for (uint32_t p = 0; p < kind.planes; p++)
            for (uint32_t k = 0; k < COUNT; k++)
                assert_int_equal((uint16_t)wide[p][k], samples[p][k]);
        kst_buffer_release(context, &coded);
    }
    printf("%u of %u pictures fitted\n", fitted, total);
    assert_true(fitted > total / 2 && fitted < total);
}

/* The depth in the header does not match the coefficients, whose bytes are damaged, too. */
static void streams_may_say_anything(void **state)
{
    static const uint8_t depths[] = {8, 10, 1, 14};
    (void)state;
    uint32_t random = 2, below = 0, above = 0;
    for (uint32_t i = 0; i < 64; i += STREAMS_APART) {
        struct kind kind = {.depth = 7 + i % 8,
            .planes = i % 4 == 3 ? 3 : 1,
            .levels = i / 8 % 6,
            .pattern = i % 3,
            .is_signed = i % 2};
        uint32_t range = 0;
        fill(&kind, &random);
        kst_buffer coded = encode(&kind);
        uint8_t *data = coded.data;
        for (uint32_t p = 0; p < kind.planes; p++)
            data[DEPTH_AT + 3 * p] = (uint8_t)((depths[i % 4] - 1) | (kind.is_signed ? 0x80 : 0));
        for (uint32_t k = 0; k < i % 3 * 20; k++)
            data[coded.length / 4 + random_next(&random) % (coded.length * 3 / 4 - 2)] = (uint8_t)random_next(&random);
        bool fits = check(data, coded.length, &range);
        below += fits && range > INT16_MAX / 8;
        above += !fits && range < INT16_MAX;
        kst_buffer_release(context, &coded);
    }
    printf("%u streams fitted although their range is large, and %u did not although it is small\n", below, above);
    assert_true(below > 3 / STREAMS_APART && above > 3 / STREAMS_APART);
}

static int start(void **state)
{
    (void)state;
    kst_memory_init(&memory, &(kst_allocator){NULL, NULL, NULL}, UINT64_MAX);
    return kst_pool_create(&memory, 1, &one) || kst_pool_create(&memory, 3, &three);
}

static int stop(void **state)
{
    (void)state;
    kst_pool_destroy(&one);
    kst_pool_destroy(&three);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_come_back), cmocka_unit_test(streams_may_say_anything)};
    return run_with_context(1, tests, start, stop);
}
