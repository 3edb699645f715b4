/* SPDX-License-Identifier: BSD-2-Clause */
/* Places images at odd addresses in any memory, with poison around them that nobody may overwrite. */
#include "support/gpu/placed.h"

#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/test.h"

enum { MOST_LEAD = 7, PITCHES = 3, POISON = 0xA5 };

size_t placed_sample_bytes(const kst_image *image)
{
    return image->plane[0].depth > 8 ? 2 : 1;
}

size_t placed_row_bytes(const kst_image *image)
{
    return (size_t)image->width * kst_format_channels(image->format) * placed_sample_bytes(image);
}

static void make_block(struct placed *placed, kst_memory memory, uint32_t length)
{
    kst_image host;
    uint8_t *bytes = malloc(length);
    assert_non_null(bytes);
    memset(bytes, POISON, length);
    assert_int_equal(kst_image_wrap(&host, KST_FORMAT_GREY, length, 1, bytes, 0), KST_OK);
    placed->block = host;
    placed->block.memory = memory;
    placed->block.plane[0].data = NULL;
    assert_int_equal(kst_image_allocate(placed->context, &placed->block), KST_OK);
    assert_int_equal(kst_image_copy(placed->context, &host, &placed->block), KST_OK);
    free(bytes);
}

void placed_place(struct placed *placed, kst_context *context, const kst_image *like, kst_memory memory)
{
    size_t unit = placed_sample_bytes(like), at = (16 + next_random() % (MOST_LEAD + 1)) * unit;
    kst_plane *plane = &placed->image.plane[0];
    placed->context = context;
    placed->image = *like;
    placed->image.memory = memory;
    plane->pitch = (ptrdiff_t)(placed_row_bytes(like) + next_random() % PITCHES * unit);
    make_block(placed, memory, (uint32_t)(at + (size_t)plane->pitch * like->height + 16));
    plane->data = placed->block.plane[0].data;
    plane->offset = placed->block.plane[0].offset + at;
    if (memory != KST_MEMORY_OPENCL)
        plane->data = (uint8_t *)placed->block.plane[0].data + at;
}

void placed_drop(struct placed *placed)
{
    kst_image_release(placed->context, &placed->block);
}

void placed_check(const char *what, const struct placed *placed)
{
    uint32_t length = placed->block.width;
    const kst_plane *plane = &placed->image.plane[0];
    size_t row = placed_row_bytes(&placed->image), first = plane->offset - placed->block.plane[0].offset;
    uint8_t *bytes = malloc(length);
    kst_image host;
    assert_non_null(bytes);
    assert_int_equal(kst_image_wrap(&host, KST_FORMAT_GREY, length, 1, bytes, 0), KST_OK);
    assert_int_equal(kst_image_copy(placed->context, &placed->block, &host), KST_OK);
    for (size_t i = 0; i < length; i++) {
        size_t y = i < first ? placed->image.height : (i - first) / (size_t)plane->pitch;
        bool inside = y < placed->image.height && (i - first) % (size_t)plane->pitch < row;
        if (!inside && bytes[i] != POISON)
            fail_msg("%s: byte %zu outside the image was written", what, i);
    }
    free(bytes);
}
