/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the tag trees (T.800 B.10.2) of one band of a precinct, for reading and writing packet headers. The nodes
 * lie in one array, level after level with the leaves first, each level in raster order. A node is a single number, and
 * its index follows from the size of the tree.
 */
#ifndef KOSTKA_J2K_PACKETS_TAG_TREE_H
#define KOSTKA_J2K_PACKETS_TAG_TREE_H

#include "j2k/packets/header_bits.h"

enum {
    J2K_TAG_LEVELS = 15,     /* levels of a tree with at most 2^14 leaves along a side */
    J2K_TAG_MISSING_MAX = 80 /* more bit-planes than any band has, which means damage */
};

struct j2k_tag_shape {
    uint32_t levels; /* 1 for a single leaf */
    uint32_t width[J2K_TAG_LEVELS];
    uint32_t offset[J2K_TAG_LEVELS]; /* index of each level's first node */
    uint32_t nodes;
};

/* Compute the shape of a tree of width × height leaves; both are 1 to 2^14. */
void kst_j2k_tag_shape(struct j2k_tag_shape *shape, uint32_t width, uint32_t height);

/* Return the index of the ancestor of leaf (x, y) that is `level` levels up; level 0 is the leaf itself. */
static inline uint32_t j2k_tag_node(const struct j2k_tag_shape *shape, uint32_t level, uint32_t x, uint32_t y)
{
    return shape->offset[level] + (y >> level) * shape->width[level] + (x >> level);
}

/*
 * Decode whether the value of leaf (x, y), which is not known yet, is less than the threshold, 1 to 65,535. Each of
 * `nodes` holds twice the lower bound, plus 1 if the bound is the value. If the value is not less, *level becomes the
 * level of the highest ancestor for which that is known: no leaf below that ancestor has a value less than the
 * threshold. All ancestors of a known node are known, too, so that decoding begins below the lowest known node.
 */
static inline bool j2k_tag_below(const struct j2k_tag_shape *shape, uint32_t *nodes, struct j2k_header_bits *bits,
    uint32_t x, uint32_t y, uint32_t threshold, uint32_t *level)
{
    uint32_t low = 0, k = 1;
    while (k < shape->levels && !(nodes[j2k_tag_node(shape, k, x, y)] & 1))
        k++;
    if (k < shape->levels)
        low = nodes[j2k_tag_node(shape, k, x, y)] / 2;
    while (k-- > 0) {
        uint32_t *node = &nodes[j2k_tag_node(shape, k, x, y)];
        low = low < *node / 2 ? *node / 2 : low;
        low += low < threshold ? j2k_bits_zeros(bits, threshold - low) : 0;
        const bool known = low < threshold;
        *node = 2 * low + known;
        if (!known) {
            *level = k;
            return false;
        }
    }
    return true;
}

/*
 * Decode the value of leaf (x, y), which is not known yet. The result is at most J2K_TAG_MISSING_MAX + 1, which stands
 * for any larger value. Nodes are coded as above, but 0 stands for a value that is not known.
 */
static inline uint32_t j2k_tag_value(
    const struct j2k_tag_shape *shape, uint8_t *nodes, struct j2k_header_bits *bits, uint32_t x, uint32_t y)
{
    uint32_t low = 0, k = 1;
    while (k < shape->levels && nodes[j2k_tag_node(shape, k, x, y)] == 0)
        k++;
    if (k < shape->levels)
        low = nodes[j2k_tag_node(shape, k, x, y)] / 2U;
    while (k-- > 0) {
        low += j2k_bits_zeros(bits, J2K_TAG_MISSING_MAX + 1 - low);
        nodes[j2k_tag_node(shape, k, x, y)] = (uint8_t)(2 * low + 1);
    }
    return low;
}

#endif
