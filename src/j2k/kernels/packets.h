/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the packets of pictures with one layer whose code-blocks are all T.814 blocks with one cleanup pass: packet
 * headers (T.800 B.10), the places of packets and code-blocks in the codestream, and their bytes. The host's writer,
 * j2k/write/packet_single.c, writes the same bytes.
 * |
 * A cleanup pass ends with plane 0, so that all included blocks of a band have the same number of missing planes.
 * Blocks are visited in raster order. Which nodes of the tag trees are coded for a block follows from the first
 * included block below each node alone, so that work-items find the bits of 256 blocks side by side.
 */
#include "kernels/group.h"

#include "j2k/kernels/assemble.h"
#include "j2k/kernels/encode_work.h"
#include "j2k/kernels/header_bytes.h"
#include "j2k/kernels/ht_bytes.h"

enum {
    PACKET_LEVELS = 16, /* levels of a tag tree: there are at most 8,192 blocks along a side, which take 14 levels */
    LENGTH_BITS_START = 3,
    LEAVES_AT_ONCE = 4 /* leaves that a work-item makes together */
};

#define NO_LEAF 0xFFFFFFFFu

/* Describes the tag trees of a packet's bands: where the nodes of each level begin, and how many levels there are. */
struct packet_trees {
    LOCAL u32 *offset; /* PACKET_LEVELS for each band */
    LOCAL u32 *levels; /* 0: the band has no blocks */
};

/* Holds the bits of a block's part of a packet header, in the order in which they are written. */
struct block_bits {
    u32 inclusion, inclusion_count;
    u32 zeros;
    u32 planes, planes_count; /* with the number of passes, and how many bits more than three the length has */
    u32 length, length_count;
};

FUNCTION u32 level_size(u32 size, u32 level)
{
    return (size + (1u << level) - 1) >> level;
}

/* Set the offsets and numbers of levels of a packet's trees. One work-item calls this. */
FUNCTION void shape_trees(const struct packet_trees *trees, GLOBAL const struct j2k_work_packet *packet)
{
    u32 at = packet->node;
    for (u32 b = 0; b < J2K_PACKET_BANDS; b++) {
        u32 width = packet->columns[b], height = packet->rows[b], levels = 0;
        for (u32 more = width > 0; more; levels++) {
            trees->offset[PACKET_LEVELS * b + levels] = at;
            at += width * height;
            more = width > 1 || height > 1;
            width = (width + 1) / 2;
            height = (height + 1) / 2;
        }
        trees->levels[b] = levels;
    }
}

FUNCTION u32 included_leaf(GLOBAL const u32 *node, LOCAL const u32 *offset, u32 columns, u32 level, u32 x, u32 y)
{
    return node[offset[level] + (y >> level) * level_size(columns, level) + (x >> level)];
}

/*
 * Find the band of node *i of a level, where the nodes of all bands follow each other. Returns the band, and sets *i to
 * the node's index in it; J2K_PACKET_BANDS: there is no such node.
 */
FUNCTION u32 find_band(const struct packet_trees *trees, GLOBAL const struct j2k_work_packet *packet, u32 level, u32 *i)
{
    for (u32 b = 0; b < J2K_PACKET_BANDS; b++) {
        u32 count =
            level < trees->levels[b] ? level_size(packet->columns[b], level) * level_size(packet->rows[b], level) : 0;
        if (*i < count)
            return b;
        *i -= count;
    }
    return J2K_PACKET_BANDS;
}

/* Make the `total` leaves of the trees. Returns whether this work-item has met a block that the host must code. */
FUNCTION u32 make_leaves(GLOBAL u32 *RESTRICT node, const struct packet_trees *trees,
    GLOBAL const struct j2k_work_packet *packet, u32 total, GLOBAL const struct j2k_packets_work *head,
    GLOBAL const u32 *RESTRICT results)
{
    u32 problem = 0;
    results += head->result;
    for (u32 first = local_index(); first < total; first += LEAVES_AT_ONCE * J2K_PACKET_GROUP) {
        u32 planes[LEAVES_AT_ONCE], leaf[LEAVES_AT_ONCE], length[LEAVES_AT_ONCE], to[LEAVES_AT_ONCE];
        UNROLL for (u32 k = 0; k < LEAVES_AT_ONCE; k++)
        {
            u32 i = first + k * J2K_PACKET_GROUP, b = find_band(trees, packet, 0, &i);
            b = b < J2K_PACKET_BANDS ? b : 0;
            planes[k] = length[k] = 0;
            to[k] = trees->offset[PACKET_LEVELS * b] + i;
            leaf[k] = i;
            if (first + k * J2K_PACKET_GROUP < total) {
                GLOBAL const u32 *result = results + (packet->block[b] + i) * head->stride;
                planes[k] = result[0];
                length[k] = result[head->length];
                problem |= planes[k] > packet->planes[b];
            }
        }
        UNROLL for (u32 k = 0; k < LEAVES_AT_ONCE; k++)
        {
            problem |= length[k] > J2K_PACKET_LENGTH_MOST;
            if (first + k * J2K_PACKET_GROUP < total)
                node[to[k]] = planes[k] > 0 ? leaf[k] : NO_LEAF;
        }
    }
    return problem;
}

