/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes packet headers with their tag trees, and measures them without writing for rate allocation. */
#include "j2k/write/packet_writer.h"

#include <string.h>

#include "core/report.h"
#include "j2k/packets/builder.h"
#include "j2k/packets/tag_tree.h"
#include "j2k/write/packet_single.h"

enum { LENGTH_BITS_START = 3, SOP_LENGTH = 6, EPH_LENGTH = 2, NOT_CODED = 255 };

/*
 * Holds what a decoder knows so far from packet headers about all precincts, in flat arrays by tag-tree node and by
 * code-block.
 */
struct told {
    uint32_t *inclusion;  /* for each node: twice the lower bound, plus 1 if the bound is the value */
    uint8_t *missing;     /* for each node: in the same form */
    uint8_t *length_bits; /* for each block: Lblock */
};

struct j2k_packets {
    const struct j2k_coded *coded;
    uint32_t (*first_node)[3]; /* for each precinct and band: index of its first node */
    /* For each node, the least number of missing bit-planes below it; NOT_CODED: no block below it has any passes. */
    uint8_t *value;
    uint8_t *fresh; /* for each node: a block below it is first included in the current layer */
    struct told committed, tried;
};

/* Holds the state while a band's part of a packet header is written. */
struct packet_writing {
    struct j2k_header_writer bits;
    const struct j2k_coded *coded;
    uint32_t layer;
    uint32_t first_block;
    struct j2k_tag_shape shape;
    uint32_t *inclusion;
    uint8_t *missing, *length_bits, *fresh;
    const uint8_t *value;
    uint64_t body;
};

static uint32_t passes_up_to(const struct j2k_coded *coded, uint32_t block, uint32_t layers)
{
    return layers > 0 ? coded->layer_passes[(size_t)block * coded->layers + layers - 1] : 0;
}

static uint32_t bytes_up_to(const struct j2k_coded *coded, uint32_t block, uint32_t passes)
{
    return passes > 0 ? coded->pass_length[coded->block[block].first_pass + passes - 1] : 0;
}

uint32_t kst_j2k_block_share(const struct j2k_coded *coded, uint32_t block, uint32_t layer, uint32_t *start)
{
    *start = bytes_up_to(coded, block, passes_up_to(coded, block, layer));
    return bytes_up_to(coded, block, passes_up_to(coded, block, layer + 1)) - *start;
}

uint32_t kst_j2k_length_bytes(uint64_t length)
{
    uint32_t bytes = 1;
    while (length >>= 7)
        bytes++;
    return bytes;
}

/*
 * Holds a segment's share of a block's passes in a packet: the number of passes, and their length in bytes.
 * next_share() splits the passes from `from` up to `to` into such shares, one with each call.
 */
struct segment_share {
    uint32_t passes, length;
};

/*
 * Return how many passes in a packet belong to the segment of a block's first HT set. The packet's passes end in front
 * of `to`. The segment has the passes in front of the set, which have no bytes, up to the last pass of the packet that
 * can be a cleanup pass; if that pass has no bytes, the set does not begin in this packet (T.814, B.3).
 */
static uint32_t first_room(const struct j2k_coded *coded, uint32_t block, uint32_t from, uint32_t to)
{
    uint32_t behind = (to - 1) % 3;
    return behind < to - from && bytes_up_to(coded, block, to - behind) > 0 ? to - behind - from : to - from;
}

static uint32_t share_room(const struct j2k_coded *coded, uint32_t block, uint8_t style, uint32_t from, uint32_t to)
{
    if ((style & J2K_STYLE_HT) != 0 && bytes_up_to(coded, block, from) == 0)
        return first_room(coded, block, from, to);
    return kst_j2k_segment_room(style, from);
}

static bool next_share(const struct j2k_coded *coded, uint32_t block, uint8_t style, uint32_t *from, uint32_t to,
    struct segment_share *share)
{
    if (*from == to)
        return false;
    uint32_t room = share_room(coded, block, style, *from, to);
    share->passes = to - *from < room ? to - *from : room;
    share->length = bytes_up_to(coded, block, *from + share->passes) - bytes_up_to(coded, block, *from);
    *from += share->passes;
    return true;
}

