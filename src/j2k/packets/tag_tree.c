/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes tag trees and computes their shapes. */
#include "j2k/packets/tag_tree.h"

void kst_j2k_tag_shape(struct j2k_tag_shape *shape, uint32_t width, uint32_t height)
{
    shape->levels = 0;
    shape->nodes = 0;
    for (;;) {
        shape->width[shape->levels] = width;
        shape->offset[shape->levels] = shape->nodes;
        shape->nodes += width * height;
        shape->levels++;
        if (width == 1 && height == 1)
            return;
        width = (width + 1) / 2;
        height = (height + 1) / 2;
    }
}

bool kst_j2k_tag_below(const struct j2k_tag_shape *shape, uint32_t *nodes, struct j2k_header_bits *bits, uint32_t x,
    uint32_t y, uint32_t threshold, uint32_t *level)
{
    uint32_t low = 0;
    for (uint32_t k = shape->levels; k-- > 0;) {
        uint32_t *node = &nodes[j2k_tag_node(shape, k, x, y)];
        if (*node & 1) {
            low = *node / 2;
            continue;
        }
        if (low < *node / 2)
            low = *node / 2;
        bool known = false;
        while (low < threshold && !known) {
            known = j2k_bit(bits);
            low += !known;
        }
        *node = 2 * low + known;
        if (!known) {
            *level = k;
            return false;
        }
    }
    return true;
}

uint32_t kst_j2k_tag_value(
    const struct j2k_tag_shape *shape, uint8_t *nodes, struct j2k_header_bits *bits, uint32_t x, uint32_t y)
{
    uint32_t low = 0;
    for (uint32_t k = shape->levels; k-- > 0;) {
        uint8_t *node = &nodes[j2k_tag_node(shape, k, x, y)];
        if (*node & 1) {
            low = *node / 2;
            continue;
        }
        while (low <= J2K_TAG_MISSING_MAX && !j2k_bit(bits))
            low++;
        *node = (uint8_t)(2 * low + 1);
    }
    return low;
}
