/* SPDX-License-Identifier: BSD-2-Clause */
#include "j2k/write.h"

#include "core/report.h"
#include "j2k/builder.h"
#include "j2k/bytes.h"
#include "j2k/marker.h"
#include "j2k/marker_writer.h"
#include "j2k/packed_writer.h"
#include "j2k/packet_writer.h"

enum {
    SOT_LENGTH = 12,
    SOP_LENGTH = 6,
    EPH_LENGTH = 2,
    LENGTHS_HEADER = 5,       /* of PLT: marker, length, index */
    LENGTHS_ROOM = 65532,     /* bytes of lengths in one PLT */
    LENGTHS_SEGMENTS = 256,   /* PLT of a tile-part, TLM of the main header: their index is one byte */
    PARTS_HEADER = 6,         /* of TLM: marker, length, index, sizes */
    PARTS_ENTRY = 6,          /* a tile index of two bytes and a length of four */
    PARTS_SIZES = 0x60,       /* Stlm that says so (Table A.32) */
    PARTS_ENTRIES = 10921,    /* of one TLM */
    REGISTRATIONS_MAX = 16383 /* components that CRG has room for */
};

struct writing {
    const struct j2k_coded *coded;
    const struct j2k_writing *wanted;
    const struct j2k_sequence *sequence;
    struct sink *sink;
    kst_report *report;
    size_t start;      /* of the codestream in the sink */
    size_t part_table; /* of the first TLM */
    uint16_t *packed;  /* PPT so far, of each tile */
};

static bool passes_fit(const struct j2k_coded *coded, uint32_t block)
{
    const struct j2k_block_code *b = &coded->block[block];
    const struct j2k_band *band = &coded->plan.band[coded->plan.block[block].band];
    uint32_t planes = band->planes, tile = band->tile_component / coded->plan.component_count;
    uint32_t layer_count = kst_j2k_coded_parameters(coded, tile)->layers;
    const uint8_t *layers = coded->layer_passes + (size_t)block * coded->layers;
    if (b->passes > 0 && (b->missing >= planes || b->passes > 3 * (planes - b->missing) - 2))
        return false;
    for (uint32_t i = 1; i < b->passes; i++)
        if (coded->pass_length[b->first_pass + i] < coded->pass_length[b->first_pass + i - 1])
            return false;
    for (uint32_t l = 0; l < layer_count; l++) {
        uint32_t before = l > 0 ? layers[l - 1] : 0;
        if (layers[l] < before || layers[l] > b->passes || layers[l] - before > J2K_PACKET_PASSES)
            return false;
    }
    return true;
}

static kst_status check(const struct j2k_coded *coded, const struct j2k_writing *writing, kst_report *report)
{
    for (uint32_t i = 0; i < coded->plan.block_count; i++)
        if (!passes_fit(coded, i))
            return kst_report_error(
                report, KST_ERROR_ARGUMENT, KST_NO_OFFSET, "the passes of code-block %u", (unsigned)i);
    if (writing->registration && coded->headers.component_count > REGISTRATIONS_MAX)
        return kst_report_error(report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "CRG for more than 16,383 components");
    for (uint32_t i = 0; i < writing->comment_count; i++)
        if (writing->comment[i].length > J2K_COMMENT_MAX)
            return kst_report_error(report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "a comment of more than 65,531 bytes");
    return KST_OK;
}

/* TLM with all lengths still 0. */
static kst_status reserve_part_table(struct writing *writing)
{
    const struct j2k_sequence *sequence = writing->sequence;
    writing->part_table = writing->sink->length;
    for (uint32_t i = 0; i < sequence->part_count; i++) {
        if (i % PARTS_ENTRIES == 0) {
            uint32_t index = i / PARTS_ENTRIES, left = sequence->part_count - i;
            if (index == LENGTHS_SEGMENTS)
                return kst_report_error(
                    writing->report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "more tile-parts than TLM has room for");
            kst_sink_u16(writing->sink, 0xFF00U | J2K_TLM);
            kst_sink_u16(writing->sink, (uint16_t)(4 + PARTS_ENTRY * (left < PARTS_ENTRIES ? left : PARTS_ENTRIES)));
            kst_sink_u8(writing->sink, (uint8_t)index);
            kst_sink_u8(writing->sink, PARTS_SIZES);
        }
        kst_sink_u16(writing->sink, (uint16_t)sequence->part[i].tile);
        kst_sink_u32(writing->sink, 0);
    }
    return KST_OK;
}

