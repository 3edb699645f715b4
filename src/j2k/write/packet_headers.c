/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes packet headers with several threads. A header depends only on those of earlier layers of the same precinct, so
 * that precincts are independent.
 */
#include "j2k/write/packet_headers.h"

#include "core/report.h"

enum {
    TOGETHER = 16,       /* precincts of a share if there are many */
    MANY_PRECINCTS = 64, /* fewest precincts that count as many */
    FEW_BLOCKS = 1024    /* blocks with passes, whose headers are written sooner than threads wake up */
};

struct writing_headers {
    const struct j2k_coded *coded;
    struct j2k_packets *packets;
    struct j2k_packet_headers *headers;
};

static struct j2k_packet_header *header_of(const struct j2k_packet_headers *headers, uint32_t precinct, uint32_t layer)
{
    return &headers->header[(size_t)(precinct - headers->first) * headers->layers + layer];
}

static void write_share(void *argument, uint32_t index)
{
    const struct writing_headers *w = argument;
    const struct j2k_packet_headers *headers = w->headers;
    struct sink *sink = &headers->share[index];
    uint32_t first = index * headers->together, left = headers->count - first;
    for (uint32_t i = first; i < first + (left < headers->together ? left : headers->together); i++) {
        const uint32_t precinct = headers->first + i;
        const uint32_t layers = kst_j2k_coded_parameters(w->coded, w->coded->precinct[precinct].tile)->layers;
        kst_j2k_packets_fill(w->packets, precinct);
        for (uint32_t l = 0; l < layers; l++) {
            struct j2k_packet_header *header = header_of(headers, precinct, l);
            header->at = sink->length;
            header->length = (uint32_t)kst_j2k_packet_write(w->packets, precinct, l, sink, &header->body);
        }
    }
}

static kst_status allocate(const struct operation *op, struct j2k_packet_headers *headers)
{
    kst_status status = KST_OK;
    const size_t packets = (size_t)headers->count * headers->layers;
    headers->header = kst_memory_array(op->memory, packets, sizeof *headers->header, &status);
    headers->share = kst_memory_array(op->memory, headers->shares, sizeof *headers->share, &status);
    for (uint32_t i = 0; i < headers->shares && headers->share; i++)
        kst_sink_init(&headers->share[i], op->memory);
    return status;
}

/* Return whether few blocks have passes, as in a codestream that is made to measure everything around the blocks. */
static bool are_few(const struct j2k_coded *coded, struct j2k_span blocks)
{
    uint32_t count = 0;
    for (uint32_t b = blocks.first; b < blocks.first + blocks.count && count < FEW_BLOCKS; b++)
        count += coded->layer_passes[(size_t)(b + 1) * coded->layers - 1] > 0;
    return count < FEW_BLOCKS;
}

kst_status kst_j2k_packet_headers_write(const struct operation *op, const struct j2k_coded *coded,
    struct j2k_packets *packets, struct j2k_tiles tiles, struct j2k_packet_headers *headers)
{
    struct writing_headers w = {.coded = coded, .packets = packets, .headers = headers};
    const struct j2k_span precincts = kst_j2k_coded_precincts(coded, tiles);
    const bool few = are_few(coded, kst_j2k_coded_blocks(coded, tiles));
    const uint32_t together = precincts.count < MANY_PRECINCTS ? 1 : TOGETHER;
    *headers = (struct j2k_packet_headers){.first = precincts.first,
        .count = precincts.count,
        .layers = coded->layers,
        .together = together,
        .shares = (precincts.count + together - 1) / together};
    kst_status status = allocate(op, headers);
    if (!status)
        kst_pool_run(few ? NULL : op->pool, headers->shares, write_share, &w);
    for (uint32_t i = 0; i < headers->shares && !status; i++)
        status = headers->share[i].status;
    return status ? kst_report_error(op->report, status, KST_NO_OFFSET, "for packet headers") : KST_OK;
}

void kst_j2k_packet_headers_release(struct memory *memory, struct j2k_packet_headers *headers)
{
    for (uint32_t i = 0; i < headers->shares && headers->share; i++)
        kst_sink_release(&headers->share[i]);
    kst_memory_release(memory, headers->share);
    kst_memory_release(memory, headers->header);
    *headers = (struct j2k_packet_headers){.shares = 0};
}

const struct j2k_packet_header *kst_j2k_packet_header_find(
    const struct j2k_packet_headers *headers, uint32_t precinct, uint32_t layer, const uint8_t **bytes)
{
    const struct j2k_packet_header *header = header_of(headers, precinct, layer);
    *bytes = headers->share[(precinct - headers->first) / headers->together].data + header->at;
    return header;
}
