/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the headers of tile-parts, with PLT and PPT, and writes the tile-parts with their packets. */
#include "j2k/write/part_writer.h"

#include "core/report.h"
#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"
#include "j2k/write/marker_writer.h"
#include "j2k/write/packed_writer.h"
#include "j2k/write/packet_writer.h"

enum {
    LENGTHS_SEGMENTS = 256,
    LENGTH_AT = 6,      /* offset of Psot in SOT */
    BODIES_FIRST = 1024 /* initial room for the list of left-out bytes of code-blocks */
};

/* Holds the state while tile-parts are made. */
struct parts_making {
    struct memory *memory;
    struct j2k_tile_parts *parts;
    kst_report *report;
    uint16_t *packed; /* for each tile, the number of PPT segments so far */
};

uint64_t kst_j2k_packet_bytes(
    const struct j2k_parameters *parameters, const struct j2k_sent_packet *packet, bool packed)
{
    uint64_t header = packed ? 0 : packet->header_length + (parameters->eph ? J2K_EPH_BYTES : 0);
    return header + packet->body + (parameters->sop ? J2K_SOP_BYTES : 0);
}

static void put_length(struct sink *sink, uint64_t length)
{
    for (uint32_t i = kst_j2k_length_bytes(length); i-- > 0;)
        kst_sink_u8(sink, (uint8_t)((length >> 7 * i & 0x7F) | (i > 0 ? 0x80 : 0)));
}

/* Write PLT. No length is split between two segments. */
static kst_status put_lengths(struct parts_making *making, const struct j2k_sent_part *part)
{
    struct j2k_tile_parts *parts = making->parts;
    const struct j2k_parameters *parameters = kst_j2k_coded_parameters(parts->coded, part->tile);
    struct sink *sink = &parts->headers;
    size_t begin = 0;
    uint32_t index = 0;
    for (uint32_t i = 0; i < part->packet_count; i++) {
        uint64_t length = kst_j2k_packet_bytes(
            parameters, &parts->sequence.packet[part->first_packet + i], parts->wanted->packed != 0);
        if (begin > 0 && sink->length - begin - 1 + kst_j2k_length_bytes(length) > J2K_LENGTHS_ROOM) {
            kst_j2k_segment_end(sink, begin);
            begin = 0;
        }
        if (begin == 0) {
            if (index == LENGTHS_SEGMENTS)
                return kst_report_error(
                    making->report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "more packets than PLT has room for");
            begin = kst_j2k_segment_begin(sink, J2K_PLT);
            kst_sink_u8(sink, (uint8_t)index++);
        }
        put_length(sink, length);
    }
    if (begin > 0)
        kst_j2k_segment_end(sink, begin);
    return KST_OK;
}

/* Add up the bytes of header and packets, and set Psot to the sum. */
static kst_status set_length(
    struct parts_making *making, const struct j2k_sent_part *part, struct j2k_part_frame *frame)
{
    struct j2k_tile_parts *parts = making->parts;
    const struct j2k_parameters *parameters = kst_j2k_coded_parameters(parts->coded, part->tile);
    uint64_t length = parts->headers.length - frame->at;
    if (parts->headers.status)
        return kst_report_error(making->report, parts->headers.status, KST_NO_OFFSET, "while writing");
    frame->header = (uint32_t)length;
    for (uint32_t i = 0; i < part->packet_count; i++)
        length += kst_j2k_packet_bytes(
            parameters, &parts->sequence.packet[part->first_packet + i], parts->wanted->packed != 0);
    if (length > UINT32_MAX)
        return kst_report_error(making->report, KST_ERROR_OPTIONS, KST_NO_OFFSET,
            "a tile-part of %llu bytes: divide it, or use smaller tiles", (unsigned long long)length);
    frame->length = (uint32_t)length;
    j2k_put32(parts->headers.data + frame->at + LENGTH_AT, frame->length);
    parts->bytes += length;
    return KST_OK;
}

static kst_status make_part(struct parts_making *making, uint32_t index)
{
    struct j2k_tile_parts *parts = making->parts;
    const struct j2k_sent_part *part = &parts->sequence.part[index];
    struct j2k_part_frame *frame = &parts->frame[index];
    struct sink *sink = &parts->headers;
    kst_status status = KST_OK;
    frame->at = sink->length;
    kst_sink_u16(sink, 0xFF00U | J2K_SOT);
    kst_sink_u16(sink, J2K_SOT_BYTES - 2);
    kst_sink_u16(sink, (uint16_t)part->tile);
    kst_sink_u32(sink, 0);
    kst_sink_u8(sink, part->index);
    kst_sink_u8(sink, part->count);
    if (part->index == 0)
        kst_j2k_put_tile_header(sink, parts->coded, part->tile);
    if (parts->wanted->packet_lengths)
        status = put_lengths(making, part);
    if (!status && parts->wanted->packed == KST_J2K_HEADERS_PPT)
        status = kst_j2k_put_packed_part(sink, parts->coded, &parts->sequence, index,
            &making->packed[part->tile - parts->sequence.tiles.first], making->report);
    kst_sink_u16(sink, 0xFF00U | J2K_SOD);
    return status ? status : set_length(making, part, frame);
}

static kst_status make_parts(struct parts_making *making)
{
    struct j2k_tile_parts *parts = making->parts;
    kst_status status = KST_OK;
    making->packed = kst_memory_zeroed(making->memory, parts->sequence.tiles.count, sizeof *making->packed, &status);
    parts->frame = kst_memory_array(making->memory, parts->sequence.part_count, sizeof *parts->frame, &status);
    if (status)
        kst_report_error(making->report, status, KST_NO_OFFSET, NULL);
    for (uint32_t i = 0; i < parts->sequence.part_count && !status; i++)
        status = make_part(making, i);
    kst_memory_release(making->memory, making->packed);
    return status;
}