/* Increase Lblock, which never decreases, to `width`, so that lengths fit. */
static void put_length_bits(struct packet_writing *writing, uint32_t index, uint32_t width)
{
    uint32_t more = width - writing->length_bits[index];
    j2k_writer_bits(&writing->bits, (uint32_t)((UINT64_C(2) << more) - 2), more + 1);
    writing->length_bits[index] = (uint8_t)width;
}

/* Write the number of passes of a block and the length of its only segment (B.10.6, B.10.7). */
static void put_segment(struct packet_writing *writing, uint32_t index, uint32_t before, uint32_t now)
{
    uint32_t block = writing->first_block + index, width = writing->length_bits[index];
    uint32_t length = bytes_up_to(writing->coded, block, now) - bytes_up_to(writing->coded, block, before);
    uint32_t wanted = j2k_bit_count(length), given = j2k_bit_count(now - before) - 1;
    kst_j2k_put_passes(&writing->bits, now - before);
    put_length_bits(writing, index, wanted > given + width ? wanted - given : width);
    j2k_writer_bits(&writing->bits, length, writing->length_bits[index] + given);
    writing->body += length;
}

/* Write the number of passes of a block and the lengths of its several segments. */
static void put_segments(struct packet_writing *writing, uint32_t index, uint8_t style, uint32_t before, uint32_t now)
{
    uint32_t block = writing->first_block + index, width = writing->length_bits[index];
    struct segment_share share;
    kst_j2k_put_passes(&writing->bits, now - before);
    for (uint32_t from = before; next_share(writing->coded, block, style, &from, now, &share);) {
        uint32_t wanted = j2k_bit_count(share.length), given = j2k_bit_count(share.passes) - 1;
        if (wanted > given + width)
            width = wanted - given;
    }
    put_length_bits(writing, index, width);
    for (uint32_t from = before; next_share(writing->coded, block, style, &from, now, &share);) {
        j2k_writer_bits(&writing->bits, share.length, width + j2k_bit_count(share.passes) - 1);
        writing->body += share.length;
    }
}

/*
 * Write whether block (x, y), which no earlier layer included, is included in this layer, as far as the tag tree does
 * not imply it yet: if a node's value is known, so are those above it; if it is known to be larger than the layer, so
 * are those below it.
 */
static void put_inclusion(struct packet_writing *writing, uint32_t x, uint32_t y)
{
    uint32_t low = 0, layer = writing->layer, k = 0;
    for (; k < writing->shape.levels; k++) {
        low = writing->inclusion[j2k_tag_node(&writing->shape, k, x, y)];
        if (low & 1)
            break;
        if (low / 2 > layer)
            return;
    }
    low = k < writing->shape.levels ? low / 2 : 0;
    while (k-- > 0) {
        uint32_t i = j2k_tag_node(&writing->shape, k, x, y), *node = &writing->inclusion[i];
        if (low < *node / 2)
            low = *node / 2;
        if (low < layer) {
            j2k_writer_zeros(&writing->bits, layer - low);
            low = layer;
        }
        bool known = low == layer && writing->fresh[i];
        if (low == layer)
            j2k_writer_bit(&writing->bits, known);
        low += low == layer && !known;
        *node = 2 * low + known;
    }
}

static void put_missing(struct packet_writing *writing, uint32_t x, uint32_t y)
{
    uint32_t low = 0, k = 0;
    while (k < writing->shape.levels && !(writing->missing[j2k_tag_node(&writing->shape, k, x, y)] & 1))
        k++;
    if (k < writing->shape.levels)
        low = writing->value[j2k_tag_node(&writing->shape, k, x, y)];
    while (k-- > 0) {
        uint32_t i = j2k_tag_node(&writing->shape, k, x, y);
        j2k_writer_zeros(&writing->bits, writing->value[i] - low);
        j2k_writer_bit(&writing->bits, 1);
        writing->missing[i] = (uint8_t)(2 * writing->value[i] + 1);
        low = writing->value[i];
    }
}

