/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the decoding of runs of MCUs with that of single MCUs in plain C, to coefficients and to tokens, on random
 * bits that are mostly valid codes: with all kinds of MCUs, bits that are no code, stuffed bytes, and ends too early.
 */
#include "core/cpu.h"
#include "jpeg/cpu/entropy/ahead.h"
#include "support/random.h"
#include "support/test.h"

enum { LENGTH = 60000, WIDTH = 40, SCANS = 60 };

static struct memory memory;
static struct jpeg_huffman huffman[4];
static struct jpeg_segment segment;
static struct jpeg_scan scan;
static struct jpeg_plan plan;
static uint8_t data[LENGTH];

/* Fill the data with bits that are 1 in `ones` of 256 cases; the fewer, the shorter the blocks. */
static void make_data(uint32_t ones, uint32_t *state)
{
    for (uint32_t i = 0; i < LENGTH; i++) {
        data[i] = 0;
        for (uint32_t bit = 0; bit < 8; bit++)
            data[i] |= (uint8_t)((random_below(state, 256) < ones) << bit);
        if (i > 0 && data[i - 1] == 0xFF)
            data[i] = 0;
    }
}

static void make_plan(uint32_t kind, uint32_t mcus)
{
    static const uint8_t sampling[][4] = {{1}, {1, 1, 1}, {4, 1, 1}, {2, 1, 1}, {4, 1, 1, 4}, {1, 1}};
    uint32_t blocks = 0;
    memset(&scan, 0, sizeof scan);
    memset(&plan, 0, sizeof plan);
    for (uint32_t i = 0; i < 4 && sampling[kind][i]; i++) {
        uint8_t count = sampling[kind][i];
        plan.frame.component[i].h = count > 1 ? 2 : 1;
        plan.frame.component[i].v = count > 2 ? 2 : 1;
        scan.component[i] = (uint8_t)i;
        scan.dc_table[i] = i % 2;
        scan.ac_table[i] = (uint16_t)(2 + (i + 1) / 2 % 2);
        scan.component_count++;
        blocks += count;
    }
    scan.geometry = (struct jpeg_scan_geometry){.mcus_w = WIDTH, .mcus_h = mcus / WIDTH, .mcu_blocks = blocks};
    scan.interval_count = 1;
    scan.segment_count = 1;
    segment = (struct jpeg_segment){.length = LENGTH};
    plan.frame.component_count = scan.component_count;
    plan.data = data;
    plan.length = LENGTH;
    plan.huffman = huffman;
    plan.scan = &scan;
    plan.segment = &segment;
    plan.scan_count = plan.segment_count = 1;
    plan.huffman_count = 4;
}

static void start(struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, enum cpu_tier tier)
{
    assert_int_equal(kst_jpeg_cpu_entropy_init(&memory, entropy, &plan, &scan, tier), KST_OK);
    kst_jpeg_cpu_cursor_start(entropy, cursor, 0);
}

static void check_cursors(const struct jpeg_cursor *a, const struct jpeg_cursor *b)
{
    uint32_t bit[2];
    assert_int_equal(a->mcu, b->mcu);
    assert_int_equal(a->to_go, b->to_go);
    assert_int_equal(a->ended, b->ended);
    assert_memory_equal(a->dc, b->dc, sizeof a->dc);
    assert_memory_equal(&a->damage, &b->damage, sizeof a->damage);
    assert_ptr_equal(kst_jpeg_cpu_bits_place(a->bits, data, &bit[0]), kst_jpeg_cpu_bits_place(b->bits, data, &bit[1]));
    assert_int_equal(bit[0], bit[1]);
}

/* Return whether a run is decoded as such from the cursor's place. */
static bool is_run(const struct jpeg_entropy *entropy, struct jpeg_cursor cursor, uint32_t mcus)
{
    _Alignas(64) static int16_t blocks[JPEG_RUN_BLOCKS * 64];
    static uint8_t last[JPEG_RUN_BLOCKS];
    return entropy->read_run && !cursor.ended && entropy->read_run(entropy, &cursor, mcus, blocks, last);
}