/* Return the first included leaf below a node, from its up to four child nodes. */
FUNCTION u32 join_nodes(GLOBAL const u32 *below, u32 width, u32 height, u32 x, u32 y)
{
    u32 beside = x + 1 < width, under = y + 1 < height;
    GLOBAL const u32 *from = below + y * width + x;
    u32 a = from[0], b = from[beside], c = from[under * width], d = from[under * width + beside];
    a = b < a ? b : a;
    c = d < c ? d : c;
    return c < a ? c : a;
}

/* Make the nodes above the leaves, once all leaves have been written. The whole work-group calls this. */
FUNCTION void make_nodes(
    GLOBAL u32 *node, const struct packet_trees *trees, GLOBAL const struct j2k_work_packet *packet)
{
    for (u32 k = 1; k < PACKET_LEVELS; k++) {
        if (k >= trees->levels[0] && k >= trees->levels[1] && k >= trees->levels[2])
            break;
        for (u32 first = local_index();; first += J2K_PACKET_GROUP) {
            u32 i = first, b = find_band(trees, packet, k, &i);
            if (b == J2K_PACKET_BANDS)
                break;
            u32 y = i / level_size(packet->columns[b], k), x = i - y * level_size(packet->columns[b], k);
            LOCAL const u32 *offset = trees->offset + PACKET_LEVELS * b + k;
            node[offset[0] + i] = join_nodes(node + offset[-1], level_size(packet->columns[b], k - 1),
                level_size(packet->rows[b], k - 1), 2 * x, 2 * y);
        }
        barrier_all();
    }
}

/* Find the bits that say whether block (x, y) is included, as far as earlier blocks do not already imply it. */
FUNCTION void find_inclusion(
    struct block_bits *bits, GLOBAL const u32 *node, LOCAL const u32 *offset, u32 top, u32 columns, u32 x, u32 y)
{
    u32 k = 0, included = 1;
    while (k < top && ((x | y) >> k & 1) == 0)
        k++;
    if (k < top && included_leaf(node, offset, columns, k + 1, x, y) == NO_LEAF)
        return;
    for (k++; k > 0 && included; k--) {
        included = included_leaf(node, offset, columns, k - 1, x, y) != NO_LEAF;
        bits->inclusion = bits->inclusion << 1 | included;
        bits->inclusion_count++;
    }
}

/* Return the bits of block i of a band. `length`: number of the block's bytes, 0 if it is not included. */
FUNCTION struct block_bits find_bits(GLOBAL const u32 *node, LOCAL const u32 *offset, u32 levels, u32 columns, u32 i,
    u32 included, u32 length, u32 planes)
{
    struct block_bits bits = {0, 0, 0, 0, 0, 0, 0};
    u32 y = i / columns, x = i - y * columns, told = 0;
    find_inclusion(&bits, node, offset, levels - 1, columns, x, y);
    if (!included)
        return bits;
    while (told < levels && included_leaf(node, offset, columns, told, x, y) == i)
        told++;
    u32 width = bit_length(length) > LENGTH_BITS_START ? bit_length(length) : LENGTH_BITS_START;
    u32 more = width - LENGTH_BITS_START;
    bits.zeros = told == levels ? planes - 1 : 0;
    /* A 1 for each node that is coded, a 0 for one pass, a 1 for each additional bit of the length, and a 0. */
    bits.planes = ((1u << told) - 1) << (more + 2) | ((2u << more) - 2);
    bits.planes_count = told + more + 2;
    bits.length = length;
    bits.length_count = width;
    return bits;
}

