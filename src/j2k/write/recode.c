/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the packets of a stream into a coded image. The bytes of a code-block stay where they are, unless they are in
 * several packets, in which case they are copied.
 */
#include "j2k/write/recode.h"

#include <string.h>

#include "j2k/packets/builder.h"
#include "j2k/syntax/allowance.h"
#include "j2k/syntax/parser.h"
#include "j2k/write/recode_headers.h"

/* Holds the state while a stream is read. */
struct stream_recoding {
    struct j2k_builder builder;
    struct j2k_plan plan; /* plan of the source, without blocks */
    struct j2k_recoded *recoded;
    const struct j2k_recoding *wanted;
    size_t data_length, data_room;
    bool relayered; /* the layers of the source are not kept */
};

static kst_status add_passes(struct stream_recoding *recoding, uint32_t count, uint32_t length)
{
    struct j2k_recoded *recoded = recoding->recoded;
    for (uint32_t i = 0; i < count; i++) {
        kst_status status = kst_j2k_grow(recoding->builder.memory, recoding->builder.report,
            (void **)&recoded->pass_length, recoded->pass_count, &recoded->pass_capacity, sizeof *recoded->pass_length);
        if (status)
            return status;
        recoded->pass_length[recoded->pass_count++] = length;
    }
    return KST_OK;
}

/*
 * Add the passes of a contribution. In T.814, passes in front of the first HT set have no bytes, so that the bytes
 * belong to the cleanup pass alone, which then is the last pass.
 */
static kst_status add_contribution(struct stream_recoding *recoding, const struct j2k_block_state *state,
    uint32_t before, uint32_t passes, uint32_t start, uint32_t length)
{
    const uint32_t idle = state->coder == J2K_HT && (before + passes) % 3 == 1 ? passes - 1 : 0;
    kst_status status = add_passes(recoding, idle, start);
    return status ? status : add_passes(recoding, passes - idle, length);
}

static void note_origin(
    struct stream_recoding *recoding, const struct j2k_block_state *state, uint32_t index, uint8_t style)
{
    const uint16_t layers = recoding->wanted->layers;
    if (recoding->recoded->origin)
        recoding->recoded->origin[index] =
            (struct j2k_block_origin){.offset = recoding->builder.contribution[state->first - 1].offset,
                .style = style,
                .coder = state->coder,
                .cut = layers > 0 && layers < recoding->builder.in_force.layers};
}

static void warn(struct stream_recoding *recoding)
{
    const struct j2k_stream *stream = recoding->builder.stream;
    uint64_t place = stream->part[stream->tile_part[recoding->builder.tile]].offset;
    kst_report_warning(recoding->builder.report, KST_WARNING_J2K_BLOCK, place, 1, false);
}

/* Take over what the packets contain about a block. `layers` is the number of layers of its tile in the coded image. */
static kst_status take_block(struct stream_recoding *recoding, const struct j2k_block_state *state, uint8_t style,
    uint32_t index, uint32_t layers)
{
    struct j2k_coded *coded = &recoding->recoded->coded;
    struct j2k_block_code *block = &coded->block[index];
    uint8_t *layer_passes = recoding->recoded->layer_passes + (size_t)index * coded->layers;
    uint32_t planes = coded->plan.band[coded->plan.block[index].band].planes, length = 0;
    if (state->missing >= planes) {
        warn(recoding);
        return KST_OK;
    }
    *block = (struct j2k_block_code){.data = recoding->recoded->data + recoding->data_length,
        .first_pass = recoding->recoded->pass_count,
        .missing = state->missing};
    note_origin(recoding, state, index, style);
    uint32_t room = 3 * (planes - state->missing) - 2;
    for (uint32_t i = state->first; i != J2K_NO_INDEX;) {
        const struct j2k_contribution *c = &recoding->builder.contribution[i - 1];
        uint32_t passes = c->passes < room - block->passes ? c->passes : room - block->passes;
        if (passes < c->passes)
            warn(recoding);
        if (passes == 0)
            break;
        /* Damaged packets may refer to the same bytes repeatedly, and the lengths that are written have 32 bits. */
        if (c->length > recoding->data_room - recoding->data_length || c->length > UINT32_MAX - length) {
            warn(recoding);
            break;
        }
        const uint8_t *bytes = recoding->builder.stream->data + c->offset;
        if (i == state->first && c->next == J2K_NO_INDEX)
            block->data = bytes; /* all bytes are in one piece */
        else
            memcpy(recoding->recoded->data + recoding->data_length, bytes, c->length);
        recoding->data_length += c->length;
        kst_status status = add_contribution(recoding, state, block->passes, passes, length, length + c->length);
        length += c->length;
        block->passes = (uint8_t)(block->passes + passes);
        if (status)
            return status;
        if (!recoding->relayered)
            memset(layer_passes + c->layer, block->passes, layers - c->layer);
        i = c->next;
    }
    return KST_OK;
}

static kst_status take_precinct(struct stream_recoding *recoding, const struct j2k_precinct_state *state, uint8_t style,
    const struct j2k_coded_precinct *place, uint32_t layers)
{
    for (uint32_t b = 0; b < 3; b++) {
        const struct j2k_precinct_band *band = &state->band[b];
        for (uint32_t i = 0; i < band->columns * band->rows; i++) {
            if (band->block[i].first == J2K_NO_INDEX)
                continue;
            kst_status status = take_block(recoding, &band->block[i], style, place->first_block[b] + i, layers);
            if (status)
                return status;
        }
    }
    return KST_OK;
}

/*
 * Take over the current tile, whose packets have been read. Those of its resolutions that are kept have the same
 * precincts in the coded image.
 */