kst_status kst_j2k_tile_parts_make(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, struct j2k_tiles tiles, struct j2k_packets *packets,
    struct j2k_tile_parts *parts)
{
    struct parts_making making = {.memory = op->memory, .parts = parts, .report = op->report};
    *parts = (struct j2k_tile_parts){.coded = coded, .wanted = writing};
    kst_sink_init(&parts->headers, op->memory);
    kst_status status = kst_j2k_sequence_make(op, coded, writing, &tiles, packets, &parts->sequence);
    return status ? status : make_parts(&making);
}

kst_status kst_j2k_tile_parts_around(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, uint64_t bytes, struct j2k_tile_parts *parts)
{
    struct parts_making making = {.memory = op->memory, .parts = parts, .report = op->report};
    *parts = (struct j2k_tile_parts){.coded = coded, .wanted = writing};
    kst_sink_init(&parts->headers, op->memory);
    kst_status status = kst_j2k_sequence_make(op, coded, writing, NULL, NULL, &parts->sequence);
    if (status)
        return status;
    parts->sequence.packet->body = bytes; /* the lengths of single packets are not needed */
    return make_parts(&making);
}

void kst_j2k_tile_parts_release(struct memory *memory, struct j2k_tile_parts *parts)
{
    kst_memory_release(memory, parts->frame);
    kst_sink_release(&parts->headers);
    kst_j2k_sequence_release(memory, &parts->sequence);
    parts->frame = NULL;
}

/* Leave out bytes of a block, and note that they belong at the end of what has been written. */
static void add_body(struct j2k_bodies *bodies, const uint8_t *data, uint32_t length, struct sink *sink)
{
    if (bodies->count == bodies->capacity) {
        uint32_t capacity = 2 * bodies->capacity + BODIES_FIRST;
        size_t size = sizeof *bodies->body;
        struct j2k_body *more =
            kst_memory_grow(bodies->memory, bodies->body, bodies->count * size, capacity * size, &sink->status);
        if (!more)
            return;
        bodies->body = more;
        bodies->capacity = capacity;
    }
    bodies->body[bodies->count++] = (struct j2k_body){.data = data, .length = length, .at = sink->length};
}

/* Write bytes of a block: from memory, or from the keeper; or leave them out. */
static void put_block(const struct j2k_coded *coded, uint32_t index, uint32_t start, uint32_t length, struct sink *sink,
    struct j2k_bodies *bodies)
{
    const struct j2k_block_code *block = &coded->block[index];
    if (bodies) {
        add_body(bodies, block->data + start, length, sink);
        return;
    }
    if (!coded->keeper) {
        kst_sink_bytes(sink, block->data + start, length);
        return;
    }
    uint8_t *to = kst_sink_reserve(sink, length);
    if (to && coded->keeper->fetch(coded->keeper->user, block->kept + start, to, length))
        sink->length += length;
    else if (to)
        sink->status = KST_ERROR_WRITE;
}

/* Write a packet. `number` is its number in the tile, for SOP (A.8.1). */
static void put_packet(const struct j2k_tile_parts *parts, const struct j2k_sent_packet *packet,
    const struct j2k_parameters *parameters, uint32_t number, struct sink *sink, struct j2k_bodies *bodies)
{
    const struct j2k_coded *coded = parts->coded;
    const struct j2k_coded_precinct *place = &coded->precinct[packet->precinct];
    if (parameters->sop) {
        size_t begin = kst_j2k_segment_begin(sink, J2K_SOP);
        kst_sink_u16(sink, (uint16_t)number);
        kst_j2k_segment_end(sink, begin);
    }
    if (!parts->wanted->packed) {
        kst_sink_bytes(sink, parts->sequence.headers.data + packet->header, packet->header_length);
        if (parameters->eph)
            kst_sink_u16(sink, 0xFF00U | J2K_EPH);
    }
    for (uint32_t b = 0; b < 3 && packet->body > 0; b++)
        for (uint32_t i = 0; i < (uint32_t)place->columns[b] * place->rows[b]; i++) {
            uint32_t start, length = kst_j2k_block_share(coded, place->first_block[b] + i, packet->layer, &start);
            if (length > 0)
                put_block(coded, place->first_block[b] + i, start, length, sink, bodies);
            kst_sink_settle(sink);
        }
    kst_sink_settle(sink);
}

void kst_j2k_tile_parts_put(const struct j2k_tile_parts *parts, struct sink *sink, struct j2k_bodies *bodies)
{
    const struct j2k_sequence *sequence = &parts->sequence;
    for (uint32_t p = 0; p < sequence->part_count && !sink->status; p++) {
        const struct j2k_sent_part *part = &sequence->part[p];
        const struct j2k_parameters *parameters = kst_j2k_coded_parameters(parts->coded, part->tile);
        uint32_t before = sequence->tile_packet[part->tile - sequence->tiles.first];
        kst_sink_bytes(sink, parts->headers.data + parts->frame[p].at, parts->frame[p].header);
        for (uint32_t i = 0; i < part->packet_count && !sink->status; i++) {
            uint32_t packet = part->first_packet + i;
            put_packet(parts, &sequence->packet[packet], parameters, packet - before, sink, bodies);
        }
    }
}