/* Decode the whole scan both ways. Returns the number of runs that were decoded as such. */
static uint32_t compare_blocks(void)
{
    _Alignas(64) static int16_t run[JPEG_RUN_BLOCKS * 64], single[JPEG_RUN_BLOCKS * 64];
    static uint8_t run_last[JPEG_RUN_BLOCKS], single_last[JPEG_RUN_BLOCKS];
    struct jpeg_entropy fast, plain;
    struct jpeg_cursor a, b;
    uint32_t runs = 0;
    start(&fast, &a, kst_cpu_best());
    start(&plain, &b, CPU_C);
    while (a.mcu < fast.mcus) {
        uint32_t wanted = 1 + next_random() % 20, size = fast.mcu_blocks;
        wanted = wanted < fast.mcus - a.mcu ? wanted : fast.mcus - a.mcu;
        struct jpeg_cursor before = a;
        uint32_t count = kst_jpeg_cpu_decode_mcus(&fast, &a, wanted, run, run_last);
        assert_in_range(count, 1, wanted);
        runs += is_run(&fast, before, count);
        for (uint32_t i = 0; i < count; i++)
            kst_jpeg_cpu_decode_mcu(&plain, &b, single + (size_t)i * size * 64, single_last + (size_t)i * size);
        assert_memory_equal(run, single, (size_t)count * size * 64 * sizeof *run);
        assert_memory_equal(run_last, single_last, (size_t)count * size);
        check_cursors(&a, &b);
    }
    kst_jpeg_cpu_entropy_release(&memory, &fast);
    kst_jpeg_cpu_entropy_release(&memory, &plain);
    return runs;
}

static void read_ahead(struct jpeg_ahead *ahead, struct jpeg_entropy *entropy, enum cpu_tier tier)
{
    assert_int_equal(kst_jpeg_cpu_entropy_init(&memory, entropy, &plan, &scan, tier), KST_OK);
    assert_int_equal(kst_jpeg_cpu_ahead_create(&memory, ahead, entropy, 0, WIDTH), KST_OK);
    while (kst_jpeg_cpu_ahead_read(ahead))
        continue;
}

static void compare_tokens(void)
{
    _Alignas(64) static int16_t blocks[2][JPEG_MCU_BLOCKS * 64];
    uint8_t last[2][JPEG_MCU_BLOCKS];
    const struct jpeg_shift none = {0};
    struct jpeg_entropy fast, plain;
    struct jpeg_ahead a, b;
    read_ahead(&a, &fast, kst_cpu_best());
    read_ahead(&b, &plain, CPU_C);
    assert_int_equal(a.count, b.count);
    assert_int_equal(a.token_count, b.token_count);
    for (uint32_t mcu = 0; mcu < a.count; mcu++) {
        kst_jpeg_cpu_ahead_blocks(&a, &none, mcu, blocks[0], last[0]);
        kst_jpeg_cpu_ahead_blocks(&b, &none, mcu, blocks[1], last[1]);
        assert_memory_equal(blocks[0], blocks[1], fast.mcu_blocks * 64 * sizeof **blocks);
        assert_memory_equal(last[0], last[1], fast.mcu_blocks);
    }
    for (uint32_t step = 0; step <= a.count / WIDTH; step++)
        check_cursors(&a.checkpoint[step], &b.checkpoint[step]);
    kst_jpeg_cpu_ahead_release(&memory, &a);
    kst_jpeg_cpu_ahead_release(&memory, &b);
    kst_jpeg_cpu_entropy_release(&memory, &fast);
    kst_jpeg_cpu_entropy_release(&memory, &plain);
}

/* The standard tables, or tables with all symbols, whose codes are long. */
static void choose_tables(bool optimal, uint32_t *state)
{
    for (int i = 0; i < 4; i++) {
        enum jpeg_table_class table_class = i < 2 ? JPEG_DC : JPEG_AC;
        uint64_t frequency[257] = {0};
        huffman[i] = *kst_jpeg_standard_huffman(table_class, i % 2);
        if (!optimal)
            continue;
        for (uint32_t symbol = 0; symbol < (table_class == JPEG_DC ? 16 : 256); symbol++)
            frequency[symbol] = 1 + random_below(state, 1U << random_below(state, 12));
        frequency[256] = 1;
        kst_jpeg_huffman_optimal(frequency, &huffman[i]);
    }
}

static void test_runs(void **state)
{
    (void)state;
    uint32_t random = 1, runs = 0;
    for (uint32_t i = 0; i < SCANS; i++) {
        choose_tables(i % 2, &random);
        make_data(60 + random_below(&random, 160), &random);
        make_plan(i % 6, i % 7 == 0 ? 200000 : 2000);
        runs += compare_blocks();
        compare_tokens();
        assert_int_equal(memory.used, 0);
    }
    if (kst_cpu_best() == CPU_AVX2 || kst_cpu_best() == CPU_AVX512)
        assert_true(runs > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs)};
    kst_memory_init(&memory, NULL, UINT64_MAX);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
