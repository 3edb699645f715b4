/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes images as the headers state, and places their components for an area of the reference grid. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"

static opj_image_comp_t describe(const struct openjp2_codec *codec, const struct openjp2_component *from)
{
    const struct openjp2_headers *h = &codec->headers;
    opj_image_comp_t c = {.dx = from->dx,
        .dy = from->dy,
        .prec = from->depth,
        .sgnd = from->is_signed,
        .factor = codec->reduce,
        .x0 = openjp2_ceil_div(h->x0, from->dx),
        .y0 = openjp2_ceil_div(h->y0, from->dy)};
    c.w = openjp2_ceil_shift(openjp2_ceil_div(h->x1, c.dx) - c.x0, c.factor);
    c.h = openjp2_ceil_shift(openjp2_ceil_div(h->y1, c.dy) - c.y0, c.factor);
    return c;
}

opj_image_t *openjp2_image_of(const struct openjp2_codec *codec)
{
    const struct openjp2_headers *h = &codec->headers;
    opj_image_t *image = calloc(1, sizeof *image);
    if (!image)
        return NULL;
    *image = (opj_image_t){.x0 = h->x0, .y0 = h->y0, .x1 = h->x1, .y1 = h->y1, .numcomps = h->count};
    image->comps = calloc(h->count, sizeof *image->comps);
    if (!image->comps) {
        free(image);
        return NULL;
    }
    for (uint32_t i = 0; i < h->count; i++)
        image->comps[i] = describe(codec, &h->component[i]);
    return image;
}

void openjp2_tile_area(
    const struct openjp2_headers *headers, uint32_t tile, uint32_t *x0, uint32_t *y0, uint32_t *x1, uint32_t *y1)
{
    uint64_t left = (uint64_t)(tile % headers->columns) * headers->tile_width + headers->tile_x;
    uint64_t top = (uint64_t)(tile / headers->columns) * headers->tile_height + headers->tile_y;
    uint64_t right = left + headers->tile_width, bottom = top + headers->tile_height;
    *x0 = left > headers->x0 ? (uint32_t)left : headers->x0;
    *y0 = top > headers->y0 ? (uint32_t)top : headers->y0;
    *x1 = right < headers->x1 ? (uint32_t)right : headers->x1;
    *y1 = bottom < headers->y1 ? (uint32_t)bottom : headers->y1;
}

bool openjp2_place_components(const struct openjp2_codec *codec, opj_image_t *image)
{
    if (image->x0 > INT_MAX || image->y0 > INT_MAX || image->x1 > INT_MAX || image->y1 > INT_MAX)
        return openjp2_fail(codec, "the image's area is too large");
    for (uint32_t i = 0; i < image->numcomps; i++) {
        opj_image_comp_t *c = &image->comps[i];
        if (c->dx == 0 || c->dy == 0)
            return openjp2_fail(codec, "component %u has a separation of 0", i);
        c->x0 = openjp2_ceil_div(image->x0, c->dx);
        c->y0 = openjp2_ceil_div(image->y0, c->dy);
        uint32_t x0 = openjp2_ceil_shift(c->x0, c->factor), y0 = openjp2_ceil_shift(c->y0, c->factor);
        uint32_t x1 = openjp2_ceil_shift(openjp2_ceil_div(image->x1, c->dx), c->factor);
        uint32_t y1 = openjp2_ceil_shift(openjp2_ceil_div(image->y1, c->dy), c->factor);
        if (x1 < x0 || y1 < y0)
            return openjp2_fail(codec, "component %u has a negative size in the area", i);
        c->w = x1 - x0;
        c->h = y1 - y0;
    }
    return true;
}

static void choose_all(struct openjp2_codec *codec, opj_image_t *image)
{
    const struct openjp2_headers *h = &codec->headers;
    codec->tile_x0 = codec->tile_y0 = 0;
    codec->tile_x1 = h->columns;
    codec->tile_y1 = h->rows;
    image->x0 = h->x0;
    image->y0 = h->y0;
    image->x1 = h->x1;
    image->y1 = h->y1;
}

/* Describes one dimension of the area, and what the headers say of the picture in that dimension. */
struct side {
    const char *name;
    int32_t first, end;
    uint32_t picture, picture_end, tiles, tile, tile_size; /* `tiles` begin at `tile` */
};

/*
 * Clip the area to the picture in one dimension, with a warning, and find its tiles. Returns false if nothing is left.
 */
static bool cut(const struct openjp2_codec *codec, const struct side *s, uint32_t place[2], uint32_t tile[2])
{
    if (s->first < 0 || (uint32_t)s->first > s->picture_end)
        return openjp2_fail(
            codec, "the area begins at %s = %d, outside of the picture (up to %u)", s->name, s->first, s->picture_end);
    if (s->end <= 0 || (uint32_t)s->end < s->picture)
        return openjp2_fail(
            codec, "the area ends at %s = %d, outside of the picture (from %u)", s->name, s->end, s->picture);
    place[0] = (uint32_t)s->first;
    place[1] = (uint32_t)s->end;
    if (place[0] < s->picture) {
        openjp2_warn(codec, "the area begins at %s = %u, and the picture at %u", s->name, place[0], s->picture);
        place[0] = s->picture;
    }
    if (place[1] > s->picture_end) {
        openjp2_warn(codec, "the area ends at %s = %u, and the picture at %u", s->name, place[1], s->picture_end);
        place[1] = s->picture_end;
    }
    tile[0] = (place[0] - s->tile) / s->tile_size;
    tile[1] = openjp2_ceil_div(place[1] - s->tile, s->tile_size);
    return true;
}

static bool choose_area(struct openjp2_codec *codec, opj_image_t *image, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    const struct openjp2_headers *h = &codec->headers;
    const struct side across = {"x", x0, x1, h->x0, h->x1, h->columns, h->tile_x, h->tile_width};
    const struct side down = {"y", y0, y1, h->y0, h->y1, h->rows, h->tile_y, h->tile_height};
    uint32_t x[2] = {0}, y[2] = {0}, column[2] = {0}, row[2] = {0};
    if (!cut(codec, &across, x, column) || !cut(codec, &down, y, row))
        return false;
    if (x[0] > x[1] || y[0] > y[1])
        return openjp2_fail(codec, "the area from %d, %d to %d, %d ends in front of its beginning", x0, y0, x1, y1);
    image->x0 = x[0];
    image->x1 = x[1];
    image->y0 = y[0];
    image->y1 = y[1];
    codec->tile_x0 = column[0];
    codec->tile_x1 = column[1];
    codec->tile_y0 = row[0];
    codec->tile_y1 = row[1];
    return true;
}

OPJ_BOOL opj_set_decode_area(
    opj_codec_t *handle, opj_image_t *image, OPJ_INT32 x0, OPJ_INT32 y0, OPJ_INT32 x1, OPJ_INT32 y1)
{
    struct openjp2_codec *codec = openjp2_decoder_of(handle);
    if (!codec || !image)
        return OPJ_FALSE;
    if (!codec->has_read)
        return openjp2_fail(codec, "an area can be chosen only when the header has been read");
    for (uint32_t i = 0; i < image->numcomps; i++)
        image->comps[i].factor = codec->reduce;
    codec->next_tile = 0;
    if (x0 == 0 && y0 == 0 && x1 == 0 && y1 == 0)
        choose_all(codec, image);
    else if (!choose_area(codec, image, x0, y0, x1, y1))
        return OPJ_FALSE;
    return openjp2_place_components(codec, image);
}