/* Holds what the work-items of a packet have in common. */
struct packet_group {
    GLOBAL const struct j2k_packets_work *head;
    GLOBAL const struct j2k_work_packet *packet;
    GLOBAL const u32 *results;
    GLOBAL const u32 *node;
    GLOBAL struct j2k_work_placed_block *place; /* for each block */
    GLOBAL u8 *to;
    LOCAL u32 *scratch;
    struct header_memory memory;
};

/*
 * Write the bits of the blocks from `first` on, one for each work-item. `body`: number of bytes of the blocks in front
 * of these. Returns that number including these blocks.
 */
FUNCTION u32 put_blocks(
    const struct packet_group *p, const struct packet_trees *trees, struct header_writing *writing, u32 first, u32 body)
{
    struct block_bits bits = {0, 0, 0, 0, 0, 0, 0};
    u32 i = first + local_index(), b = find_band(trees, p->packet, 0, &i), block = 0, length = 0, there = 0;
    u32x2 total;
    if (b < J2K_PACKET_BANDS) {
        block = p->packet->block[b] + i;
        GLOBAL const u32 *result = p->results + p->head->result + block * p->head->stride;
        there = result[0] > 0;
        length = there ? result[p->head->length] : 0;
        bits = find_bits(p->node, trees->offset + PACKET_LEVELS * b, trees->levels[b], p->packet->columns[b], i, there,
            length, p->packet->planes[b]);
    }
    u32 count = bits.inclusion_count + bits.zeros + bits.planes_count + bits.length_count;
    u32x2 before = group_scan_two(p->scratch, J2K_PACKET_GROUP, count, length, &total);
    u32 at = writing->fill + before.x;
    put_bits(p->memory.words, at, bits.inclusion, bits.inclusion_count);
    at += bits.inclusion_count + bits.zeros;
    put_bits(p->memory.words, at, bits.planes, bits.planes_count);
    put_bits(p->memory.words, at + bits.planes_count, bits.length, bits.length_count);
    if (there) {
        p->place[block].packet = group_index();
        p->place[block].at = body + before.y;
    }
    writing->fill += total.x;
    barrier_local();
    put_bytes(writing, &p->memory, p->to);
    barrier_local();
    return body + total.y;
}

FUNCTION GLOBAL struct j2k_work_placed_packet *placed_packets(
    GLOBAL u32 *work, GLOBAL const struct j2k_packets_work *head)
{
    return (GLOBAL struct j2k_work_placed_packet *)(work + head->placed);
}

/* Write the header of a packet with each work-group. `head_at`: where the struct j2k_packets_work is in the list. */
KERNEL(J2K_PACKET_GROUP)
write_packets(GLOBAL const u32 *RESTRICT list, GLOBAL const u32 *RESTRICT results, GLOBAL u32 *work, u32 head_at)
{
    SHARED u32 words[HEADER_WORDS + 1];
    SHARED u32 runs[J2K_PACKET_GROUP];
    SHARED u16 walks[HEADER_STARTS * J2K_PACKET_GROUP];
    SHARED u32 scratch[J2K_PACKET_GROUP];
    SHARED u32 offset[J2K_PACKET_BANDS * PACKET_LEVELS];
    SHARED u32 levels[J2K_PACKET_BANDS];
    SHARED u32 rest[2];
    GLOBAL const struct j2k_packets_work *head = (GLOBAL const struct j2k_packets_work *)(list + head_at);
    struct packet_trees trees = {offset, levels};
    struct header_writing writing = {1, 0};
    struct packet_group p;
    u32 body = 0, total = 0, any = 0;
    p.head = head;
    p.packet = (GLOBAL const struct j2k_work_packet *)(list + head->packet) + group_index();
    p.results = results;
    p.node = work + head->node;
    p.place = (GLOBAL struct j2k_work_placed_block *)(work + head->place);
    p.to = (GLOBAL u8 *)(work + head->header + p.packet->header);
    p.scratch = scratch;
    p.memory.words = words;
    p.memory.runs = runs;
    p.memory.stretch = scratch;
    p.memory.walk = walks;
    p.memory.rest = rest;
    if (local_index() == 0)
        shape_trees(&trees, p.packet);
    barrier_local();
    for (u32 b = 0; b < J2K_PACKET_BANDS; b++)
        total += p.packet->columns[b] * p.packet->rows[b];
    u32 problem = make_leaves(work + head->node, &trees, p.packet, total, head, results);
    barrier_all();
    make_nodes(work + head->node, &trees, p.packet);
    problem = group_any(scratch, J2K_PACKET_GROUP, problem);
    for (u32 b = 0; b < J2K_PACKET_BANDS; b++)
        any |= levels[b] > 0 && p.node[offset[PACKET_LEVELS * b + levels[b] - 1]] != NO_LEAF;
    any &= !problem;
    for (u32 i = local_index(); i <= HEADER_WORDS; i += J2K_PACKET_GROUP)
        words[i] = i == 0 ? any << 31 : 0;
    barrier_local();
    for (u32 first = 0; first < total && any; first += J2K_PACKET_GROUP)
        body = put_blocks(&p, &trees, &writing, first, body);
    if (local_index() == 0) {
        GLOBAL struct j2k_work_placed_packet *to = placed_packets(work, head) + group_index();
        to->header = end_header(&writing, words, p.to);
        to->body = body;
        to->problem = problem;
    }
}

