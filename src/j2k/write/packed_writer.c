/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects packet headers into PPM and PPT, filling one marker segment after the other. */
#include "j2k/write/packed_writer.h"

#include "core/report.h"
#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"
#include "j2k/write/marker_writer.h"

enum {
    ROOM = 65532,       /* most bytes of headers in one marker segment */
    SEGMENTS = 256,     /* most segments, because their index has one byte */
    SEGMENT_HEADER = 5, /* bytes of marker, length and index */
    EPH_LENGTH = 2,
    LENGTH = 4,      /* bytes of Nppm, which gives the length of one tile-part's headers */
    BLOCK_HEADER = 6 /* estimated bytes of a code-block in a packet header; nearly all take less */
};

/* Holds the state while marker segments of one kind are filled. */
struct packing {
    struct sink *sink;
    kst_report *report;
    uint8_t marker;
    uint32_t segments;
    size_t begin; /* where the current segment begins; 0: no segment has begun */
};

static size_t room_left(const struct packing *packing)
{
    return packing->begin ? ROOM - (packing->sink->length - packing->begin - 1) : 0;
}

static void finish(struct packing *packing)
{
    if (packing->begin)
        kst_j2k_segment_end(packing->sink, packing->begin);
    packing->begin = 0;
}

static kst_status begin(struct packing *packing)
{
    finish(packing);
    if (packing->segments == SEGMENTS)
        return kst_report_error(
            packing->report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "more packet headers than PPM or PPT has room for");
    packing->begin = kst_j2k_segment_begin(packing->sink, packing->marker);
    kst_sink_u8(packing->sink, (uint8_t)packing->segments++);
    return KST_OK;
}

/* Append data, in a single segment if they fit into one. */
static kst_status put(struct packing *packing, const uint8_t *data, size_t length)
{
    kst_status status = KST_OK;
    if (length > room_left(packing))
        status = begin(packing);
    while (length > 0 && !status && !packing->sink->status) {
        size_t part = room_left(packing) < length ? room_left(packing) : length;
        kst_sink_bytes(packing->sink, data, part);
        data += part;
        length -= part;
        if (length > 0)
            status = begin(packing);
    }
    return status;
}

static kst_status put_headers(struct packing *packing, const struct j2k_coded *coded,
    const struct j2k_sequence *sequence, const struct j2k_sent_part *part)
{
    static const uint8_t eph[EPH_LENGTH] = {0xFF, J2K_EPH};
    bool ended = kst_j2k_coded_parameters(coded, part->tile)->eph;
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < part->packet_count && !status; i++) {
        const struct j2k_sent_packet *packet = &sequence->packet[part->first_packet + i];
        status = put(packing, sequence->headers.data + packet->header, packet->header_length);
        if (!status && ended)
            status = put(packing, eph, sizeof eph);
    }
    return status;
}

static uint64_t header_bytes(
    const struct j2k_coded *coded, const struct j2k_sequence *sequence, const struct j2k_sent_part *part)
{
    uint64_t bytes = kst_j2k_coded_parameters(coded, part->tile)->eph ? (uint64_t)EPH_LENGTH * part->packet_count : 0;
    for (uint32_t i = 0; i < part->packet_count; i++)
        bytes += sequence->packet[part->first_packet + i].header_length;
    return bytes;
}

kst_status kst_j2k_put_packed_main(
    struct sink *sink, const struct j2k_coded *coded, const struct j2k_sequence *sequence, kst_report *report)
{
    struct packing packing = {.sink = sink, .report = report, .marker = J2K_PPM};
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < sequence->part_count && !status; i++) {
        uint8_t length[LENGTH];
        uint64_t bytes = header_bytes(coded, sequence, &sequence->part[i]);
        if (bytes > UINT32_MAX)
            return kst_report_error(report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "packet headers of 4 GiB and more");
        j2k_put32(length, (uint32_t)bytes);
        status = put(&packing, length, sizeof length);
        if (!status)
            status = put_headers(&packing, coded, sequence, &sequence->part[i]);
    }
    finish(&packing);
    return status;
}

kst_status kst_j2k_put_packed_part(struct sink *sink, const struct j2k_coded *coded,
    const struct j2k_sequence *sequence, uint32_t index, uint16_t *segments, kst_report *report)
{
    struct packing packing = {.sink = sink, .report = report, .marker = J2K_PPT, .segments = *segments};
    kst_status status = put_headers(&packing, coded, sequence, &sequence->part[index]);
    finish(&packing);
    *segments = (uint16_t)packing.segments;
    return status;
}

uint64_t kst_j2k_packed_overhead(const struct j2k_coded *coded, const struct j2k_sequence *sequence)
{
    uint64_t headers =
        (uint64_t)BLOCK_HEADER * coded->plan.block_count * coded->layers + (uint64_t)LENGTH * sequence->packet_count;
    return (LENGTH + SEGMENT_HEADER) * (sequence->part_count + UINT64_C(1) + 2 * headers / ROOM);
}
