/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the codestream, that is the main header, TLM and tile-parts, either as a whole or some tiles at a time. */
#include "j2k/write/write.h"

#include "core/report.h"
#include "j2k/packets/builder.h"
#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"
#include "j2k/write/marker_writer.h"
#include "j2k/write/packed_writer.h"
#include "j2k/write/packet_writer.h"
#include "j2k/write/part_writer.h"

enum {
    PARTS_SEGMENTS = 256,  /* most TLM segments, because their index has one byte */
    PARTS_HEADER = 6,      /* bytes of TLM's marker, length, index and sizes */
    PARTS_ENTRY = 6,       /* bytes of an entry: a tile index of two and a length of four */
    PARTS_SIZES = 0x60,    /* Stlm for entries of this form (Table A.32) */
    PARTS_ENTRIES = 10921, /* most entries of one TLM */
    EOC_BYTES = 2,
    REGISTRATIONS_MAX = 16383 /* most components that CRG has room for */
};

struct j2k_codestream {
    struct operation op;
    const struct j2k_coded *coded;
    const struct j2k_writing *wanted;
    struct sink head;            /* the main header */
    size_t part_table;           /* where the first TLM starts in `head` */
    uint32_t part_count;         /* number of tile-parts whose lengths are set in TLM */
    struct j2k_tile_parts parts; /* the tile-parts that are being written */
    struct j2k_packets *packets;
    bool around;                       /* its packets are elsewhere */
    uint64_t start;                    /* where the codestream starts in the sink */
    const struct j2k_carrier *carrier; /* null: none */
};

