/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts the packets of a coded image in order, and divides them into tile-parts. */
#include "j2k/write/sequence.h"

#include <string.h>

#include "j2k/packets/progression.h"
#include "j2k/syntax/parser.h"
#include "j2k/write/packet_headers.h"

/* Holds the state while a sequence is made. */
struct sequence_making {
    struct memory *memory;
    const struct j2k_coded *coded;
    const struct j2k_writing *writing;
    const struct j2k_packet_headers *headers; /* null: lengths and headers are not needed */
    struct j2k_sequence *sequence;
    kst_report *report;
    kst_status status;
    uint32_t packet_capacity, part_capacity;
    uint16_t *sent; /* for each precinct of the tiles, the number of layers so far */
    uint32_t first_precinct;

    /* The members from here on belong to the current tile. */
    uint32_t tile, parts, packets_before;
    const struct j2k_grid *grid; /* grid of the previous packet */
    uint32_t layer;
};

static bool starts_part(const struct sequence_making *making, const struct j2k_grid *grid, uint32_t layer)
{
    uint8_t division = making->writing->division;
    if (making->parts == 0)
        return true;
    return (division & KST_J2K_DIVIDE_RESOLUTION && grid->resolution != making->grid->resolution) ||
           (division & KST_J2K_DIVIDE_LAYER && layer != making->layer) ||
           (division & KST_J2K_DIVIDE_COMPONENT && grid->component != making->grid->component);
}

static kst_status add_part(struct sequence_making *making)
{
    struct j2k_sequence *sequence = making->sequence;
    if (making->parts == J2K_PARTS_MAX)
        return kst_report_error(making->report, KST_ERROR_OPTIONS, KST_NO_OFFSET,
            "tile %u would be divided into more than 255 tile-parts", (unsigned)making->tile);
    kst_status status = kst_j2k_grow(making->memory, making->report, (void **)&sequence->part, sequence->part_count,
        &making->part_capacity, sizeof *sequence->part);
    if (!status)
        sequence->part[sequence->part_count++] = (struct j2k_sent_part){
            .tile = making->tile, .first_packet = sequence->packet_count, .index = (uint8_t)making->parts++};
    return status;
}

static kst_status add_packet(
    struct sequence_making *making, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer)
{
    struct j2k_sequence *sequence = making->sequence;
    struct j2k_sent_packet packet = {
        .precinct = precinct, .layer = (uint16_t)layer, .header = sequence->headers.length};
    kst_status status = starts_part(making, grid, layer) ? add_part(making) : KST_OK;
    if (!status)
        status = kst_j2k_grow(making->memory, making->report, (void **)&sequence->packet, sequence->packet_count,
            &making->packet_capacity, sizeof *sequence->packet);
    if (status)
        return status;
    if (making->headers) {
        const uint8_t *bytes;
        const struct j2k_packet_header *header = kst_j2k_packet_header_find(making->headers, precinct, layer, &bytes);
        packet.header_length = header->length;
        packet.body = header->body;
        kst_sink_bytes(&sequence->headers, bytes, header->length);
    }
    sequence->packet[sequence->packet_count++] = packet;
    sequence->part[sequence->part_count - 1].packet_count++;
    making->grid = grid;
    making->layer = layer;
    return sequence->headers.status
               ? kst_report_error(making->report, sequence->headers.status, KST_NO_OFFSET, "for packet headers")
               : KST_OK;
}

static bool visit(void *argument, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer)
{
    struct sequence_making *making = argument;
    uint32_t index = making->coded->tiles[making->tile].first_precinct + grid->first_precinct + precinct;
    uint16_t *sent = &making->sent[index - making->first_precinct];
    if (*sent > layer) /* an earlier volume had this packet */
        return true;
    ++*sent;
    making->status = add_packet(making, grid, index, layer);
    return !making->status;
}

static kst_status walk(struct sequence_making *making, const struct j2k_volume *volume)
{
    const struct j2k_coded *coded = making->coded;
    const struct j2k_coded_tile *tile = &coded->tiles[making->tile];
    struct j2k_builder builder = {.memory = making->memory,
        .stream = &coded->headers,
        .report = making->report,
        .rect = coded->plan.tile[making->tile].rect,
        .grid = coded->grid + tile->first_grid,
        .grid_count = tile->grid_count,
        .component_grid = coded->component_grid + tile->first_component_grid};
    kst_status status = kst_j2k_walk(&builder, volume, visit, making);
    return status ? status : making->status;
}

