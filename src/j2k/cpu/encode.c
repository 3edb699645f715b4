/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes tiles side by side, as far as threads and memory allow. */
#include "j2k/cpu/encode.h"

#include "j2k/cpu/blocks/encode_set.h"
#include "j2k/write/excerpt.h"

/* Return the number of components, from this one on, that are encoded together. */
static uint32_t together(const struct j2k_encode_tile *tile, uint32_t component)
{
    return component == 0 && tile->tile->transform != J2K_TRANSFORM_NONE ? J2K_ANALYSED_TOGETHER : 1;
}

/* Encode the whole tile, or the part of it in an excerpt, that tile->plan describes. */
static void encode_part(struct j2k_encode_tile *tile, enum j2k_choice choice)
{
    for (uint32_t c = 0, count; c < tile->plan->component_count && kst_j2k_encode_goes_on(tile->encoding); c += count) {
        count = together(tile, c);
        kst_j2k_cpu_encode_set_run(tile, c, count, choice);
    }
}

/* Return the most bytes that components of the tile take that are encoded together. */
static uint64_t need_of(struct j2k_encode_tile *tile)
{
    uint64_t most = 0;
    for (uint32_t c = 0, count; c < tile->plan->component_count; c += count) {
        count = together(tile, c);
        uint64_t need = kst_j2k_cpu_encode_set_need(tile, c, count);
        most = need > most ? need : most;
    }
    return most;
}

/* Rows and threads take at most 1 ÷ SHARE of the memory that is left, because coded bytes need room, too. */
enum { SHARE = 2 };

/*
 * Return how many columns of the tile are encoded together: all of them if their rows take no more memory than each of
 * the tiles that are encoded at the same time may take.
 */
static uint32_t columns_of(struct j2k_encode_tile *tile)
{
    struct j2k_encoding *encoding = tile->encoding;
    const struct j2k_rect rect = tile->tile->rect;
    uint64_t room = kst_memory_left(encoding->memory) / SHARE / encoding->lanes, most = need_of(tile);
    if (most <= room)
        return UINT32_MAX;
    uint32_t unit = kst_j2k_excerpt_unit(&encoding->coded->plan).x1;
    double fit = (double)(rect.x1 - rect.x0) * (double)room / (double)most / 2; /* the other half is for margins */
    return fit < 2.0 * unit ? unit : (uint32_t)(fit / unit) * unit;
}

static void encode_cell(struct j2k_encode_tile *tile, struct j2k_rect cell, enum j2k_choice choice)
{
    struct j2k_encoding *encoding = tile->encoding;
    const struct j2k_plan *plan = tile->plan;
    const struct j2k_excerpt_choice of_cell = {
        .first_tile = (uint32_t)(tile->tile - plan->tile), .tile_count = 1, .cell = cell};
    struct j2k_excerpt excerpt;
    kst_status status = kst_j2k_excerpt_build(encoding->memory, plan, &of_cell, &excerpt);
    if (status) {
        kst_j2k_encode_fail(encoding, status);
    } else {
        tile->plan = &excerpt.plan;
        tile->part = excerpt.plan.tile;
        tile->block = excerpt.block;
        encode_part(tile, choice);
    }
    tile->plan = plan;
    tile->part = tile->tile;
    tile->block = NULL;
    kst_j2k_excerpt_release(encoding->memory, &excerpt);
}

static void encode_blocks(struct j2k_encode_tile *tile, uint32_t columns, enum j2k_choice choice)
{
    const struct j2k_rect rect = tile->tile->rect;
    if (rect.x0 / columns == (rect.x1 - 1) / columns) {
        encode_part(tile, choice);
        return;
    }
    for (uint64_t x = rect.x0 / columns * columns; x < rect.x1 && kst_j2k_encode_goes_on(tile->encoding);
         x += columns) {
        uint64_t end = x + columns < rect.x1 ? x + columns : rect.x1;
        encode_cell(tile, (struct j2k_rect){(uint32_t)x, 0, (uint32_t)end, UINT32_MAX}, choice);
    }
}

/* Holds tiles that are encoded side by side, and the next one that no thread has begun. */
struct tiles_turn {
    struct j2k_encoding *encoding;
    struct j2k_tiles tiles;
    atomic_uint next;
};

