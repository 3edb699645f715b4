/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans whose packets several threads read and collect, and those whose packets are read straight into the plan, are
 * those that one thread makes in the usual way, in all lists and sums, and so are the reports, also where streams are
 * damaged or exceed limits.
 */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>
#include <kostka/kostka_volume.h>

#include "core/context.h"
#include "j2k/packets/builder.h"
#include "j2k/syntax/allowance.h"
#include "support/corpus.h"
#include "support/j2k/coded.h"
#include "support/j2k/corpus.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/shared_context.h"
#include "support/test.h"

enum {
    SLICES = 9,
    SLICE_SIDE = 60,
    SIDE = 160,
    THREADS = 4,
    MUTATIONS = SANITIZED ? 12 : 60,
    CORPUS_MUTATIONS = SANITIZED ? 3 : 20
};

static uint32_t random_state = 5;
static struct pool *pool;

/* One planning, how many of its tiles threads shared, and whether packets were read straight into the plan. */
struct planning {
    struct j2k_plan plan;
    kst_report report;
    struct memory memory;
    uint32_t tiles, read, collected;
    bool direct;
};

enum way { ALONE, SHARED, DIRECT };

static kst_status collect(struct j2k_builder *builder)
{
    struct planning *planning = builder->collector;
    planning->tiles++;
    planning->read += builder->sharing ? 1 : 0;
    if (!kst_j2k_collect_shared(builder))
        return kst_j2k_collect(builder);
    planning->collected++;
    return KST_OK;
}

/* Plan in one of the ways. The plan is empty on failure. */
static void plan(struct planning *planning, enum way way, const uint8_t *data, size_t length,
    const struct j2k_filter *filter, const kst_limits *limits)
{
    struct j2k_stream stream;
    memset(planning, 0, sizeof *planning);
    kst_report_init(&planning->report);
    kst_memory_init(&planning->memory, NULL, limits->memory);
    const struct operation op = {.memory = &planning->memory, .limits = limits, .report = &planning->report};
    if (kst_j2k_parse(&op, data, length, &stream))
        return;
    const kst_limits narrow = kst_j2k_narrow(limits, &stream, false);
    struct j2k_builder builder = {.collect = way == DIRECT ? kst_j2k_collect : collect,
        .collector = planning,
        .memory = &planning->memory,
        .limits = &narrow,
        .stream = &stream,
        .filter = filter,
        .report = &planning->report,
        .plan = &planning->plan,
        .pool = way == SHARED ? pool : NULL};
    if (!kst_j2k_read_wanted(&op, &stream, filter))
        kst_j2k_builder_run(&builder);
    planning->direct = builder.contributions > 0 && builder.contribution_capacity == 0;
    kst_j2k_stream_release(&planning->memory, &stream);
}

static void end(struct planning *planning)
{
    kst_j2k_plan_release(&planning->memory, &planning->plan);
    assert_int_equal(planning->memory.used, 0);
}

static void expect_same_report(const kst_report *a, const kst_report *b)
{
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->warnings, b->warnings);
    assert_int_equal(a->first_warning, b->first_warning);
    assert_int_equal(a->first_warning_offset, b->first_warning_offset);
    assert_string_equal(a->message, b->message);
}

static void expect_same_segment(
    const struct j2k_plan *a, const struct j2k_plan *b, struct j2k_segment one, struct j2k_segment two)
{
    assert_int_equal(one.piece_count, two.piece_count);
    assert_memory_equal(a->piece + one.first_piece, b->piece + two.first_piece, one.piece_count * sizeof a->piece[0]);
    one.first_piece = two.first_piece = 0;
    assert_memory_equal(&one, &two, sizeof one);
}

static void expect_same_block(
    const struct j2k_plan *a, const struct j2k_plan *b, struct j2k_block one, struct j2k_block two)
{
    assert_int_equal(one.segment_count, two.segment_count);
    for (uint32_t i = 0; i < one.segment_count; i++)
        expect_same_segment(a, b, a->segment[one.first_segment + i], b->segment[two.first_segment + i]);
    one.first_segment = two.first_segment = 0;
    assert_memory_equal(&one, &two, sizeof one);
}

/* Bands may come in another order in the lists. */
static void expect_same_plan(const struct j2k_plan *a, const struct j2k_plan *b)
{
    assert_int_equal(a->block_count, b->block_count);
    assert_int_equal(a->segment_count, b->segment_count);
    assert_int_equal(a->piece_count, b->piece_count);
    assert_int_equal(a->tile_count, b->tile_count);
    assert_int_equal(a->missing_tiles, b->missing_tiles);
    assert_memory_equal(&a->totals, &b->totals, sizeof a->totals);
    assert_int_equal(a->band_count, b->band_count);
    for (uint32_t i = 0; i < a->band_count; i++) {
        const struct j2k_band *one = &a->band[i], *two = &b->band[i];
        assert_int_equal(one->block_count, two->block_count);
        assert_memory_equal(&one->rect, &two->rect, sizeof one->rect);
        for (uint32_t k = 0; k < one->block_count; k++)
            expect_same_block(a, b, a->block[one->first_block + k], b->block[two->first_block + k]);
    }
}

