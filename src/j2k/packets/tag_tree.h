/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tag trees (T.800 B.10.2) of one precinct's band. Their nodes lie level after level, the leaves first, each level in
 * raster order; a node is one number, and where it stands follows from the tree's size.
 */
#ifndef KOSTKA_J2K_PACKETS_TAG_TREE_H
#define KOSTKA_J2K_PACKETS_TAG_TREE_H

#include "j2k/packets/header_bits.h"

enum {
    J2K_TAG_LEVELS = 15,     /* at most 2^14 leaves along a side */
    J2K_TAG_MISSING_MAX = 80 /* more bit planes than any band has: damage */
};

struct j2k_tag_shape {
    uint32_t levels; /* 1 for a single leaf */
    uint32_t width[J2K_TAG_LEVELS];
    uint32_t offset[J2K_TAG_LEVELS]; /* of a level's first node */
    uint32_t nodes;
};

/* 1 ≤ width, height ≤ 2^14. */
void kst_j2k_tag_shape(struct j2k_tag_shape *shape, uint32_t width, uint32_t height);

/*
 * Whether the value of leaf (x, y) is less than the threshold, 1 … 65,535; `nodes` hold twice the lower bound, and 1
 * more where it is the value. Where it is not less, *level says how far up that is known: no leaf below that ancestor
 * has a smaller value.
 */
bool kst_j2k_tag_below(const struct j2k_tag_shape *shape, uint32_t *nodes, struct j2k_header_bits *bits, uint32_t x,
    uint32_t y, uint32_t threshold, uint32_t *level);

/* The value of leaf (x, y), at most J2K_TAG_MISSING_MAX + 1, which stands for any larger one. Nodes as above. */
uint32_t kst_j2k_tag_value(
    const struct j2k_tag_shape *shape, uint8_t *nodes, struct j2k_header_bits *bits, uint32_t x, uint32_t y);

/* Where the ancestor of leaf (x, y) stands that is `level` levels up, 0 for the leaf itself. */
static inline uint32_t j2k_tag_node(const struct j2k_tag_shape *shape, uint32_t level, uint32_t x, uint32_t y)
{
    return shape->offset[level] + (y >> level) * shape->width[level] + (x >> level);
}

#endif
