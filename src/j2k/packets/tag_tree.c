/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the shapes of tag trees. */
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