static kst_status collect(struct j2k_builder *builder)
{
    struct stream_recoding *recoding = builder->collector;
    const struct j2k_coded *coded = &recoding->recoded->coded;
    const struct j2k_coded_tile *tile = &coded->tiles[builder->tile];
    uint32_t layers = kst_j2k_coded_parameters(coded, builder->tile)->layers;
    for (uint32_t c = 0; c < coded->headers.component_count; c++) {
        uint32_t from = builder->component_grid[j2k_recoded_component(recoding->wanted, c)], to = tile->first_grid;
        const uint32_t *grids = coded->component_grid + tile->first_component_grid + c;
        to += grids[0];
        for (uint32_t r = 0; r < grids[1] - grids[0]; r++) {
            const struct j2k_grid *source = &builder->grid[from + r], *target = &coded->grid[to + r];
            for (uint32_t p = 0; p < source->columns * source->rows; p++) {
                const struct j2k_precinct_state *state = builder->precinct[source->first_precinct + p].state;
                uint32_t place = tile->first_precinct + target->first_precinct + p;
                kst_status status =
                    state ? take_precinct(recoding, state, source->style, &coded->precinct[place], layers) : KST_OK;
                if (status)
                    return status;
            }
        }
    }
    return KST_OK;
}

/*
 * Allocate memory for the bytes of all code-blocks, for which tile-parts have no bytes in common, and for the blocks'
 * passes in each layer.
 */
static kst_status reserve(struct stream_recoding *recoding)
{
    struct j2k_recoded *recoded = recoding->recoded;
    const struct j2k_stream *stream = recoding->builder.stream;
    struct memory *memory = recoding->builder.memory;
    kst_status status = KST_OK;
    uint64_t total = 0;
    uint64_t layers = (uint64_t)recoded->coded.plan.block_count * recoded->coded.layers;
    if (layers > kst_j2k_allowance(recoding->builder.limits, J2K_ASKED_LAYERS, stream))
        return kst_report_error(recoding->builder.report, KST_ERROR_LIMIT_WORK, KST_NO_OFFSET,
            "%u layers of %u code-blocks", recoded->coded.layers, (unsigned)recoded->coded.plan.block_count);
    for (uint32_t i = 0; i < stream->part_count; i++)
        total += stream->part[i].body_length;
    recoding->data_room = (size_t)total;
    recoded->data = kst_memory_array(memory, recoding->data_room, 1, &status);
    recoded->layer_passes = kst_memory_zeroed(memory, recoded->coded.plan.block_count, recoded->coded.layers, &status);
    if (recoding->wanted->ht >= 0)
        recoded->origin = kst_memory_zeroed(memory, recoded->coded.plan.block_count, sizeof *recoded->origin, &status);
    return status ? kst_report_error(recoding->builder.report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

static kst_status read(struct stream_recoding *recoding)
{
    kst_status status = reserve(recoding);
    if (!status)
        status = kst_j2k_builder_run(&recoding->builder);
    kst_j2k_plan_release(recoding->builder.memory, &recoding->plan);
    recoding->recoded->coded.pass_length = recoding->recoded->pass_length;
    recoding->recoded->coded.layer_passes = recoding->recoded->layer_passes;
    return status;
}

kst_status kst_j2k_recode(const struct operation *op, const struct j2k_stream *stream,
    const struct j2k_recoding *wanted, struct j2k_recoded *recoded)
{
    const struct j2k_filter filter = {.layers = wanted->layers, .reduce = wanted->reduce};
    const kst_limits narrow = kst_j2k_narrow(op->limits, stream, true);
    struct operation narrowed = *op;
    narrowed.limits = &narrow;
    struct stream_recoding recoding = {.recoded = recoded,
        .wanted = wanted,
        .relayered = wanted->make > 0,
        .builder = {.collect = collect,
            .memory = op->memory,
            .limits = &narrow,
            .stream = stream,
            .filter = &filter,
            .report = op->report}};
    recoding.builder.plan = &recoding.plan;
    recoding.builder.collector = &recoding;
    *recoded = (struct j2k_recoded){.data = NULL};
    kst_status status = kst_j2k_recode_headers(&narrowed, stream, wanted, recoded);
    if (!status)
        status = kst_j2k_coded_layout(&narrowed, &recoded->coded);
    if (!status)
        status = read(&recoding);
    if (status)
        kst_j2k_recoded_release(op->memory, recoded);
    return status;
}

void kst_j2k_recoded_release(struct memory *memory, struct j2k_recoded *recoded)
{
    uint32_t tiles = recoded->coded.headers.size.columns * recoded->coded.headers.size.rows;
    for (uint32_t t = 0; recoded->tile && t < tiles; t++)
        if (recoded->tile[t].coding != recoded->coded.headers.main.coding)
            kst_j2k_parameters_release(memory, &recoded->tile[t]);
    kst_memory_release(memory, recoded->tile);
    kst_j2k_parameters_release(memory, &recoded->coded.headers.main);
    kst_j2k_coded_release(memory, &recoded->coded);
    kst_memory_release(memory, recoded->component);
    kst_memory_release(memory, recoded->data);
    kst_memory_release(memory, recoded->pass_length);
    kst_memory_release(memory, recoded->layer_passes);
    kst_memory_release(memory, recoded->origin);
    while (recoded->bytes) {
        struct j2k_recoded_bytes *next = recoded->bytes->next;
        kst_memory_release(memory, recoded->bytes);
        recoded->bytes = next;
    }
    memset(recoded, 0, sizeof *recoded);
}
