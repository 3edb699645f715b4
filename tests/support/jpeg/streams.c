/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes streams of every shape with libjpeg. */
#include "support/jpeg/streams.h"

#include <stdlib.h>
#include <string.h>

#include "support/jpeg/libjpeg_encode.h"
#include "support/test.h"

uint32_t recipe_components(const struct recipe *recipe)
{
    switch (recipe->colour) {
    case KST_COLOUR_GREY:
        return 1;
    case KST_COLOUR_CMYK:
    case KST_COLOUR_YCCK:
        return 4;
    default:
        return 3;
    }
}

uint32_t recipe_mcu_blocks(const struct recipe *recipe)
{
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < recipe_components(recipe); i++)
        blocks += (uint32_t)recipe->h[i] * recipe->v[i];
    return blocks;
}

static void paint(uint8_t *to, uint32_t width, uint32_t height, uint32_t plane)
{
    uint32_t random = width * 31 + height + plane * 977;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            random = random * 1664525 + 1013904223;
            uint32_t value = x * (plane + 2) + y * (5 - plane);
            uint32_t area = (x / 24 + y / 16 + plane) % 5;
            if (area == 1)
                value = random >> 24;
            else if (area == 2)
                value = ((x ^ y) & 4) ? 252 : 3;
            else if (area == 3)
                value = 120 + (random >> 28);
            *to++ = (uint8_t)value;
        }
    }
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

static void make_planes(const struct recipe *recipe, kst_image *image)
{
    uint32_t hmax = 1, vmax = 1;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        hmax = recipe->h[i] > hmax ? recipe->h[i] : hmax;
        vmax = recipe->v[i] > vmax ? recipe->v[i] : vmax;
    }
    for (uint32_t i = 0; i < image->plane_count; i++) {
        kst_plane *plane = &image->plane[i];
        plane->width = divide_up(recipe->width * (recipe->h[i] ? recipe->h[i] : 1), hmax);
        plane->height = divide_up(recipe->height * (recipe->v[i] ? recipe->v[i] : 1), vmax);
        plane->pitch = (ptrdiff_t)plane->width;
        plane->data = malloc((size_t)plane->width * plane->height);
        assert_non_null(plane->data);
        paint(plane->data, plane->width, plane->height, i);
    }
}

static kst_encode_options options_of(const struct recipe *recipe)
{
    kst_encode_options o;
    kst_encode_options_init(&o);
    o.quality = recipe->quality ? recipe->quality : 75;
    o.colour = recipe->colour;
    for (uint32_t i = 0; i < 4; i++) {
        o.h[i] = recipe->h[i] ? recipe->h[i] : 1;
        o.v[i] = recipe->v[i] ? recipe->v[i] : 1;
    }
    o.coding = recipe->coding;
    o.restart = recipe->restart;
    o.script = recipe->script;
    o.script_length = recipe->script_length;
    o.metadata = recipe->metadata;
    o.metadata_count = recipe->metadata_count;
    return o;
}

struct stream make_stream(const struct recipe *recipe)
{
    kst_encode_options o = options_of(recipe);
    kst_image image;
    unsigned char *data;
    unsigned long length;
    kst_image_init(&image);
    image.format = KST_FORMAT_RAW;
    image.colour = recipe->colour;
    image.width = recipe->width;
    image.height = recipe->height;
    image.plane_count = recipe_components(recipe);
    make_planes(recipe, &image);
    if (!libjpeg_encode(&image, &o, &data, &length)) {
        show_recipe(recipe);
        fail_msg("libjpeg refuses to write this");
    }
    for (uint32_t i = 0; i < image.plane_count; i++)
        free(image.plane[i].data);
    return (struct stream){data, length};
}

void show_recipe(const struct recipe *r)
{
    print_error("%u×%u, colour %d, factors %u×%u %u×%u %u×%u %u×%u, quality %d, coding %d, restart %d %u, %zu scans\n",
        r->width, r->height, (int)r->colour, r->h[0], r->v[0], r->h[1], r->v[1], r->h[2], r->v[2], r->h[3], r->v[3],
        r->quality, (int)r->coding, (int)r->restart.unit, r->restart.interval, r->script_length);
}