static bool passes_fit(const struct j2k_coded *coded, uint32_t block)
{
    const struct j2k_block_code *b = &coded->block[block];
    const struct j2k_band *band = &coded->plan.band[coded->plan.block[block].band];
    uint32_t planes = band->planes, layer_count = coded->headers.main.layers;
    if (coded->tile)
        layer_count = coded->tile[band->tile_component / coded->plan.component_count].layers;
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

static kst_status check_blocks(const struct j2k_coded *coded, struct j2k_tiles tiles, kst_report *report)
{
    struct j2k_span blocks = kst_j2k_coded_blocks(coded, tiles);
    for (uint32_t i = blocks.first; i < blocks.first + blocks.count; i++)
        if (!passes_fit(coded, i))
            return kst_report_error(
                report, KST_ERROR_ARGUMENT, KST_NO_OFFSET, "the passes of code-block %u", (unsigned)i);
    return KST_OK;
}

static kst_status check(const struct j2k_coded *coded, const struct j2k_writing *writing, kst_report *report)
{
    if (writing->registration && coded->headers.component_count > REGISTRATIONS_MAX)
        return kst_report_error(report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "CRG for more than 16,383 components");
    for (uint32_t i = 0; i < writing->comment_count; i++)
        if (writing->comment[i].length > J2K_COMMENT_MAX)
            return kst_report_error(report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "a comment of more than 65,531 bytes");
    return KST_OK;
}

/* Write TLM; all lengths are still 0. */
static kst_status reserve_part_table(struct sink *sink, const struct j2k_sequence *sequence, kst_report *report)
{
    for (uint32_t i = 0; i < sequence->part_count; i++) {
        if (i % PARTS_ENTRIES == 0) {
            uint32_t index = i / PARTS_ENTRIES, left = sequence->part_count - i;
            if (index == PARTS_SEGMENTS)
                return kst_report_error(
                    report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "more tile-parts than TLM has room for");
            kst_sink_u16(sink, 0xFF00U | J2K_TLM);
            kst_sink_u16(sink, (uint16_t)(4 + PARTS_ENTRY * (left < PARTS_ENTRIES ? left : PARTS_ENTRIES)));
            kst_sink_u8(sink, (uint8_t)index);
            kst_sink_u8(sink, PARTS_SIZES);
        }
        kst_sink_u16(sink, (uint16_t)sequence->part[i].tile);
        kst_sink_u32(sink, 0);
    }
    return KST_OK;
}

/* Set the lengths in TLM of the tile-parts that have been made. */
static void set_lengths(struct j2k_codestream *stream)
{
    const struct j2k_tile_parts *parts = &stream->parts;
    for (uint32_t i = 0; i < parts->sequence.part_count && stream->wanted->tile_part_lengths; i++) {
        uint32_t entry = stream->part_count++;
        size_t headers = (size_t)PARTS_HEADER * (entry / PARTS_ENTRIES + 1);
        j2k_put32(
            stream->head.data + stream->part_table + headers + (size_t)PARTS_ENTRY * entry + 2, parts->frame[i].length);
    }
}

/* Make the main header except for PPM. */
static kst_status make_head(struct j2k_codestream *stream, const struct j2k_sequence *sequence)
{
    kst_status status = KST_OK;
    kst_j2k_put_main_header(&stream->head, stream->coded, stream->wanted);
    stream->part_table = stream->head.length;
    if (stream->wanted->tile_part_lengths)
        status = reserve_part_table(&stream->head, sequence, stream->op.report);
    if (!status && stream->head.status)
        status = kst_report_error(stream->op.report, stream->head.status, KST_NO_OFFSET, "while writing");
    return status;
}

static kst_status create(const struct operation *op, const struct j2k_coded *coded, const struct j2k_writing *writing,
    struct j2k_codestream **stream)
{
    kst_status status = check(coded, writing, op->report);
    *stream = NULL;
    if (status)
        return status;
    *stream = kst_memory_zeroed(op->memory, 1, sizeof **stream, &status);
    if (!*stream)
        return kst_report_error(op->report, status, KST_NO_OFFSET, NULL);
    (*stream)->op = *op;
    (*stream)->coded = coded;
    (*stream)->wanted = writing;
    (*stream)->carrier = writing->carrier;
    kst_sink_init(&(*stream)->head, op->memory);
    return KST_OK;
}

void kst_j2k_codestream_release(struct j2k_codestream *stream)
{
    if (!stream)
        return;
    kst_j2k_packets_release(stream->op.memory, stream->packets);
    kst_j2k_tile_parts_release(stream->op.memory, &stream->parts);
    kst_sink_release(&stream->head);
    kst_memory_release(stream->op.memory, stream);
}

static kst_status make_parts(struct j2k_codestream *stream, struct j2k_tiles tiles)
{
    kst_status status = check_blocks(stream->coded, tiles, stream->op.report);
    if (status)
        return status;
    return kst_j2k_tile_parts_make(&stream->op, stream->coded, stream->wanted, tiles, stream->packets, &stream->parts);
}

static kst_status make_whole(struct j2k_codestream *stream)
{
    const struct j2k_tiles all = {0, stream->coded->plan.tile_count};
    kst_status status = kst_j2k_packets_open(&stream->op, stream->coded, &stream->packets);
    if (!status)
        status = make_parts(stream, all);
    kst_j2k_packets_release(stream->op.memory, stream->packets);
    stream->packets = NULL;
    if (!status)
        status = make_head(stream, &stream->parts.sequence);
    if (status)
        return status;
    set_lengths(stream);
    if (stream->wanted->packed == KST_J2K_HEADERS_PPM)
        status = kst_j2k_put_packed_main(&stream->head, stream->coded, &stream->parts.sequence, stream->op.report);
    return status || !stream->head.status
               ? status
               : kst_report_error(stream->op.report, stream->head.status, KST_NO_OFFSET, "while writing");
}

static kst_status make_around(struct j2k_codestream *stream, uint64_t packets)
{
    stream->around = true;
    kst_status status = kst_j2k_tile_parts_around(&stream->op, stream->coded, stream->wanted, packets, &stream->parts);
    if (!status)
        status = make_head(stream, &stream->parts.sequence);
    if (!status)
        set_lengths(stream);
    return status;
}

kst_status kst_j2k_codestream_around(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, uint64_t packets, struct j2k_codestream **stream)
{
    kst_status status = create(op, coded, writing, stream);
    if (*stream)
        status = make_around(*stream, packets);
    if (status) {
        kst_j2k_codestream_release(*stream);
        *stream = NULL;
    }
    return status;
}

bool kst_j2k_codestream_is_around(const struct j2k_codestream *stream)
{
    return stream->around;
}

kst_status kst_j2k_codestream_make(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, struct j2k_codestream **stream)
{
    kst_status status = create(op, coded, writing, stream);
    if (*stream)
        status = make_whole(*stream);
    if (status) {
        kst_j2k_codestream_release(*stream);
        *stream = NULL;
    }
    return status;
}

uint64_t kst_j2k_codestream_length(const struct j2k_codestream *stream)
{
    return stream->head.length + stream->parts.bytes + EOC_BYTES;
}

static kst_status fail(const struct j2k_codestream *stream, const struct sink *sink)
{
    return sink->status ? kst_report_error(stream->op.report, sink->status, KST_NO_OFFSET, "while writing") : KST_OK;
}

static kst_status put(const struct j2k_codestream *stream, struct sink *sink, struct j2k_bodies *bodies)
{
    kst_sink_bytes(sink, stream->head.data, stream->head.length);
    kst_j2k_tile_parts_put(&stream->parts, sink, bodies);
    kst_sink_u16(sink, 0xFF00U | J2K_EOC);
    return fail(stream, sink);
}

kst_status kst_j2k_codestream_edges(const struct j2k_codestream *stream, struct sink *edges, size_t *front)
{
    kst_sink_bytes(edges, stream->head.data, stream->head.length);
    kst_sink_bytes(edges, stream->parts.headers.data, stream->parts.headers.length);
    *front = edges->length;
    kst_sink_u16(edges, 0xFF00U | J2K_EOC);
    return fail(stream, edges);
}

kst_status kst_j2k_codestream_frame(const struct j2k_codestream *stream, struct sink *frame, struct j2k_bodies *bodies)
{
    return put(stream, frame, bodies);
}

kst_status kst_j2k_codestream_write(const struct j2k_codestream *stream, struct sink *sink)
{
    return put(stream, sink, NULL);
}

void kst_j2k_codestream_carry(struct j2k_codestream *stream, const struct j2k_carrier *carrier)
{
    stream->carrier = carrier;
}

kst_status kst_j2k_codestream_put(const struct j2k_codestream *stream, struct sink *sink)
{
    if (stream->carrier && stream->carrier->carry && !sink->status)
        return stream->carrier->carry(stream->carrier->user, stream, sink);
    return kst_j2k_codestream_write(stream, sink);
}

kst_status kst_j2k_write(
    const struct operation *op, const struct j2k_coded *coded, const struct j2k_writing *writing, struct sink *sink)
{
    struct j2k_codestream *stream;
    kst_status status = kst_j2k_codestream_make(op, coded, writing, &stream);
    if (!status)
        status = kst_j2k_codestream_put(stream, sink);
    kst_j2k_codestream_release(stream);
    return status;
}

static kst_status begin(struct j2k_codestream *stream, struct sink *sink)
{
    struct j2k_sequence sequence;
    kst_status status = kst_j2k_sequence_make(&stream->op, stream->coded, stream->wanted, NULL, NULL, &sequence);
    if (!status)
        status = make_head(stream, &sequence);
    kst_j2k_sequence_release(stream->op.memory, &sequence);
    if (!status)
        status = kst_j2k_packets_open(&stream->op, stream->coded, &stream->packets);
    if (status)
        return status;
    stream->start = kst_sink_position(sink);
    kst_sink_bytes(sink, stream->head.data, stream->head.length);
    return fail(stream, sink);
}

kst_status kst_j2k_codestream_begin(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, struct sink *sink, struct j2k_codestream **stream)
{
    kst_status status = create(op, coded, writing, stream);
    if (*stream)
        status = begin(*stream, sink);
    if (status) {
        kst_j2k_codestream_release(*stream);
        *stream = NULL;
    }
    return status;
}

kst_status kst_j2k_codestream_tiles(struct j2k_codestream *stream, struct j2k_tiles tiles, struct sink *sink)
{
    kst_status status = make_parts(stream, tiles);
    if (!status) {
        set_lengths(stream);
        kst_j2k_tile_parts_put(&stream->parts, sink, NULL);
        status = fail(stream, sink);
    }
    kst_j2k_tile_parts_release(stream->op.memory, &stream->parts);
    return status;
}

kst_status kst_j2k_codestream_end(struct j2k_codestream *stream, struct sink *sink)
{
    kst_sink_u16(sink, 0xFF00U | J2K_EOC);
    if (stream->wanted->tile_part_lengths)
        kst_sink_patch(sink, stream->start, stream->head.data, stream->head.length);
    return fail(stream, sink);
}

/* Write headers of tile-parts that are as long as the final ones, but without PLT. */
static void put_frames(struct sink *sink, const struct j2k_coded *coded, const struct j2k_sequence *sequence)
{
    for (uint32_t i = 0; i < sequence->part_count; i++) {
        const struct j2k_sent_part *part = &sequence->part[i];
        for (uint32_t k = 0; k < J2K_SOT_BYTES + J2K_SOD_BYTES; k++)
            kst_sink_u8(sink, 0);
        if (part->index == 0)
            kst_j2k_put_tile_header(sink, coded, part->tile);
    }
}

/*
 * Return an upper bound on the number of PLT segments: the length of a packet takes at most ten bytes, and only the
 * last segment may have room for another one.
 */
static uint64_t length_segments(const struct j2k_sequence *sequence)
{
    uint64_t segments = 0;
    for (uint32_t i = 0; i < sequence->part_count; i++)
        segments += (UINT64_C(10) * sequence->part[i].packet_count + J2K_LENGTHS_ROOM - 11) / (J2K_LENGTHS_ROOM - 10);
    return segments;
}

kst_status kst_j2k_overhead(
    const struct operation *op, const struct j2k_coded *coded, const struct j2k_writing *writing, uint64_t *bytes)
{
    struct j2k_sequence sequence = {0};
    struct sink sink;
    kst_sink_init(&sink, op->memory);
    kst_status status = kst_j2k_sequence_make(op, coded, writing, NULL, NULL, &sequence);
    if (!status) {
        kst_j2k_put_main_header(&sink, coded, writing);
        if (writing->tile_part_lengths)
            status = reserve_part_table(&sink, &sequence, op->report);
        put_frames(&sink, coded, &sequence);
        kst_sink_u16(&sink, 0xFF00U | J2K_EOC);
        if (!status && sink.status)
            status = kst_report_error(op->report, sink.status, KST_NO_OFFSET, NULL);
        *bytes = sink.length + (writing->packed ? kst_j2k_packed_overhead(coded, &sequence) : 0) +
                 (writing->packet_lengths ? J2K_LENGTHS_HEADER * length_segments(&sequence) : 0);
    }
    kst_sink_release(&sink);
    kst_j2k_sequence_release(op->memory, &sequence);
    return status;
}

/* Return the number of bytes of one tile-part: its header, PLT and packets. */
static uint64_t part_bytes(const struct j2k_coded *coded, const struct j2k_writing *writing,
    const struct j2k_sequence *sequence, uint32_t index)
{
    const struct j2k_sent_part *part = &sequence->part[index];
    const struct j2k_parameters *parameters = kst_j2k_coded_parameters(coded, part->tile);
    uint64_t bytes = J2K_SOT_BYTES + J2K_SOD_BYTES, table = 0;
    for (uint32_t i = 0; i < part->packet_count; i++) {
        const struct j2k_sent_packet *packet = &sequence->packet[part->first_packet + i];
        bytes += kst_j2k_packet_bytes(parameters, packet, false);
        table += kst_j2k_length_bytes(kst_j2k_packet_bytes(parameters, packet, writing->packed != 0));
    }
    if (writing->packet_lengths)
        bytes += table + J2K_LENGTHS_HEADER * (1 + table / (J2K_LENGTHS_ROOM - 10));
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

kst_status kst_j2k_most_component_bytes(
    const struct operation *op, const struct j2k_coded *coded, const struct j2k_writing *writing, uint64_t *bytes)
{
    struct j2k_packets *packets = NULL;
    struct j2k_sequence sequence = {0};
    kst_status status = KST_OK;
    uint64_t *sum = kst_memory_zeroed(op->memory, coded->headers.component_count, sizeof *sum, &status);
    if (!sum)
        return kst_report_error(op->report, status, KST_NO_OFFSET, NULL);
    status = kst_j2k_packets_create(op, coded, &packets);
    if (!status)
        status = kst_j2k_sequence_make(op, coded, writing, NULL, packets, &sequence);
    if (!status)
        *bytes = most_of(coded, writing, &sequence, sum);
    kst_j2k_packets_release(op->memory, packets);
    kst_j2k_sequence_release(op->memory, &sequence);
    kst_memory_release(op->memory, sum);
    return status;
}