/* Plan in all ways. Returns how many tiles threads shared, and whether packets were read straight into the plan. */
static struct planning compare(
    const uint8_t *data, size_t length, const struct j2k_filter *filter, const kst_limits *limits)
{
    static struct planning alone, shared, direct;
    plan(&alone, ALONE, data, length, filter, limits);
    plan(&shared, SHARED, data, length, filter, limits);
    plan(&direct, DIRECT, data, length, filter, limits);
    assert_int_equal(alone.read + alone.collected, 0);
    expect_same_report(&alone.report, &shared.report);
    expect_same_plan(&alone.plan, &shared.plan);
    expect_same_report(&alone.report, &direct.report);
    expect_same_plan(&alone.plan, &direct.plan);
    shared.direct = direct.direct;
    end(&alone);
    end(&shared);
    end(&direct);
    return shared;
}

struct variant {
    kst_progression progression;
    uint32_t tile, layers, block, precinct;
    bool lengths, sop, eph, ht;
};

static const struct variant variants[] = {
    {KST_PROGRESSION_LRCP, 0, 1, 16, 0, true, false, false, true},
    {KST_PROGRESSION_LRCP, 0, 1, 16, 0, false, false, false, true},
    {KST_PROGRESSION_RLCP, 0, 3, 8, 32, true, true, false, false},
    {KST_PROGRESSION_RPCL, 100, 2, 16, 64, true, false, true, false},
    {KST_PROGRESSION_PCRL, 0, 1, 32, 64, true, true, true, false},
    {KST_PROGRESSION_CPRL, 70, 4, 16, 32, true, false, false, false},
    {KST_PROGRESSION_LRCP, 0, 5, 16, 0, false, true, false, false},
    {KST_PROGRESSION_CPRL, 0, 1, 8, 0, true, false, false, false},
    {KST_PROGRESSION_CPRL, 0, 1, 16, 0, true, false, false, true},
    {KST_PROGRESSION_PCRL, 0, 1, 64, 0, false, false, false, true},
    {KST_PROGRESSION_RLCP, 0, 1, 16, 0, true, false, false, true},
    {KST_PROGRESSION_RPCL, 0, 1, 4, 0, false, false, false, false},
};

/* Return whether packets are read straight into the plan. */
static bool is_direct(const struct variant *v)
{
    return v->layers == 1 && v->tile == 0 && v->precinct == 0 && !v->sop && !v->eph;
}

static kst_buffer encode(const struct variant *variant)
{
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.progression = variant->progression;
    j2k.tile_width = j2k.tile_height = variant->tile;
    j2k.layers = variant->layers;
    j2k.levels = 3;
    j2k.block_width = j2k.block_height = variant->block;
    j2k.precinct_count = variant->precinct ? 1 : 0;
    j2k.precinct_width[0] = j2k.precinct_height[0] = variant->precinct;
    j2k.packet_lengths = variant->lengths;
    j2k.sop = variant->sop;
    j2k.eph = variant->eph;
    j2k.style = variant->ht ? KST_J2K_HT : 0;
    j2k.codestream = true;
    return j2k_coded_mixed(context, SIDE, &random_state, &j2k);
}

/* Threads share all tiles that have PLT and are wanted as a whole. */
static void test_shared(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        const struct j2k_filter all = {.layers = 0}, one = {.layers = 1}, smaller = {.reduce = 1};
        kst_buffer coded = encode(&variants[i]);
        struct planning whole = compare(coded.data, coded.length, &all, &kst_default_limits);
        assert_true(whole.tiles > 0);
        assert_int_equal(whole.read, variants[i].lengths ? whole.tiles : 0);
        assert_int_equal(whole.collected, whole.read);
        struct planning few = compare(coded.data, coded.length, &one, &kst_default_limits);
        assert_int_equal(few.read, variants[i].lengths && variants[i].layers == 1 ? few.tiles : 0);
        assert_int_equal(compare(coded.data, coded.length, &smaller, &kst_default_limits).read, 0);
        assert_int_equal(whole.direct, is_direct(&variants[i]));
        kst_buffer_release(context, &coded);
    }
}

static struct j2k_filter random_filter(void)
{
    struct j2k_filter filter = {.layers = 0};
    if (random_below(&random_state, 3) == 0)
        filter.layers = random_below(&random_state, 3);
    if (random_below(&random_state, 4) == 0)
        filter.reduce = (uint8_t)random_below(&random_state, 3);
    if (random_below(&random_state, 4) == 0)
        filter.region = (struct j2k_rect){10, 20, 15 + random_below(&random_state, 90), 90};
    return filter;
}