/* Place the packets of a picture one behind the other, with each work-group. */
KERNEL(J2K_PACKET_GROUP)
place_packets(GLOBAL const u32 *RESTRICT list, GLOBAL u32 *work, u32 head_at)
{
    SHARED u32 scratch[J2K_PACKET_GROUP];
    GLOBAL const struct j2k_packets_work *head = (GLOBAL const struct j2k_packets_work *)(list + head_at);
    GLOBAL const struct j2k_work_picture_packets *picture =
        (GLOBAL const struct j2k_work_picture_packets *)(list + head->picture) + group_index();
    GLOBAL struct j2k_work_placed_packet *packet = placed_packets(work, head) + picture->first;
    u32 at = 0, problem = 0;
    for (u32 first = 0; first < picture->count; first += J2K_PACKET_GROUP) {
        u32 i = first + local_index(), there = i < picture->count, total;
        u32 before = group_scan(scratch, J2K_PACKET_GROUP, there ? packet[i].header + packet[i].body : 0, &total);
        if (there) {
            packet[i].at = at + before;
            problem |= packet[i].problem;
        }
        at += total;
        barrier_local();
    }
    problem = group_any(scratch, J2K_PACKET_GROUP, problem);
    if (local_index() == 0) {
        GLOBAL struct j2k_work_found_packets *found = (GLOBAL struct j2k_work_found_packets *)work + group_index();
        found->length = at;
        found->problem = problem;
    }
}

/*
 * Copy the packets of a picture, `packets` packets from index `packet` on, to a buffer. Each of the first work-groups
 * copies a header, and each of the others the bytes of a block, from index `block` on. `list` begins with a struct
 * j2k_list_work.
 */
KERNEL(J2K_ASSEMBLE_GROUP)
assemble_packets(GLOBAL const u32 *RESTRICT list, GLOBAL const u32 *RESTRICT results, GLOBAL const u32 *RESTRICT data,
    GLOBAL const u32 *RESTRICT work, GLOBAL u32 *RESTRICT stream, u32 head_at, u32 packet, u32 packets, u32 block)
{
    GLOBAL const struct j2k_packets_work *head = (GLOBAL const struct j2k_packets_work *)(list + head_at);
    GLOBAL const struct j2k_work_placed_packet *placed =
        (GLOBAL const struct j2k_work_placed_packet *)(work + head->placed);
    if (group_index() < packets) {
        GLOBAL const struct j2k_work_packet *from =
            (GLOBAL const struct j2k_work_packet *)(list + head->packet) + packet + group_index();
        placed += packet + group_index();
        copy_run(
            (GLOBAL u8 *)stream + placed->at, (GLOBAL const u8 *)(work + head->header + from->header), placed->header);
        return;
    }
    block += group_index() - packets;
    u32 length = results[head->result + block * head->stride + head->length];
    if (length == 0)
        return;
    GLOBAL const struct j2k_work_placed_block *place =
        (GLOBAL const struct j2k_work_placed_block *)(work + head->place) + block;
    GLOBAL const struct j2k_work_coded_block *coded =
        (GLOBAL const struct j2k_work_coded_block *)(list + ((GLOBAL const struct j2k_list_work *)list)->block) + block;
    placed += place->packet;
    copy_body(stream, placed->at + placed->header + place->at, data, coded->data + J2K_DATA_HEAD, length);
}
