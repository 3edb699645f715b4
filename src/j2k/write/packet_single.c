/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes packet headers of pictures with one layer. Blocks are visited in raster order, so that a block's place tells
 * which nodes of the inclusion tag tree are met for the first time: those whose first leaf it is.
 */
#include "j2k/write/packet_single.h"

enum { INCLUDED = 1, TOLD = 2, LENGTH_BITS_START = 3 };

static inline uint8_t least_of(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static inline uint8_t any_of(uint8_t a, uint8_t b)
{
    return a | b;
}

/* Make each node above the leaves from two by two nodes below it; at an odd end a node is used twice. */
static inline void reduce(
    const struct j2k_tag_shape *shape, uint32_t height, uint8_t *node, uint8_t (*join)(uint8_t, uint8_t))
{
    for (uint32_t k = 1; k < shape->levels; k++, height = (height + 1) / 2) {
        const uint32_t width = shape->width[k - 1];
        const uint8_t *below = node + shape->offset[k - 1];
        uint8_t *to = node + shape->offset[k];
        for (uint32_t y = 0; y < height; y += 2, below += 2 * (size_t)width) {
            const uint8_t *next = y + 1 < height ? below + width : below;
            for (uint32_t x = 0; x < width; x += 2) {
                const uint32_t beside = x + 1 < width ? x + 1 : x;
                *to++ = join(join(below[x], below[beside]), join(next[x], next[beside]));
            }
        }
    }
}

void kst_j2k_tag_least(const struct j2k_tag_shape *shape, uint32_t height, uint8_t *value)
{
    reduce(shape, height, value, least_of);
}

int32_t kst_j2k_single_mark(const struct j2k_coded *coded, const struct j2k_single_band *band)
{
    const struct j2k_tag_shape *shape = &band->shape;
    if (shape->levels == 0)
        return 0;
    const uint32_t blocks = shape->levels > 1 ? shape->offset[1] : 1;
    const uint8_t *passes = coded->layer_passes + band->first_block;
    for (uint32_t i = 0; i < blocks; i++) {
        band->state[i] = passes[i] > 0 ? INCLUDED : 0;
        if (passes[i] > band->room)
            return -1;
    }
    reduce(shape, blocks / shape->width[0], band->state, any_of);
    return band->state[shape->nodes - 1];
}

void kst_j2k_put_passes(struct j2k_header_writer *bits, uint32_t passes)
{
    if (passes == 1)
        j2k_writer_bits(bits, 0, 1);
    else if (passes == 2)
        j2k_writer_bits(bits, 2, 2);
    else if (passes < 6)
        j2k_writer_bits(bits, 0xC | (passes - 3), 4);
    else if (passes < 37)
        j2k_writer_bits(bits, 0x1E0 | (passes - 6), 9);
    else
        j2k_writer_bits(bits, 0xFF80 | (passes - 37), 16);
}

/* Write whether a block is included, as far as earlier blocks do not already imply it. */
static void put_inclusion(const struct j2k_single_band *band, struct j2k_header_writer *bits, uint32_t x, uint32_t y)
{
    const struct j2k_tag_shape *shape = &band->shape;
    const uint32_t top = shape->levels - 1;
    uint32_t k = (x | y) != 0 ? (uint32_t)__builtin_ctz(x | y) : top;
    k = k < top ? k : top;
    if (k < top && (band->state[j2k_tag_node(shape, k + 1, x, y)] & INCLUDED) == 0)
        return;
    for (uint32_t included = INCLUDED;; k--) {
        included &= band->state[j2k_tag_node(shape, k, x, y)];
        j2k_writer_bit(bits, included);
        if (!included || k == 0)
            return;
    }
}

/* Write the number of a block's missing bit-planes, as far as it has not been written yet. */
static void put_missing(const struct j2k_single_band *band, struct j2k_header_writer *bits, uint32_t x, uint32_t y)
{
    const struct j2k_tag_shape *shape = &band->shape;
    uint32_t low = 0, k = 1;
    while (k < shape->levels && (band->state[j2k_tag_node(shape, k, x, y)] & TOLD) == 0)
        k++;
    if (k < shape->levels)
        low = band->value[j2k_tag_node(shape, k, x, y)];
    while (k-- > 0) {
        const uint32_t i = j2k_tag_node(shape, k, x, y);
        j2k_writer_zeros(bits, band->value[i] - low);
        j2k_writer_bit(bits, 1);
        band->state[i] |= TOLD;
        low = band->value[i];
    }
}

/* Write the number of passes of a block and the length of its segment (B.10.6, B.10.7). */
static void put_length(struct j2k_header_writer *bits, uint32_t passes, uint32_t length)
{
    const uint32_t wanted = j2k_bit_count(length), given = j2k_bit_count(passes) - 1;
    const uint32_t width = wanted > given + LENGTH_BITS_START ? wanted - given : LENGTH_BITS_START;
    const uint32_t more = width - LENGTH_BITS_START;
    kst_j2k_put_passes(bits, passes);
    j2k_writer_bits(bits, (uint32_t)((UINT64_C(2) << more) - 2), more + 1);
    j2k_writer_bits(bits, length, width + given);
}

uint64_t kst_j2k_single_put(
    const struct j2k_coded *coded, const struct j2k_single_band *band, struct j2k_header_writer *bits)
{
    const struct j2k_tag_shape *shape = &band->shape;
    const uint32_t blocks = shape->levels > 1 ? shape->offset[1] : shape->levels;
    const struct j2k_block_code *block = coded->block + band->first_block;
    const uint8_t *passes = coded->layer_passes + band->first_block;
    struct j2k_header_writer own = *bits; /* a copy that can stay in registers */
    uint64_t body = 0;
    for (uint32_t i = 0, y = 0; i < blocks; y++)
        for (uint32_t x = 0; x < shape->width[0]; x++, i++) {
            put_inclusion(band, &own, x, y);
            if (passes[i] == 0)
                continue;
            const uint32_t length = coded->pass_length[block[i].first_pass + passes[i] - 1];
            put_missing(band, &own, x, y);
            put_length(&own, passes[i], length);
            body += length;
        }
    *bits = own;
    return body;
}