/* Coefficients are computed again after the sample was measured, which takes less memory than keeping all of them. */
static void encode_tile(struct j2k_encoding *encoding, uint32_t index)
{
    struct j2k_encode_tile tile;
    kst_j2k_encode_find_tile(encoding, index, &tile);
    kst_j2k_encode_given_stop(&tile);
    uint32_t columns = columns_of(&tile);
    if (kst_j2k_encode_samples_first(&tile)) {
        encode_blocks(&tile, columns, J2K_SAMPLE_BLOCKS);
        if (!kst_j2k_encode_goes_on(encoding))
            return;
        kst_j2k_encode_find_stop(&tile);
    }
    encode_blocks(&tile, columns, J2K_ALL_BLOCKS);
}

/* A thread's task: encode one tile after the other while other threads do the same. */
static void encode_turn(void *argument, uint32_t index)
{
    struct tiles_turn *turn = argument;
    (void)index;
    for (uint32_t i; (i = atomic_fetch_add(&turn->next, 1)) < turn->tiles.count;)
        if (kst_j2k_encode_goes_on(turn->encoding))
            encode_tile(turn->encoding, turn->tiles.first + i);
}

static uint64_t samples_of(const struct j2k_tile *tile)
{
    return (uint64_t)j2k_rect_width(tile->rect) * j2k_rect_height(tile->rect);
}

static uint32_t largest_tile(const struct j2k_plan *plan, struct j2k_tiles tiles)
{
    uint32_t largest = tiles.first;
    for (uint32_t i = tiles.first; i < tiles.first + tiles.count; i++)
        if (samples_of(&plan->tile[i]) > samples_of(&plan->tile[largest]))
            largest = i;
    return largest;
}

/*
 * Set how many threads work on a tile, and how many tiles, at most `most`, are encoded at the same time: all threads,
 * and as many tiles as threads, unless memory has room for fewer. The threads' buffers take at most a quarter of the
 * share, and the rows of tiles the rest.
 */
static void share_memory(struct j2k_encoding *encoding, uint32_t most)
{
    const struct j2k_tiles tiles = kst_j2k_encode_tiles_of(encoding);
    const uint64_t share = kst_memory_left(encoding->memory) / SHARE, thread = kst_j2k_cpu_encode_worker_need();
    const uint32_t threads = kst_pool_threads(encoding->pool);
    const uint32_t workers = kst_pool_threads_within(encoding->pool, share / 4, thread);
    struct j2k_encode_tile tile;
    encoding->workers = workers;
    kst_j2k_encode_find_tile(encoding, largest_tile(&encoding->coded->plan, tiles), &tile);
    const uint64_t rows = share > workers * thread ? share - workers * thread : 0, need = need_of(&tile);
    encoding->lanes = kst_pool_fit(most < workers ? most : workers, rows, need > 0 ? need : 1);
    if (workers < threads) /* otherwise the pool has no more threads than these for all tiles together */
        encoding->workers = workers / encoding->lanes;
}

/*
 * Encode all tiles. Where the picture's rows come in order, one row of tiles is encoded after the other, so that no
 * more rows need be kept.
 */
static void encode_tiles(struct j2k_encoding *encoding)
{
    const struct j2k_tiles all = kst_j2k_encode_tiles_of(encoding);
    uint32_t columns = encoding->coded->headers.size.columns, end = all.first + all.count;
    bool in_order = encoding->request->rows && encoding->request->rows->in_order;
    struct tiles_turn turn = {.encoding = encoding, .tiles = all};
    share_memory(encoding, in_order && columns < all.count ? columns : all.count);
    for (; turn.tiles.first < end; turn.tiles.first += turn.tiles.count) {
        uint32_t left = end - turn.tiles.first, row = columns - turn.tiles.first % columns;
        turn.tiles.count = in_order && row < left ? row : left;
        atomic_init(&turn.next, 0);
        kst_pool_run(encoding->pool, encoding->lanes, encode_turn, &turn);
    }
}

kst_status kst_j2k_cpu_encode(const struct operation *op, struct j2k_coded *coded,
    const struct j2k_encode_request *request, struct j2k_encoded *encoded)
{
    struct j2k_forward forward;
    struct j2k_encoding encoding = {.memory = op->memory,
        .pool = op->pool,
        .coded = coded,
        .request = request,
        .encoded = encoded,
        .forward = &forward,
        .tier = op->tier};
    kst_status status = kst_j2k_encode_start(&encoding, op->report);
    if (status)
        return status;
    kst_j2k_cpu_forward_init(&forward, op->tier);
    if (encoding.result)
        encode_tiles(&encoding);
    kst_j2k_cpu_encode_drop_workers(&encoding);
    return kst_j2k_encode_finish(&encoding, op->report);
}