/* Mark the nodes of the inclusion tree that get their value in this layer. */
static void mark_fresh(struct packet_writing *writing, uint32_t columns, uint32_t rows)
{
    memset(writing->fresh, 0, writing->shape.nodes);
    for (uint32_t i = 0, y = 0; y < rows; y++)
        for (uint32_t x = 0; x < columns; x++, i++) {
            uint32_t block = writing->first_block + i;
            if (passes_up_to(writing->coded, block, writing->layer) > 0 ||
                passes_up_to(writing->coded, block, writing->layer + 1) == 0)
                continue;
            for (uint32_t k = 0; k < writing->shape.levels; k++) {
                uint8_t *fresh = &writing->fresh[j2k_tag_node(&writing->shape, k, x, y)];
                if (*fresh)
                    break;
                *fresh = 1;
            }
        }
}

static void put_block(struct packet_writing *writing, uint32_t index, uint8_t style, uint32_t x, uint32_t y)
{
    uint32_t block = writing->first_block + index;
    uint32_t before = passes_up_to(writing->coded, block, writing->layer);
    uint32_t now = passes_up_to(writing->coded, block, writing->layer + 1);
    if (before > 0)
        j2k_writer_bit(&writing->bits, now > before);
    else
        put_inclusion(writing, x, y);
    if (now == before)
        return;
    if (before == 0) {
        put_missing(writing, x, y);
        writing->length_bits[index] = LENGTH_BITS_START;
    }
    if (now - before > kst_j2k_segment_room(style, before))
        put_segments(writing, index, style, before, now);
    else
        put_segment(writing, index, before, now);
}

static void put_band(struct packet_writing *writing, uint8_t style, uint32_t columns, uint32_t rows)
{
    for (uint32_t index = 0, y = 0; y < rows; y++)
        for (uint32_t x = 0; x < columns; x++)
            put_block(writing, index++, style, x, y);
}

static bool is_empty(const struct j2k_coded *coded, const struct j2k_coded_precinct *place, uint32_t layer)
{
    for (uint32_t b = 0; b < 3; b++)
        for (uint32_t i = 0; i < (uint32_t)place->columns[b] * place->rows[b]; i++)
            if (passes_up_to(coded, place->first_block[b] + i, layer + 1) >
                passes_up_to(coded, place->first_block[b] + i, layer))
                return false;
    return true;
}

/*
 * Write the header of a packet of a picture with one layer, for which the decoder's knowledge is not needed later.
 * Returns false, with nothing written, if a block has more than one segment.
 */
static bool put_single(struct j2k_packets *packets, uint32_t precinct, struct j2k_header_writer *bits, uint64_t *body)
{
    const struct j2k_coded *coded = packets->coded;
    const struct j2k_coded_precinct *place = &coded->precinct[precinct];
    struct j2k_single_band band[3];
    bool any = false;
    *body = 0;
    for (uint32_t b = 0; b < 3; b++) {
        const uint32_t node = packets->first_node[precinct][b];
        band[b] = (struct j2k_single_band){.first_block = place->first_block[b],
            .room = kst_j2k_segment_room(coded->grid[place->grid].style, 0),
            .value = packets->value + node,
            .state = packets->fresh + node};
        if (place->columns[b] > 0)
            kst_j2k_tag_shape(&band[b].shape, place->columns[b], place->rows[b]);
        const int32_t marked = kst_j2k_single_mark(coded, &band[b]);
        if (marked < 0)
            return false;
        any = any || marked > 0;
    }
    j2k_writer_bit(bits, any);
    for (uint32_t b = 0; b < 3 && any; b++)
        *body += kst_j2k_single_put(coded, &band[b], bits);
    j2k_writer_end(bits);
    return true;
}

