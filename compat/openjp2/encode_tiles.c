/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accepts pictures tile by tile. All tiles are kept until the last one has come, because a rate applies to all
 * together.
 */
#include <stdlib.h>
#include <string.h>

#include "encoder.h"

/* Describes the area of a tile in a component, in samples. */
struct area {
    uint32_t x, y, width, height;
};

static uint32_t within(uint64_t value, uint32_t low, uint32_t high)
{
    return value < low ? low : value > high ? high : (uint32_t)value;
}

static struct area area_of(const struct openjp2_encoder *e, uint32_t tile, const opj_image_comp_t *c)
{
    const opj_image_t *image = e->image;
    const kst_j2k_options *o = &e->j2k;
    uint64_t width = o->tile_width > 0 ? o->tile_width : image->x1,
             height = o->tile_height > 0 ? o->tile_height : image->y1;
    uint64_t left = o->tile_x + tile % e->columns * width, top = o->tile_y + tile / e->columns * height;
    uint32_t x0 = within(left, image->x0, image->x1), x1 = within(left + width, image->x0, image->x1);
    uint32_t y0 = within(top, image->y0, image->y1), y1 = within(top + height, image->y0, image->y1);
    uint32_t x = openjp2_ceil_div(x0, c->dx), y = openjp2_ceil_div(y0, c->dy);
    return (struct area){.x = x - openjp2_ceil_div(image->x0, c->dx),
        .y = y - openjp2_ceil_div(image->y0, c->dy),
        .width = openjp2_ceil_div(x1, c->dx) - x,
        .height = openjp2_ceil_div(y1, c->dy) - y};
}

static uint32_t bytes_of(const opj_image_comp_t *c)
{
    return c->prec > 16 ? 4 : c->prec > 8 ? 2 : 1;
}

static OPJ_INT32 sample_at(const uint8_t *data, size_t index, const opj_image_comp_t *c)
{
    uint32_t wide = 0;
    uint16_t half = 0;
    switch (bytes_of(c)) {
    case 1:
        return c->sgnd ? (int8_t)data[index] : data[index];
    case 2:
        memcpy(&half, data + 2 * index, sizeof half);
        return c->sgnd ? (int16_t)half : half;
    default:
        memcpy(&wide, data + 4 * index, sizeof wide);
        return (OPJ_INT32)wide;
    }
}

static void store(const uint8_t *data, struct area area, opj_image_comp_t *c)
{
    for (uint32_t y = 0; y < area.height; y++) {
        OPJ_INT32 *row = c->data + ((size_t)area.y + y) * c->w + area.x;
        for (uint32_t x = 0; x < area.width; x++)
            row[x] = sample_at(data, (size_t)y * area.width + x, c);
    }
}

/* Allocate memory for the components, whose sizes and memory the caller may have omitted. */
static bool prepare(const struct openjp2_codec *codec)
{
    opj_image_t *image = codec->encoder->image;
    for (uint32_t i = 0; i < image->numcomps; i++) {
        opj_image_comp_t *c = &image->comps[i];
        c->w = openjp2_ceil_div(image->x1, c->dx) - openjp2_ceil_div(image->x0, c->dx);
        c->h = openjp2_ceil_div(image->y1, c->dy) - openjp2_ceil_div(image->y0, c->dy);
        opj_image_data_free(c->data);
        c->data = NULL;
        if (c->h == 0 || c->w <= SIZE_MAX / sizeof *c->data / c->h)
            c->data = opj_image_data_alloc((size_t)c->w * c->h * sizeof *c->data);
        if (!c->data)
            return openjp2_fail(codec, "there is no memory for %u x %u samples", c->w, c->h);
    }
    return true;
}

OPJ_BOOL opj_write_tile(opj_codec_t *handle, OPJ_UINT32 tile, OPJ_BYTE *data, OPJ_UINT32 size, opj_stream_t *stream)
{
    struct openjp2_codec *codec = openjp2_encoder_of(handle);
    if (!codec || !data || !stream)
        return OPJ_FALSE;
    struct openjp2_encoder *e = codec->encoder;
    if (!e->started || e->encoded || tile != e->next_tile || tile >= e->columns * e->rows)
        return openjp2_fail(
            codec, "tile %u is not the next one, which is %u of %u", tile, e->next_tile, e->columns * e->rows);
    if (tile == 0 && !prepare(codec))
        return OPJ_FALSE;
    uint64_t needed = 0;
    for (uint32_t i = 0; i < e->image->numcomps; i++) {
        struct area area = area_of(e, tile, &e->image->comps[i]);
        needed += (uint64_t)area.width * area.height * bytes_of(&e->image->comps[i]);
    }
    if (needed != size)
        return openjp2_fail(codec, "tile %u has %llu bytes, not %u", tile, (unsigned long long)needed, size);
    for (uint32_t i = 0; i < e->image->numcomps; i++) {
        struct area area = area_of(e, tile, &e->image->comps[i]);
        store(data, area, &e->image->comps[i]);
        data += (size_t)area.width * area.height * bytes_of(&e->image->comps[i]);
    }
    e->next_tile++;
    return OPJ_TRUE;
}