/* Where the length of tile-part i stands in TLM. */
static size_t part_entry(const struct writing *writing, uint32_t i)
{
    return writing->part_table + (size_t)PARTS_HEADER * (i / PARTS_ENTRIES + 1) + (size_t)PARTS_ENTRY * i + 2;
}

/* Of what stands in the tile-part; PLT leaves headers that are packed out (A.7.3). */
static uint64_t packet_length(
    const struct j2k_parameters *parameters, const struct j2k_sent_packet *packet, bool packed)
{
    uint64_t header = packed ? 0 : packet->header_length + (parameters->eph ? EPH_LENGTH : 0);
    return header + packet->body + (parameters->sop ? SOP_LENGTH : 0);
}

static void put_length(struct sink *sink, uint64_t length)
{
    for (uint32_t i = kst_j2k_length_bytes(length); i-- > 0;)
        kst_sink_u8(sink, (uint8_t)((length >> 7 * i & 0x7F) | (i > 0 ? 0x80 : 0)));
}

/* PLT: each length whole in one segment. */
static kst_status put_lengths(struct writing *writing, const struct j2k_sent_part *part)
{
    const struct j2k_parameters *parameters = kst_j2k_coded_parameters(writing->coded, part->tile);
    struct sink *sink = writing->sink;
    size_t begin = 0;
    uint32_t index = 0;
    for (uint32_t i = 0; i < part->packet_count; i++) {
        uint64_t length =
            packet_length(parameters, &writing->sequence->packet[part->first_packet + i], writing->wanted->packed != 0);
        if (begin > 0 && sink->length - begin - 1 + kst_j2k_length_bytes(length) > LENGTHS_ROOM) {
            kst_j2k_segment_end(sink, begin);
            begin = 0;
        }
        if (begin == 0) {
            if (index == LENGTHS_SEGMENTS)
                return kst_report_error(
                    writing->report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "more packets than PLT has room for");
            begin = kst_j2k_segment_begin(sink, J2K_PLT);
            kst_sink_u8(sink, (uint8_t)index++);
        }
        put_length(sink, length);
    }
    if (begin > 0)
        kst_j2k_segment_end(sink, begin);
    return KST_OK;
}

/* `number` counts the tile's packets (A.8.1). */
static void put_packet(struct writing *writing, const struct j2k_sent_packet *packet,
    const struct j2k_parameters *parameters, uint32_t number)
{
    const struct j2k_coded *coded = writing->coded;
    const struct j2k_coded_precinct *place = &coded->precinct[packet->precinct];
    struct sink *sink = writing->sink;
    if (parameters->sop) {
        size_t begin = kst_j2k_segment_begin(sink, J2K_SOP);
        kst_sink_u16(sink, (uint16_t)number);
        kst_j2k_segment_end(sink, begin);
    }
    if (!writing->wanted->packed) {
        kst_sink_bytes(sink, writing->sequence->headers.data + packet->header, packet->header_length);
        if (parameters->eph)
            kst_sink_u16(sink, 0xFF00U | J2K_EPH);
    }
    for (uint32_t b = 0; b < 3 && packet->body > 0; b++)
        for (uint32_t i = 0; i < (uint32_t)place->columns[b] * place->rows[b]; i++) {
            uint32_t start, length = kst_j2k_block_share(coded, place->first_block[b] + i, packet->layer, &start);
            if (length > 0)
                kst_sink_bytes(sink, coded->block[place->first_block[b] + i].data + start, length);
        }
}

/* Psot, and the same in TLM. */
static kst_status set_length(struct writing *writing, uint32_t part, size_t at)
{
    struct sink *sink = writing->sink;
    size_t length = sink->length - at;
    if (sink->status)
        return KST_OK;
    if (length > UINT32_MAX)
        return kst_report_error(writing->report, KST_ERROR_OPTIONS, KST_NO_OFFSET,
            "a tile-part of %zu bytes: divide it, or use smaller tiles", length);
    j2k_put32(sink->data + at + 6, (uint32_t)length);
    if (writing->wanted->tile_part_lengths)
        j2k_put32(sink->data + part_entry(writing, part), (uint32_t)length);
    return KST_OK;
}

