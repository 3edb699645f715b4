/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the results of code-blocks while a picture is encoded, and then does what has to wait for all of them: guard
 * bits and the list of passes.
 */
#include "j2k/rate/encoding.h"

#include "core/report.h"
#include "j2k/syntax/geometry.h"

enum { GUARD_MAX = 7, ALIGNMENT = 8 };

/* Describes a piece of memory for coded bytes and passes; all pieces are released together. */
struct j2k_encoded_chunk {
    struct j2k_encoded_chunk *next;
    size_t used, length; /* in bytes of `words` */
    uint64_t words[];
};

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

/* Holds the blocks of the tiles to be coded: from `first` up to, but not including, `end`. */
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

void *kst_j2k_encode_keep(struct j2k_encoding *encoding, struct j2k_encoded_chunk **filling, size_t length)
{
    struct j2k_encoded_chunk *chunk = *filling;
    length = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!chunk || chunk->length - chunk->used < length) {
        size_t room = length > J2K_ENCODED_CHUNK ? length : J2K_ENCODED_CHUNK;
        chunk = kst_j2k_encode_take(encoding, sizeof *chunk + room, 1);
        if (!chunk)
            return NULL;
        chunk->used = 0;
        chunk->length = room;
        pthread_mutex_lock(&encoding->shared);
        chunk->next = encoding->encoded->chunk;
        encoding->encoded->chunk = chunk;
        pthread_mutex_unlock(&encoding->shared);
        *filling = chunk;
    }
    void *kept = (char *)chunk->words + chunk->used;
    chunk->used += length;
    return kept;
}

struct j2k_rect kst_j2k_region_in_band(const struct j2k_encoding *encoding, const struct j2k_band *band)
{
    const struct j2k_plan *plan = &encoding->coded->plan;
    const struct j2k_tile_component *tc = &plan->tile_component[band->tile_component];
    const struct j2k_component *component = &plan->component[band->tile_component % plan->component_count];
    uint32_t margin = tc->reversible ? 2 : 4;
    struct j2k_rect region = kst_j2k_divide(encoding->request->region, component->dx, component->dy);
    const struct j2k_resolution *resolution = &plan->resolution[tc->first_resolution];
    for (uint32_t r = tc->levels;; r--) {
        if (r == 0 || &plan->band[resolution[r].first_band] <= band) {
            region = r == 0 ? region : kst_j2k_enlarge(region, margin, resolution[r].rect);
            return r == 0 ? region : kst_j2k_band_of(region, band->orientation & 1U, band->orientation >> 1);
        }
        region = kst_j2k_band_of(kst_j2k_enlarge(region, margin, resolution[r].rect), 0, 0);
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
            (uint8_t)(coded->plan.band[coded->plan.block[b].band].planes - encoding->result[b].top);
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

static void fetch_lengths(struct j2k_encoding *encoding, uint32_t index, uint32_t *length)
{
    const kst_writer *keeper = encoding->request->keeper;
    const struct j2k_block_code *block = &encoding->coded->block[index];
    uint64_t offset = block->kept + encoding->result[index].kept;
    if (block->passes > 0 && !keeper->fetch(keeper->user, offset, length, block->passes * sizeof *length))
        kst_j2k_encode_fail(encoding, KST_ERROR_WRITE);
}

static void join_block(struct j2k_encoding *encoding, uint32_t b, uint32_t first)
{
    struct j2k_encoded *encoded = encoding->encoded;
    const struct j2k_pass *pass = encoding->result[b].pass;
    const uint32_t *length = encoding->result[b].length;
    double unit = kst_j2k_encode_unit(encoding, b);
    encoding->coded->block[b].first_pass = first;
    if (encoding->request->keeper)
        fetch_lengths(encoding, b, &encoded->pass_length[first]);
    for (uint32_t i = 0; i < encoding->coded->block[b].passes; i++) {
        if (pass && encoding->request->measure)
            encoded->pass_gain[first + i] = pass[i].gain * unit;
        if (pass || length)
            encoded->pass_length[first + i] = pass ? pass[i].length : length[i];
    }
}

/* Make room for the sets that will be chosen. */
static void place_candidates(struct j2k_encoding *encoding)
{
    const uint32_t blocks = encoding->coded->plan.block_count;
    if (!kst_j2k_encode_take_passes(encoding, (uint64_t)J2K_SET_PASSES * blocks))
        return;
    for (uint32_t b = 0; b < blocks; b++)
        encoding->coded->block[b].first_pass = J2K_SET_PASSES * b;
}

/* Collect the passes of all blocks in one array, unless they are already in it. */
static void join_passes(struct j2k_encoding *encoding)
{
    struct j2k_encoded *encoded = encoding->encoded;
    struct block_range blocks = blocks_of(encoding);
    uint64_t total = 0;
    if (encoded->candidates)
        place_candidates(encoding);
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
    if (encoding->request->candidates > 0)
        encoding->encoded->candidates =
            kst_j2k_encode_take(encoding, encoding->coded->plan.block_count, sizeof *encoding->encoded->candidates);
    if (encoding->request->count)
        encoding->encoded->counted =
            kst_j2k_encode_take(encoding, encoding->coded->plan.block_count, sizeof *encoding->encoded->counted);
    return KST_OK;
}

static void release_chunks(struct memory *memory, struct j2k_encoded *encoded)
{
    while (encoded->chunk) {
        struct j2k_encoded_chunk *next = encoded->chunk->next;
        kst_memory_release(memory, encoded->chunk);
        encoded->chunk = next;
    }
}

void kst_j2k_encoded_release(struct memory *memory, struct j2k_encoded *encoded)
{
    release_chunks(memory, encoded);
    kst_memory_release(memory, encoded->pass_length);
    kst_memory_release(memory, encoded->pass_gain);
    kst_memory_release(memory, encoded->candidates);
    kst_memory_release(memory, encoded->counted);
    encoded->candidates = NULL;
    encoded->counted = NULL;
    encoded->pass_length = NULL;
    encoded->pass_gain = NULL;
}

/* Release the results and, after a failure, what was encoded. Returns the first failure. */
static kst_status end(struct j2k_encoding *encoding, kst_status status, kst_report *report)
{
    if (!status && !kst_j2k_encode_goes_on(encoding))
        status = kst_report_error(report, (kst_status)atomic_load(&encoding->status), KST_NO_OFFSET, NULL);
    kst_memory_release(encoding->memory, encoding->result);
    pthread_mutex_destroy(&encoding->shared);
    if (status)
        kst_j2k_encoded_release(encoding->memory, encoding->encoded);
    return status;
}

kst_status kst_j2k_encode_leave(struct j2k_encoding *encoding, kst_report *report)
{
    return end(encoding, KST_OK, report);
}

kst_status kst_j2k_encode_finish(struct j2k_encoding *encoding, kst_report *report)
{
    kst_status status = KST_OK;
    if (encoding->request->count) /* there are no passes */
        return end(encoding, status, report);
    if (kst_j2k_encode_goes_on(encoding))
        status = make_room(encoding, report);
    if (!status && kst_j2k_encode_goes_on(encoding))
        join_passes(encoding);
    return end(encoding, status, report);
}
