/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes tiles side by side, then does what has to wait for all of them: guard bits and the list of passes. */
#include "j2k/cpu/encode.h"

#include <string.h>

#include "core/report.h"
#include "j2k/cpu/blocks/encode_set.h"
#include "j2k/write/excerpt.h"

enum { GUARD_MAX = 7 };

void *kst_j2k_encode_take(struct j2k_encoding *encoding, size_t count, size_t size)
{
    kst_status status = KST_OK;
    void *taken = kst_memory_array(encoding->memory, count, size, &status);
    if (!taken)
        kst_j2k_encode_fail(encoding, status);
    return taken;
}

void kst_j2k_encode_fail(struct j2k_encoding *encoding, kst_status status)
{
    int none = KST_OK;
    atomic_compare_exchange_strong(&encoding->status, &none, (int)status);
}

void kst_j2k_encode_count(struct j2k_encoding *encoding, uint32_t blocks)
{
    if (!kst_progress_add(encoding->request->progress, blocks))
        kst_j2k_encode_fail(encoding, KST_ERROR_CANCELLED);
}

bool kst_j2k_encode_goes_on(struct j2k_encoding *encoding)
{
    return !atomic_load_explicit(&encoding->status, memory_order_relaxed);
}

struct j2k_tiles kst_j2k_encode_tiles_of(const struct j2k_encoding *encoding)
{
    const struct j2k_tiles all = {0, encoding->coded->plan.tile_count};
    return encoding->request->tiles.count > 0 ? encoding->request->tiles : all;
}

/* The blocks of the tiles to be coded: from `first` up to, but not including, `end`. */
struct block_range {
    uint32_t first, end;
};

static struct block_range blocks_of(const struct j2k_encoding *encoding)
{
    struct j2k_span span = kst_j2k_coded_blocks(encoding->coded, kst_j2k_encode_tiles_of(encoding));
    return (struct block_range){span.first, span.first + span.count};
}

/* The blocks of a tile follow one another in the plan. */
void kst_j2k_encode_find_tile(struct j2k_encoding *encoding, uint32_t index, struct j2k_encode_tile *tile)
{
    const struct j2k_plan *plan = &encoding->coded->plan;
    bool first = true;
    *tile = (struct j2k_encode_tile){
        .encoding = encoding, .tile = &plan->tile[index], .plan = plan, .part = &plan->tile[index]};
    for (uint32_t c = 0; c < plan->component_count; c++) {
        const struct j2k_tile_component *tc = &plan->tile_component[tile->tile->first_component + c];
        if (tc->resolution_count == 0)
            continue;
        const struct j2k_resolution *top = &plan->resolution[tc->first_resolution + tc->resolution_count - 1U];
        const struct j2k_band *last = &plan->band[top->first_band + top->band_count - 1U];
        if (first)
            tile->first_block = plan->band[plan->resolution[tc->first_resolution].first_band].first_block;
        first = false;
        tile->block_count = last->first_block + last->block_count - tile->first_block;
    }
}

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
        kst_j2k_encode_set_run(tile, c, count, choice);
    }
}

/*
 * Return how many columns of the tile are encoded together: all of them if their rows take no more than a share of the
 * memory that is left, because coded bytes need room too.
 */