/* Write the header of a packet according to what the decoder knows, and update that. */
static uint64_t put_header(struct j2k_packets *packets, const struct told *told, uint32_t precinct, uint32_t layer,
    struct sink *sink, uint64_t *body)
{
    const struct j2k_coded *coded = packets->coded;
    const struct j2k_coded_precinct *place = &coded->precinct[precinct];
    struct packet_writing writing = {.coded = coded, .layer = layer};
    j2k_writer_start(&writing.bits, sink);
    if (coded->layers == 1 && put_single(packets, precinct, &writing.bits, body))
        return writing.bits.length;
    bool empty = is_empty(coded, place, layer);
    j2k_writer_bit(&writing.bits, !empty);
    for (uint32_t b = 0; b < 3 && !empty; b++) {
        uint32_t columns = place->columns[b], rows = place->rows[b], node = packets->first_node[precinct][b];
        if (columns == 0)
            continue;
        kst_j2k_tag_shape(&writing.shape, columns, rows);
        writing.first_block = place->first_block[b];
        writing.inclusion = told->inclusion + node;
        writing.missing = told->missing + node;
        writing.length_bits = told->length_bits + place->first_block[b];
        writing.fresh = packets->fresh + node;
        writing.value = packets->value + node;
        mark_fresh(&writing, columns, rows);
        put_band(&writing, coded->grid[place->grid].style, columns, rows);
    }
    j2k_writer_end(&writing.bits);
    *body = writing.body;
    return writing.bits.length;
}

uint64_t kst_j2k_packet_write(
    struct j2k_packets *packets, uint32_t precinct, uint32_t layer, struct sink *sink, uint64_t *body)
{
    return put_header(packets, &packets->committed, precinct, layer, sink, body);
}

/* Start a trial with a copy of the committed state. */
static void copy_told(struct j2k_packets *packets, uint32_t precinct)
{
    const struct j2k_coded_precinct *place = &packets->coded->precinct[precinct];
    const struct told *from = &packets->committed, *to = &packets->tried;
    for (uint32_t b = 0; b < 3; b++) {
        uint32_t blocks = (uint32_t)place->columns[b] * place->rows[b], node = packets->first_node[precinct][b];
        if (blocks == 0)
            continue;
        struct j2k_tag_shape shape;
        kst_j2k_tag_shape(&shape, place->columns[b], place->rows[b]);
        memcpy(to->inclusion + node, from->inclusion + node, shape.nodes * sizeof *to->inclusion);
        memcpy(to->missing + node, from->missing + node, shape.nodes);
        memcpy(to->length_bits + place->first_block[b], from->length_bits + place->first_block[b], blocks);
    }
}

uint64_t kst_j2k_packet_measure(
    struct j2k_packets *packets, uint32_t precinct, uint32_t layer, bool packet_lengths, bool commit)
{
    const struct j2k_coded *coded = packets->coded;
    const struct j2k_parameters *parameters = kst_j2k_coded_parameters(coded, coded->precinct[precinct].tile);
    uint64_t body, length;
    if (layer >= parameters->layers)
        return 0;
    if (!commit)
        copy_told(packets, precinct);
    length = put_header(packets, commit ? &packets->committed : &packets->tried, precinct, layer, NULL, &body);
    length += body + (parameters->sop ? SOP_LENGTH : 0) + (parameters->eph ? EPH_LENGTH : 0);
    return length + (packet_lengths ? kst_j2k_length_bytes(length) : 0);
}

/* Set the value of each node: the least number of missing bit-planes below it. */
static void fill_values(struct j2k_packets *packets, uint32_t precinct, uint32_t b)
{
    const struct j2k_coded_precinct *place = &packets->coded->precinct[precinct];
    uint32_t columns = place->columns[b], rows = place->rows[b];
    uint8_t *value = packets->value + packets->first_node[precinct][b];
    struct j2k_tag_shape shape;
    if (columns == 0)
        return;
    kst_j2k_tag_shape(&shape, columns, rows);
    const struct j2k_block_code *block = &packets->coded->block[place->first_block[b]];
    for (uint32_t i = 0; i < columns * rows; i++)
        value[i] = block[i].passes > 0 ? block[i].missing : NOT_CODED;
    kst_j2k_tag_least(&shape, rows, value);
}