static kst_status put_part(struct writing *writing, uint32_t index)
{
    const struct j2k_sequence *sequence = writing->sequence;
    const struct j2k_sent_part *part = &sequence->part[index];
    const struct j2k_parameters *parameters = kst_j2k_coded_parameters(writing->coded, part->tile);
    struct sink *sink = writing->sink;
    size_t at = sink->length;
    kst_status status = KST_OK;
    kst_sink_u16(sink, 0xFF00U | J2K_SOT);
    kst_sink_u16(sink, SOT_LENGTH - 2);
    kst_sink_u16(sink, (uint16_t)part->tile);
    kst_sink_u32(sink, 0);
    kst_sink_u8(sink, part->index);
    kst_sink_u8(sink, part->count);
    if (part->index == 0)
        kst_j2k_put_tile_header(sink, writing->coded, part->tile);
    if (writing->wanted->packet_lengths)
        status = put_lengths(writing, part);
    if (!status && writing->wanted->packed == KST_J2K_HEADERS_PPT)
        status = kst_j2k_put_packed_part(
            sink, writing->coded, sequence, index, &writing->packed[part->tile], writing->report);
    kst_sink_u16(sink, 0xFF00U | J2K_SOD);
    for (uint32_t i = 0; i < part->packet_count && !status; i++) {
        uint32_t packet = part->first_packet + i;
        put_packet(writing, &sequence->packet[packet], parameters, packet - sequence->tile_packet[part->tile]);
    }
    return status ? status : set_length(writing, index, at);
}

static kst_status put_codestream(struct writing *writing)
{
    struct sink *sink = writing->sink;
    kst_status status = KST_OK;
    writing->start = sink->length;
    kst_j2k_put_main_header(sink, writing->coded, writing->wanted);
    if (writing->wanted->tile_part_lengths)
        status = reserve_part_table(writing);
    if (!status && writing->wanted->packed == KST_J2K_HEADERS_PPM)
        status = kst_j2k_put_packed_main(sink, writing->coded, writing->sequence, writing->report);
    for (uint32_t i = 0; i < writing->sequence->part_count && !status; i++)
        status = put_part(writing, i);
    kst_sink_u16(sink, 0xFF00U | J2K_EOC);
    if (!status && sink->status)
        status = kst_report_error(writing->report, sink->status, KST_NO_OFFSET, "while writing");
    return status;
}

kst_status kst_j2k_write(struct memory *memory, const struct j2k_coded *coded, const struct j2k_writing *writing,
    struct sink *sink, kst_report *report)
{
    struct j2k_packets *packets = NULL;
    struct j2k_sequence sequence = {0};
    struct writing own = {.coded = coded, .wanted = writing, .sequence = &sequence, .sink = sink, .report = report};
    kst_status status = check(coded, writing, report);
    if (status)
        return status;
    own.packed = kst_memory_zeroed(memory, coded->plan.tile_count, sizeof *own.packed, &status);
    if (!own.packed)
        return kst_report_error(report, status, KST_NO_OFFSET, NULL);
    status = kst_j2k_packets_create(memory, coded, &packets, report);
    if (!status)
        status = kst_j2k_sequence_make(memory, coded, writing, packets, &sequence, report);
    kst_j2k_packets_release(memory, packets);
    if (!status)
        status = put_codestream(&own);
    kst_memory_release(memory, own.packed);
    kst_j2k_sequence_release(memory, &sequence);
    return status;
}

/* The tile-parts' headers as they will be, but for PLT. */
static void put_frames(struct writing *writing)
{
    for (uint32_t i = 0; i < writing->sequence->part_count; i++) {
        const struct j2k_sent_part *part = &writing->sequence->part[i];
        for (uint32_t k = 0; k < SOT_LENGTH + 2; k++)
            kst_sink_u8(writing->sink, 0);
        if (part->index == 0)
            kst_j2k_put_tile_header(writing->sink, writing->coded, part->tile);
    }
}