/* Half of the damage goes to the headers. */
static void compare_damaged(const uint8_t *data, size_t length, uint32_t mutations, const bool *components)
{
    for (uint32_t m = 0; m < mutations; m++) {
        struct j2k_filter filter = random_filter();
        filter.components = m % 3 == 0 ? components : NULL;
        size_t cut = m % 5 == 0 ? 1 + random_below(&random_state, (uint32_t)length) : length;
        uint8_t *damaged = malloc(cut); /* its own size, for a sanitizer to see its end */
        memcpy(damaged, data, cut);
        for (uint32_t k = random_below(&random_state, 4); k > 0; k--)
            damaged[random_below(&random_state, (uint32_t)(m % 2 && cut > 300 ? 300 : cut))] =
                (uint8_t)random_below(&random_state, 256);
        compare(damaged, cut, &filter, &kst_default_limits);
        free(damaged);
    }
}

static kst_buffer encode_volume(uint32_t style)
{
    static uint8_t samples[SLICES * SLICE_SIDE * SLICE_SIDE];
    kst_volume volume;
    kst_volume_options options;
    kst_buffer coded = {.data = NULL};
    kst_volume_init(&volume);
    kst_volume_options_init(&options);
    for (size_t i = 0; i < sizeof samples; i++)
        samples[i] = (uint8_t)(i / 97 + random_below(&random_state, 16));
    volume.data = samples;
    volume.width = volume.height = SLICE_SIDE;
    volume.depth = SLICES;
    volume.bits = 8;
    options.jpeg2000.style = style;
    options.jpeg2000.block_width = options.jpeg2000.block_height = 16;
    assert_int_equal(kst_encode_volume(context, &volume, &options, &coded, NULL), KST_OK);
    return coded;
}

/* Packets of components that are not wanted are passed over, as the volume's PLT gives their lengths. */
static void test_components(void **state)
{
    static const bool wanted[][SLICES] = {{false, true, false, true}, {true}, {false, false, false, true, true}};
    (void)state;
    for (uint32_t style = 0; style <= KST_J2K_HT; style += KST_J2K_HT) {
        const struct j2k_filter all = {.layers = 0}, smaller = {.reduce = 1};
        kst_buffer coded = encode_volume(style);
        assert_true(compare(coded.data, coded.length, &all, &kst_default_limits).direct);
        assert_true(compare(coded.data, coded.length, &smaller, &kst_default_limits).direct);
        for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
            const struct j2k_filter some = {.components = wanted[k], .layers = (uint32_t)k};
            assert_true(compare(coded.data, coded.length, &some, &kst_default_limits).direct);
            compare_damaged(coded.data, coded.length, MUTATIONS, wanted[k]);
        }
        kst_buffer_release(context, &coded);
    }
}

static void test_damaged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        kst_buffer coded = encode(&variants[i]);
        compare_damaged(coded.data, coded.length, MUTATIONS, NULL);
        kst_buffer_release(context, &coded);
    }
}

static void test_corpus(void **state)
{
    (void)state;
    static const char *const names[] = {"a1_mono.j2c", "d1_colr.j2c", "e1_colr.j2c", "f1_mono.j2c", "g2_colr.j2c",
        "p0_02.j2k", "p0_03.j2k", "p0_06.j2k", "p0_10.j2k", "p0_15.j2k", "p1_01.j2k", "p1_05.j2k", "p1_07.j2k"};
    if (!j2k_corpus_present())
        skip("there is no corpus");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length;
        const struct j2k_filter all = {.layers = 0};
        uint8_t *data = j2k_corpus_read("streams", names[i], &length);
        assert_non_null(data);
        compare(data, length, &all, &kst_default_limits);
        compare_damaged(data, length, CORPUS_MUTATIONS, NULL);
        free(data);
    }
}

/* A limit that is reached gives the error that one thread gives. */
static void test_limits(void **state)
{
    (void)state;
    const struct j2k_filter all = {.layers = 0};
    kst_buffer coded = encode(&variants[0]);
    kst_limits limits = kst_default_limits;
    for (limits.blocks = 1; limits.blocks < 1000; limits.blocks += 123)
        compare(coded.data, coded.length, &all, &limits);
    limits = kst_default_limits;
    for (limits.memory = 1 << 14; limits.memory < 1 << 20; limits.memory += 77777) {
        static struct planning shared;
        plan(&shared, SHARED, coded.data, coded.length, &all, &limits);
        end(&shared);
    }
    kst_buffer_release(context, &coded);
}

static int make_pool(void **state)
{
    static struct memory memory;
    kst_memory_init(&memory, NULL, UINT64_MAX);
    (void)state;
    return kst_pool_create(&memory, THREADS, &pool) ? 1 : 0;
}

static int drop_pool(void **state)
{
    (void)state;
    kst_pool_destroy(&pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_components),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_limits),
    };
    return run_with_context(1, tests, make_pool, drop_pool);
}