/* Set where the nodes of each band begin. Returns the number of nodes; UINT32_MAX or more is too many. */
static uint64_t place_nodes(struct j2k_packets *packets)
{
    const struct j2k_coded *coded = packets->coded;
    uint64_t nodes = 0;
    for (uint32_t p = 0; p < coded->precinct_count && nodes < UINT32_MAX; p++)
        for (uint32_t b = 0; b < 3; b++) {
            packets->first_node[p][b] = (uint32_t)nodes;
            if (coded->precinct[p].columns[b] == 0)
                continue;
            struct j2k_tag_shape shape;
            kst_j2k_tag_shape(&shape, coded->precinct[p].columns[b], coded->precinct[p].rows[b]);
            nodes += shape.nodes;
        }
    return nodes;
}

static kst_status allocate_told(struct memory *memory, struct told *told, size_t nodes, size_t blocks)
{
    kst_status status = KST_OK;
    told->inclusion = kst_memory_zeroed(memory, nodes, sizeof *told->inclusion, &status);
    told->missing = kst_memory_zeroed(memory, nodes, 1, &status);
    told->length_bits = kst_memory_zeroed(memory, blocks, 1, &status);
    return status;
}

static kst_status allocate(struct memory *memory, struct j2k_packets *packets)
{
    const struct j2k_coded *coded = packets->coded;
    kst_status status = KST_OK;
    packets->first_node = kst_memory_array(memory, coded->precinct_count, sizeof *packets->first_node, &status);
    if (!packets->first_node)
        return status;
    uint64_t nodes = place_nodes(packets);
    if (nodes >= UINT32_MAX)
        return KST_ERROR_LIMIT_MEMORY;
    packets->value = kst_memory_array(memory, (size_t)nodes, 1, &status);
    packets->fresh = kst_memory_array(memory, (size_t)nodes, 1, &status);
    if (!status)
        status = allocate_told(memory, &packets->committed, (size_t)nodes, coded->plan.block_count);
    return status ? status : allocate_told(memory, &packets->tried, (size_t)nodes, coded->plan.block_count);
}

void kst_j2k_packets_fill(struct j2k_packets *packets, uint32_t precinct)
{
    for (uint32_t b = 0; b < 3; b++)
        fill_values(packets, precinct, b);
}

kst_status kst_j2k_packets_open(const struct operation *op, const struct j2k_coded *coded, struct j2k_packets **packets)
{
    kst_status status = KST_OK;
    *packets = kst_memory_zeroed(op->memory, 1, sizeof **packets, &status);
    if (!*packets)
        return kst_report_error(op->report, status, KST_NO_OFFSET, NULL);
    (*packets)->coded = coded;
    status = allocate(op->memory, *packets);
    if (status) {
        kst_j2k_packets_release(op->memory, *packets);
        *packets = NULL;
        return kst_report_error(op->report, status, KST_NO_OFFSET, "for packet headers");
    }
    return KST_OK;
}

kst_status kst_j2k_packets_create(
    const struct operation *op, const struct j2k_coded *coded, struct j2k_packets **packets)
{
    kst_status status = kst_j2k_packets_open(op, coded, packets);
    for (uint32_t p = 0; *packets && p < coded->precinct_count; p++)
        kst_j2k_packets_fill(*packets, p);
    return status;
}

static void release_told(struct memory *memory, struct told *told)
{
    kst_memory_release(memory, told->inclusion);
    kst_memory_release(memory, told->missing);
    kst_memory_release(memory, told->length_bits);
}

void kst_j2k_packets_release(struct memory *memory, struct j2k_packets *packets)
{
    if (!packets)
        return;
    release_told(memory, &packets->committed);
    release_told(memory, &packets->tried);
    kst_memory_release(memory, packets->first_node);
    kst_memory_release(memory, packets->value);
    kst_memory_release(memory, packets->fresh);
    kst_memory_release(memory, packets);
}