/* Marker segments of PLT at most: a packet's length takes ten bytes at most, and no segment is left nearly empty. */
static uint64_t length_segments(const struct j2k_sequence *sequence)
{
    uint64_t segments = 0;
    for (uint32_t i = 0; i < sequence->part_count; i++)
        segments += (UINT64_C(10) * sequence->part[i].packet_count + LENGTHS_ROOM - 11) / (LENGTHS_ROOM - 10);
    return segments;
}

kst_status kst_j2k_overhead(struct memory *memory, const struct j2k_coded *coded, const struct j2k_writing *writing,
    uint64_t *bytes, kst_report *report)
{
    struct j2k_sequence sequence = {0};
    struct sink sink;
    struct writing own = {.coded = coded, .wanted = writing, .sequence = &sequence, .sink = &sink, .report = report};
    kst_sink_init(&sink, memory);
    kst_status status = kst_j2k_sequence_make(memory, coded, writing, NULL, &sequence, report);
    if (!status) {
        kst_j2k_put_main_header(&sink, coded, writing);
        if (writing->tile_part_lengths)
            status = reserve_part_table(&own);
        put_frames(&own);
        kst_sink_u16(&sink, 0xFF00U | J2K_EOC);
        if (!status && sink.status)
            status = kst_report_error(report, sink.status, KST_NO_OFFSET, NULL);
        *bytes = sink.length + (writing->packed ? kst_j2k_packed_overhead(coded, &sequence) : 0) +
                 (writing->packet_lengths ? LENGTHS_HEADER * length_segments(&sequence) : 0);
    }
    kst_sink_release(&sink);
    kst_j2k_sequence_release(memory, &sequence);
    return status;
}

/* Of one tile-part: its header, PLT and packets. */
static uint64_t part_bytes(const struct j2k_coded *coded, const struct j2k_writing *writing,
    const struct j2k_sequence *sequence, uint32_t index)
{
    const struct j2k_sent_part *part = &sequence->part[index];
    const struct j2k_parameters *parameters = kst_j2k_coded_parameters(coded, part->tile);
    uint64_t bytes = SOT_LENGTH + 2, table = 0;
    for (uint32_t i = 0; i < part->packet_count; i++) {
        const struct j2k_sent_packet *packet = &sequence->packet[part->first_packet + i];
        bytes += packet_length(parameters, packet, false);
        table += kst_j2k_length_bytes(packet_length(parameters, packet, writing->packed != 0));
    }
    if (writing->packet_lengths)
        bytes += table + LENGTHS_HEADER * (1 + table / (LENGTHS_ROOM - 10));
    return bytes;
}

static uint64_t most_of(const struct j2k_coded *coded, const struct j2k_writing *writing,
    const struct j2k_sequence *sequence, uint64_t *sum)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < sequence->part_count; i++) {
        const struct j2k_sent_part *part = &sequence->part[i];
        if (part->packet_count == 0)
            continue;
        const struct j2k_sent_packet *packet = &sequence->packet[part->first_packet];
        uint32_t component = coded->grid[coded->precinct[packet->precinct].grid].component;
        sum[component] += part_bytes(coded, writing, sequence, i);
        most = sum[component] > most ? sum[component] : most;
    }
    return most;
}

kst_status kst_j2k_most_component_bytes(struct memory *memory, const struct j2k_coded *coded,
    const struct j2k_writing *writing, uint64_t *bytes, kst_report *report)
{
    struct j2k_packets *packets = NULL;
    struct j2k_sequence sequence = {0};
    kst_status status = KST_OK;
    uint64_t *sum = kst_memory_zeroed(memory, coded->headers.component_count, sizeof *sum, &status);
    if (!sum)
        return kst_report_error(report, status, KST_NO_OFFSET, NULL);
    status = kst_j2k_packets_create(memory, coded, &packets, report);
    if (!status)
        status = kst_j2k_sequence_make(memory, coded, writing, packets, &sequence, report);
    if (!status)
        *bytes = most_of(coded, writing, &sequence, sum);
    kst_j2k_packets_release(memory, packets);
    kst_j2k_sequence_release(memory, &sequence);
    kst_memory_release(memory, sum);
    return status;
}
