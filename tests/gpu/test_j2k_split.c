/* SPDX-License-Identifier: BSD-2-Clause */
/* Which code-blocks go to the host's threads, and where their coefficients lie. */
#include "core/context.h"
#include "core/pool.h"
#include "device/executor.h"
#include "j2k/gpu/batch.h"
#include "j2k/gpu/decode.h"
#include "support.h"

enum { BLOCKS = 1000, PICTURES = 5, SIDE = 64 };

static struct memory memory;

/* A picture of blocks in a row: two in a hundred are long, if they are not `alike`. */
struct row {
    struct j2k_plan plan;
    struct j2k_tile tile;
    struct j2k_band band;
    struct j2k_block block[BLOCKS];
};

static struct row row;

static void make_row(bool alike)
{
    row.band.window = (struct j2k_rect){0, 0, BLOCKS * SIDE, SIDE};
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint32_t longer = i % 50 == 0 && !alike ? 4000 - 3 * i : 0;
        row.block[i] = (struct j2k_block){.x = i * SIDE, .width = SIDE, .height = SIDE, .length = 1000 + longer};
    }
    row.plan = (struct j2k_plan){.tile = &row.tile,
        .tile_count = 1,
        .component_count = 1,
        .band = &row.band,
        .band_count = 1,
        .block = row.block,
        .block_count = BLOCKS};
}

/* All entries of some such pictures, not sorted, which here does not matter. */
static void make_batch(struct j2k_batch *batch, uint32_t count, uint16_t shape)
{
    static struct j2k_gpu_item items[PICTURES];
    *batch = (struct j2k_batch){.memory = &memory, .items = items, .count = count, .blocks = count * BLOCKS};
    batch->entry = kst_memory_array(&memory, batch->blocks, sizeof *batch->entry, NULL);
    assert_non_null(batch->entry);
    for (uint32_t i = 0; i < batch->blocks; i++)
        batch->entry[i] = (struct j2k_entry){.item = i / BLOCKS, .block = i % BLOCKS, .shape = shape};
    for (uint32_t i = 0; i < count; i++)
        items[i].plan = &row.plan;
}

/* How many blocks are given; each of them is longer than any that is not. */
static uint32_t split(uint32_t count, uint16_t shape, const struct j2k_wish *wish)
{
    struct j2k_batch batch;
    uint32_t shortest = UINT32_MAX;
    make_batch(&batch, count, shape);
    assert_true(kst_gpu_j2k_split_blocks(&batch, wish));
    assert_int_equal(batch.blocks + batch.given, count * BLOCKS);
    for (uint32_t i = 0; i < batch.given; i++) {
        uint32_t length = (uint32_t)row.block[batch.entry[batch.blocks + i].block].length;
        shortest = length < shortest ? length : shortest;
        assert_int_equal(batch.given_at[i], i * SIDE * SIDE);
    }
    for (uint32_t i = 0; i < batch.blocks; i++)
        assert_true(row.block[batch.entry[i].block].length < shortest);
    assert_true((uint64_t)batch.given_words <= kst_gpu_j2k_given_most(wish->threads, UINT64_MAX) || wish->given > 0);
    kst_memory_release(&memory, batch.entry);
    kst_memory_release(&memory, batch.given_at);
    return batch.given;
}

static void longest_go(void **state)
{
    (void)state;
    make_row(false);
    uint32_t one = split(1, 0, &(struct j2k_wish){.threads = 1}), two = split(1, 0, &(struct j2k_wish){.threads = 2});
    assert_true(one >= 4 && one <= 8);
    assert_true(two > one && two <= 16);
    assert_int_equal(split(1, 0, &(struct j2k_wish){.threads = 8}), BLOCKS / 50);
    assert_true(split(4, 0, &(struct j2k_wish){.threads = 4}) > two);
    assert_int_equal(kst_gpu_j2k_given_most(100, UINT64_MAX), kst_gpu_j2k_given_most(16, UINT64_MAX));
    assert_int_equal(split(5, 0, &(struct j2k_wish){.given = 1001}), 5 * BLOCKS / 50);
    assert_int_equal(kst_gpu_j2k_given_most(1, UINT64_MAX), 8 * SIDE * SIDE);
    assert_int_equal(kst_gpu_j2k_given_most(1, 100), 100);
}

static void none_go(void **state)
{
    (void)state;
    make_row(false);
    assert_int_equal(split(1, 0, &(struct j2k_wish){.threads = 0}), 0);
    assert_int_equal(split(5, 0, &(struct j2k_wish){.threads = 16}), 0);
    assert_int_equal(split(1, 1 << J2K_SHAPE_FLIGHTS, &(struct j2k_wish){.threads = 16}), 0);
    make_row(true);
    assert_int_equal(split(1, 0, &(struct j2k_wish){.threads = 16}), 0);
    for (uint32_t i = 0; i < BLOCKS; i++)
        row.block[i].length = i == 0 ? 200 : 100;
    assert_int_equal(split(1, 0, &(struct j2k_wish){.threads = 16}), 0);
}

/* A context of one thread leaves all blocks to the device. */
static void several_help(void **state)
{
    (void)state;
    struct gpu_executor executor = {.threads = NULL};
    assert_int_equal(kst_gpu_j2k_threads(&executor), 0);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        assert_int_equal(kst_pool_create(&memory, threads, &executor.threads), KST_OK);
        assert_int_equal(kst_gpu_j2k_threads(&executor), threads > 1 ? threads : 0);
        kst_pool_destroy(&executor.threads);
    }
}

static int start(void **state)
{
    (void)state;
    kst_memory_init(&memory, &(kst_allocator){NULL, NULL, NULL}, kst_default_limits.memory);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    return memory.used == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longest_go), cmocka_unit_test(none_go), cmocka_unit_test(several_help)};
    return cmocka_run_group_tests(tests, start, stop);
}