/* Check that no packet of the tile is missing. */
static kst_status check_sent(const struct sequence_making *making)
{
    const struct j2k_coded_tile *tile = &making->coded->tiles[making->tile];
    uint16_t layers = kst_j2k_coded_parameters(making->coded, making->tile)->layers;
    for (uint32_t p = 0; p < tile->precinct_count; p++)
        if (making->sent[tile->first_precinct - making->first_precinct + p] < layers)
            return kst_report_error(making->report, KST_ERROR_J2K_PROGRESSION, KST_NO_OFFSET,
                "tile %u: packets are left out", (unsigned)making->tile);
    return KST_OK;
}

static kst_status add_tile(struct sequence_making *making)
{
    const struct j2k_parameters *parameters = kst_j2k_coded_parameters(making->coded, making->tile);
    struct j2k_sequence *sequence = making->sequence;
    const struct j2k_volume all = {.progression = parameters->progression,
        .r1 = J2K_RESOLUTIONS,
        .layers = parameters->layers,
        .c1 = making->coded->headers.component_count};
    kst_status status = KST_OK;
    uint32_t first_part = sequence->part_count;
    making->parts = 0;
    sequence->tile_packet[making->tile - sequence->tiles.first] = sequence->packet_count;
    for (uint32_t i = 0; i < (parameters->volume_count ? parameters->volume_count : 1) && !status; i++) {
        struct j2k_volume volume = parameters->volume_count ? parameters->volume[i] : all;
        if (volume.layers > parameters->layers)
            volume.layers = parameters->layers;
        status = walk(making, &volume);
    }
    if (!status)
        status = check_sent(making);
    /* Without packets the tile gets an empty tile-part, because B.3 requires that each tile exists. */
    if (!status && making->parts == 0)
        status = add_part(making);
    for (uint32_t i = first_part; i < sequence->part_count; i++)
        sequence->part[i].count = (uint8_t)making->parts;
    return status;
}

/* Reorder the tile-parts: the first one of every tile, then the second ones, and so on. */
static kst_status interleave(struct sequence_making *making)
{
    struct j2k_sequence *sequence = making->sequence;
    kst_status status = KST_OK;
    struct j2k_sent_part *other = kst_memory_array(making->memory, sequence->part_count, sizeof *other, &status);
    if (!other)
        return kst_report_error(making->report, status, KST_NO_OFFSET, NULL);
    uint32_t start[J2K_PARTS_MAX + 1] = {0};
    for (uint32_t i = 0; i < sequence->part_count; i++)
        start[sequence->part[i].index + 1]++;
    for (uint32_t i = 1; i <= J2K_PARTS_MAX; i++)
        start[i] += start[i - 1];
    for (uint32_t i = 0; i < sequence->part_count; i++)
        other[start[sequence->part[i].index]++] = sequence->part[i];
    kst_memory_release(making->memory, sequence->part);
    sequence->part = other;
    return KST_OK;
}

kst_status kst_j2k_sequence_make(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, const struct j2k_tiles *tiles, struct j2k_packets *packets,
    struct j2k_sequence *sequence)
{
    struct j2k_packet_headers headers = {.shares = 0};
    struct sequence_making making = {.memory = op->memory,
        .coded = coded,
        .writing = writing,
        .headers = packets ? &headers : NULL,
        .sequence = sequence,
        .report = op->report};
    const struct j2k_tiles all = {0, coded->plan.tile_count};
    kst_status status = KST_OK;
    *sequence = (struct j2k_sequence){.tiles = tiles ? *tiles : all};
    struct j2k_span precincts = kst_j2k_coded_precincts(coded, sequence->tiles);
    uint32_t end = sequence->tiles.first + sequence->tiles.count;
    kst_sink_init(&sequence->headers, op->memory);
    sequence->tile_packet = kst_memory_array(op->memory, sequence->tiles.count, sizeof *sequence->tile_packet, &status);
    making.sent = kst_memory_zeroed(op->memory, precincts.count, sizeof *making.sent, &status);
    making.first_precinct = precincts.first;
    if (status)
        kst_report_error(op->report, status, KST_NO_OFFSET, "for the order of packets");
    else if (packets)
        status = kst_j2k_packet_headers_write(op, coded, packets, sequence->tiles, &headers);
    for (making.tile = sequence->tiles.first; making.tile < end && !status; making.tile++)
        status = add_tile(&making);
    if (!status && writing->part_by_part)
        status = interleave(&making);
    kst_j2k_packet_headers_release(op->memory, &headers);
    kst_memory_release(op->memory, making.sent);
    return status;
}

void kst_j2k_sequence_release(struct memory *memory, struct j2k_sequence *sequence)
{
    kst_memory_release(memory, sequence->packet);
    kst_memory_release(memory, sequence->part);
    kst_memory_release(memory, sequence->tile_packet);
    kst_sink_release(&sequence->headers);
    memset(sequence, 0, sizeof *sequence);
}
