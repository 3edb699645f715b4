/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks which code-blocks go to the host's threads, and where their coefficients lie. */
#include "core/context.h"
#include "core/pool.h"
#include "device/runtime.h"
#include "j2k/gpu/decode.h"
#include "j2k/gpu/part.h"
#include "support/test.h"

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
static void make_part(struct j2k_gpu_part *part, uint32_t count, uint16_t shape)
{
    static struct j2k_gpu_item items[PICTURES];
    *part = (struct j2k_gpu_part){.memory = &memory, .items = items, .count = count, .blocks = count * BLOCKS};
    part->entry = kst_memory_array(&memory, part->blocks, sizeof *part->entry, NULL);
    assert_non_null(part->entry);
    for (uint32_t i = 0; i < part->blocks; i++)
        part->entry[i] = (struct j2k_gpu_entry){.item = i / BLOCKS, .block = i % BLOCKS, .shape = shape};
    for (uint32_t i = 0; i < count; i++)
        items[i].plan = &row.plan;
}

/* Return how many blocks are chosen; each of them is longer than any that is not. */
static uint32_t split(uint32_t count, uint16_t shape, const struct j2k_gpu_wish *wish)
{
    struct j2k_gpu_part part;
    uint32_t shortest = UINT32_MAX;
    make_part(&part, count, shape);
    assert_true(kst_j2k_gpu_split_blocks(&part, wish));
    assert_int_equal(part.blocks + part.host_blocks, count * BLOCKS);
    for (uint32_t i = 0; i < part.host_blocks; i++) {
        uint32_t length = (uint32_t)row.block[part.entry[part.blocks + i].block].length;
        shortest = length < shortest ? length : shortest;
        assert_int_equal(part.host_at[i], i * SIDE * SIDE);
    }
    for (uint32_t i = 0; i < part.blocks; i++)
        assert_true(row.block[part.entry[i].block].length < shortest);
    assert_true((uint64_t)part.host_words <= kst_j2k_gpu_host_most(wish->threads, UINT64_MAX) || wish->host_bytes > 0);
    kst_memory_release(&memory, part.entry);
    kst_memory_release(&memory, part.host_at);
    return part.host_blocks;
}

static void longest_go(void **state)
{
    (void)state;
    make_row(false);
    uint32_t one = split(1, 0, &(struct j2k_gpu_wish){.threads = 1}),
             two = split(1, 0, &(struct j2k_gpu_wish){.threads = 2});
    assert_true(one >= 4 && one <= 8);
    assert_true(two > one && two <= 16);
    assert_int_equal(split(1, 0, &(struct j2k_gpu_wish){.threads = 8}), BLOCKS / 50);
    assert_true(split(4, 0, &(struct j2k_gpu_wish){.threads = 4}) > two);
    assert_int_equal(kst_j2k_gpu_host_most(100, UINT64_MAX), kst_j2k_gpu_host_most(16, UINT64_MAX));
    assert_int_equal(split(5, 0, &(struct j2k_gpu_wish){.host_bytes = 1001}), 5 * BLOCKS / 50);
    assert_int_equal(kst_j2k_gpu_host_most(1, UINT64_MAX), 8 * SIDE * SIDE);
    assert_int_equal(kst_j2k_gpu_host_most(1, 100), 100);
}

static void none_go(void **state)
{
    (void)state;
    make_row(false);
    assert_int_equal(split(1, 0, &(struct j2k_gpu_wish){.threads = 0}), 0);
    assert_int_equal(split(5, 0, &(struct j2k_gpu_wish){.threads = 16}), 0);
    assert_int_equal(split(1, 1 << J2K_SHAPE_FLIGHTS, &(struct j2k_gpu_wish){.threads = 16}), 0);
    make_row(true);
    assert_int_equal(split(1, 0, &(struct j2k_gpu_wish){.threads = 16}), 0);
    for (uint32_t i = 0; i < BLOCKS; i++)
        row.block[i].length = i == 0 ? 200 : 100;
    assert_int_equal(split(1, 0, &(struct j2k_gpu_wish){.threads = 16}), 0);
}

/* A context of one thread leaves all blocks to the device. */
static void several_help(void **state)
{
    (void)state;
    struct gpu_runtime runtime = {.threads = NULL};
    assert_int_equal(kst_j2k_gpu_threads(&runtime), 0);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        assert_int_equal(kst_pool_create(&memory, threads, &runtime.threads), KST_OK);
        assert_int_equal(kst_j2k_gpu_threads(&runtime), threads > 1 ? threads : 0);
        kst_pool_destroy(&runtime.threads);
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