static uint32_t columns_of(struct j2k_encode_tile *tile)
{
    enum { SHARE = 2 };
    struct j2k_encoding *encoding = tile->encoding;
    const struct j2k_rect rect = tile->tile->rect;
    uint32_t threads = kst_pool_threads(encoding->pool), tiles = kst_j2k_encode_tiles_of(encoding).count;
    uint64_t room = kst_memory_left(encoding->memory) / SHARE / (tiles < threads ? tiles : threads), most = 0;
    for (uint32_t c = 0, count; c < tile->plan->component_count; c += count) {
        count = together(tile, c);
        uint64_t need = kst_j2k_encode_set_need(tile, c, count);
        most = need > most ? need : most;
    }
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

/* Tiles that are encoded side by side. */
struct tiles_turn {
    struct j2k_encoding *encoding;
    struct j2k_tiles tiles;
};

/* Coefficients are computed again after the sample was measured, which takes less memory than keeping all of them. */
static void encode_tile(void *argument, uint32_t index)
{
    const struct tiles_turn *turn = argument;
    struct j2k_encoding *encoding = turn->encoding;
    struct j2k_encode_tile tile;
    if (!kst_j2k_encode_goes_on(encoding))
        return;
    kst_j2k_encode_find_tile(encoding, turn->tiles.first + index, &tile);
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

/* Tiles of one row of them where the picture's rows come in order, so that no more of these need be kept. */
static void encode_tiles(struct j2k_encoding *encoding)
{
    const struct j2k_tiles all = kst_j2k_encode_tiles_of(encoding);
    uint32_t columns = encoding->coded->headers.size.columns, end = all.first + all.count;
    bool in_order = encoding->request->rows && encoding->request->rows->in_order;
    struct tiles_turn turn = {encoding, all};
    for (; turn.tiles.first < end; turn.tiles.first += turn.tiles.count) {
        uint32_t left = end - turn.tiles.first, row = columns - turn.tiles.first % columns;
        turn.tiles.count = in_order && row < left ? row : left;
        kst_pool_run(encoding->pool, turn.tiles.count, encode_tile, &turn);
    }
}

/* Return the largest number of bits by which coefficients exceed the planes of their bands. */
static uint32_t missing_planes(const struct j2k_encoding *encoding)
{
    const struct j2k_plan *plan = &encoding->coded->plan;
    struct block_range blocks = blocks_of(encoding);
    uint32_t most = 0;
    for (uint32_t b = blocks.first; b < blocks.end; b++) {
        uint32_t planes = plan->band[plan->block[b].band].planes, needed = encoding->result[b].planes;
        if (needed > planes && needed - planes > most)
            most = needed - planes;
    }
    return most;
}

/* Add guard bits. Returns false if a component cannot have that many more. */
static bool add_guard(const struct j2k_parameters *parameters, uint32_t components, uint32_t extra)
{
    for (uint32_t c = 0; c < components; c++)
        if (parameters->quantisation[c].guard + extra > GUARD_MAX)
            return false;
    for (uint32_t c = 0; c < components; c++)
        parameters->quantisation[c].guard = (uint8_t)(parameters->quantisation[c].guard + extra);
    return true;
}

/*
 * Give every band one more plane per guard bit that is missing. Tiles without parameters of their own share those of
 * the main header.
 */
static kst_status make_room(struct j2k_encoding *encoding, kst_report *report)
{
    struct j2k_coded *coded = encoding->coded;
    const struct j2k_parameters *main = &coded->headers.main;
    uint32_t extra = missing_planes(encoding), components = coded->headers.component_count;
    uint32_t tiles = coded->tile ? coded->headers.size.columns * coded->headers.size.rows : 0;
    encoding->encoded->extra = (uint8_t)extra;
    bool fine = extra == 0 || add_guard(main, components, extra);
    for (uint32_t t = 0; t < tiles && extra > 0 && fine; t++)
        if (coded->tile[t].quantisation != main->quantisation)
            fine = add_guard(&coded->tile[t], components, extra);
    if (!fine)
        return kst_report_error(
            report, KST_ERROR_IMAGE_DEPTH, KST_NO_OFFSET, "coefficients need %u guard bits more", (unsigned)extra);
    for (uint32_t b = 0; b < coded->plan.band_count && extra > 0; b++) {
        struct j2k_band *band = &coded->plan.band[b];
        band->magnitude = (uint8_t)(band->magnitude + extra);
        band->planes = (uint8_t)(band->planes + extra);
    }
    struct block_range blocks = blocks_of(encoding);
    for (uint32_t b = blocks.first; b < blocks.end; b++)
        coded->block[b].missing =
            (uint8_t)(coded->plan.band[coded->plan.block[b].band].planes - encoding->result[b].planes);
    return KST_OK;
}

bool kst_j2k_encode_take_passes(struct j2k_encoding *encoding, uint64_t count)
{
    struct j2k_encoded *encoded = encoding->encoded;
    if (count > UINT32_MAX) {
        kst_j2k_encode_fail(encoding, KST_ERROR_LIMIT_BLOCKS);
        return false;
    }
    encoded->pass_length = kst_j2k_encode_take(encoding, (size_t)count, sizeof *encoded->pass_length);
    if (encoding->request->measure)
        encoded->pass_gain = kst_j2k_encode_take(encoding, (size_t)count, sizeof *encoded->pass_gain);
    encoded->pass_count = (uint32_t)count;
    return encoded->pass_length && (!encoding->request->measure || encoded->pass_gain);
}

double kst_j2k_encode_unit(const struct j2k_encoding *encoding, uint32_t block)
{
    uint32_t band = encoding->coded->plan.block[block].band;
    double half = encoding->coded->plan.band[band].step / 2;
    return encoding->request->measure ? encoding->request->weight[band] * half * half : 0;
}

static void join_block(struct j2k_encoding *encoding, uint32_t b, uint32_t first)
{
    struct j2k_encoded *encoded = encoding->encoded;
    const struct j2k_pass *pass = encoding->result[b].pass;
    const uint32_t *length = encoding->result[b].length;
    double unit = kst_j2k_encode_unit(encoding, b);
    encoding->coded->block[b].first_pass = first;
    if (encoding->request->keeper)
        kst_j2k_encode_fetch_lengths(encoding, b, &encoded->pass_length[first]);
    for (uint32_t i = 0; i < encoding->coded->block[b].passes; i++) {
        if (pass && encoding->request->measure)
            encoded->pass_gain[first + i] = pass[i].gain * unit;
        if (pass || length)
            encoded->pass_length[first + i] = pass ? pass[i].length : length[i];
    }
}

/* Collect the passes of all blocks in one array, unless they are already in it. */
static void join_passes(struct j2k_encoding *encoding)
{
    struct j2k_encoded *encoded = encoding->encoded;
    struct block_range blocks = blocks_of(encoding);
    uint64_t total = 0;
    for (uint32_t b = blocks.first; b < blocks.end; b++)
        total += encoding->coded->block[b].passes;
    if (!encoded->pass_length) {
        if (!kst_j2k_encode_take_passes(encoding, total))
            return;
        uint32_t first = 0;
        for (uint32_t b = blocks.first; b < blocks.end; first += encoding->coded->block[b++].passes)
            join_block(encoding, b, first);
    }
    for (uint32_t b = blocks.first; b < blocks.end; b++)
        encoded->error += 4 * kst_j2k_encode_unit(encoding, b) * encoding->result[b].error;
    encoding->coded->pass_length = encoded->pass_length;
}

kst_status kst_j2k_encode_start(struct j2k_encoding *encoding, kst_report *report)
{
    *encoding->encoded = (struct j2k_encoded){.chunk = NULL};
    atomic_init(&encoding->status, KST_OK);
    if (pthread_mutex_init(&encoding->shared, NULL) != 0)
        return kst_report_error(report, KST_ERROR_THREAD, KST_NO_OFFSET, NULL);
    encoding->result = kst_j2k_encode_take(encoding, encoding->coded->plan.block_count, sizeof *encoding->result);
    return KST_OK;
}

kst_status kst_j2k_encode_finish(struct j2k_encoding *encoding, kst_report *report)
{
    kst_status status = KST_OK;
    if (kst_j2k_encode_goes_on(encoding))
        status = make_room(encoding, report);
    if (!status && kst_j2k_encode_goes_on(encoding))
        join_passes(encoding);
    if (!status && !kst_j2k_encode_goes_on(encoding))
        status = kst_report_error(report, (kst_status)atomic_load(&encoding->status), KST_NO_OFFSET, NULL);
    kst_memory_release(encoding->memory, encoding->result);
    pthread_mutex_destroy(&encoding->shared);
    if (status)
        kst_j2k_encoded_release(encoding->memory, encoding->encoded);
    return status;
}

kst_status kst_j2k_cpu_encode(const struct operation *op, struct j2k_coded *coded,
    const struct j2k_encode_request *request, struct j2k_encoded *encoded)
{
    struct j2k_encoding encoding = {
        .memory = op->memory, .pool = op->pool, .coded = coded, .request = request, .encoded = encoded};
    kst_status status = kst_j2k_encode_start(&encoding, op->report);
    if (status)
        return status;
    kst_j2k_forward_init(&encoding.forward, op->tier);
    encoding.tier = op->tier;
    if (encoding.result)
        encode_tiles(&encoding);
    kst_j2k_encode_drop_workers(&encoding);
    return kst_j2k_encode_finish(&encoding, op->report);
}

void kst_j2k_encoded_release(struct memory *memory, struct j2k_encoded *encoded)
{
    kst_j2k_encoded_chunks_release(memory, encoded);
    kst_memory_release(memory, encoded->pass_length);
    kst_memory_release(memory, encoded->pass_gain);
    encoded->pass_length = NULL;
    encoded->pass_gain = NULL;
}
