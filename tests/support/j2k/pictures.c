/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes pictures to encode as JPEG 2000, and compares them. */
#include "support/j2k/pictures.h"

#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/random.h"
#include "support/test.h"

kst_j2k_options shape_options(const struct coded_shape *shape)
{
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.tile_width = j2k.tile_height = shape->tile;
    j2k.target = shape->target;
    j2k.value = shape->value;
    return j2k;
}

kst_image noise_image(kst_format format, uint32_t width, uint32_t height, uint32_t depth)
{
    kst_image image;
    uint32_t bytes = depth > 8 ? 2 : 1, samples = format == KST_FORMAT_RGB ? 3 : 1;
    kst_image_init(&image);
    image.format = format;
    image.width = width;
    image.height = height;
    image.plane_count = format == KST_FORMAT_RAW ? 3 : 1;
    for (uint32_t p = 0; p < image.plane_count; p++) {
        kst_plane *plane = &image.plane[p];
        uint32_t apart = p == 1 ? 3 : 1;
        *plane = (kst_plane){
            .width = (width + apart - 1) / apart, .height = (height + apart - 1) / apart, .depth = (uint8_t)depth};
        plane->pitch = (ptrdiff_t)plane->width * samples * bytes;
        size_t count = (size_t)plane->pitch * plane->height;
        uint8_t *data = plane->data = malloc(count);
        assert_non_null(data);
        for (size_t i = 0; i < count; i++)
            data[i] = (uint8_t)(bytes == 2 && i % 2 ? next_random() >> 29 : i / 700 + (next_random() >> 29));
    }
    return image;
}

void image_like(kst_image *image, const kst_image *like)
{
    *image = *like;
    for (uint32_t p = 0; p < like->plane_count; p++) {
        size_t count = (size_t)like->plane[p].pitch * like->plane[p].height;
        image->plane[p].data = malloc(count);
        assert_non_null(image->plane[p].data);
        memset(image->plane[p].data, 0xA5, count);
    }
    image->owned = NULL;
}

void image_free(kst_image *image)
{
    for (uint32_t p = 0; p < image->plane_count; p++)
        free(image->plane[p].data);
}

void expect_same_samples(const char *what, const kst_image *a, const kst_image *b)
{
    uint32_t channels = kst_format_channels(a->format), samples = channels ? channels : 1;
    for (uint32_t p = 0; p < a->plane_count; p++) {
        const kst_plane *wanted = &a->plane[p], *found = &b->plane[p];
        size_t row = (size_t)wanted->width * samples * (wanted->depth > 8 ? 2 : 1);
        for (uint32_t y = 0; y < wanted->height; y++)
            if (memcmp((uint8_t *)wanted->data + y * wanted->pitch, (uint8_t *)found->data + y * found->pitch, row) !=
                0)
                fail_msg("%s: plane %u differs in row %u", what, (unsigned)p, (unsigned)y);
    }
}

kst_context *limited_context(uint32_t threads, uint64_t memory)
{
    return context_create("cpu", threads, &(kst_limits){.memory = memory});
}
