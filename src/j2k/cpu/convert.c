/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the channels of each pixel from component samples, applies palettes and sYCC, and writes the image's pixels. */
#include "j2k/cpu/convert.h"
#include "image/format.h"
#include "j2k/tables/transforms.h"

enum { STRIP_ROWS = 32 };

static int32_t clamp(int64_t value, int64_t max)
{
    return (int32_t)(value < 0 ? 0 : value > max ? max : value);
}

/*
 * Convert sYCC to RGB (IEC 61966-2-1 Annex F) with 16 bits of fraction, rounded: |16-bit sample × factor| is below
 * 2^33.
 */
static void ycc_to_rgb(int32_t value[4], uint32_t depth)
{
    const int64_t half = (int64_t)1 << (depth - 1), max = ((int64_t)1 << depth) - 1;
    const int64_t y = (int64_t)value[0] * 65536 + 32768, cb = value[1] - half, cr = value[2] - half;
    value[0] = clamp((y + J2K_SYCC_RED_CR * cr) >> 16, max);
    value[1] = clamp((y - J2K_SYCC_GREEN_CB * cb - J2K_SYCC_GREEN_CR * cr) >> 16, max);
    value[2] = clamp((y + J2K_SYCC_BLUE_CB * cb) >> 16, max);
}

/* Read the colours and the alpha of one pixel. Grey is repeated as three colours for formats like RGB. */
static void read_pixel(const struct j2k_conversion *c, const uint16_t *const row[J2K_CHANNELS_MAX], uint32_t x,
    bool to_rgb, int32_t value[4])
{
    const struct j2k_channels *channels = c->channels;
    value[3] = (int32_t)c->alpha;
    for (uint32_t i = 0; i < channels->count; i++) {
        const struct j2k_conversion_source *source = &c->source[i];
        uint32_t sample = row[i][j2k_sample_at(x, source->dx, source->area.x0, source->area.x1) - source->area.x0];
        if (c->palette[i])
            sample = c->palette[i][sample < c->palette_last ? sample : c->palette_last];
        bool alpha = channels->has_alpha && i + 1 == channels->count;
        if (i < 4 || alpha)
            value[alpha ? 3 : i] = (int32_t)sample;
    }
    if (channels->colour == KST_COLOUR_YCBCR)
        ycc_to_rgb(value, channels->channel[0].depth);
    if (channels->colour == KST_COLOUR_GREY && to_rgb)
        value[1] = value[2] = value[0];
}

static void put(const kst_plane *plane, size_t y, size_t index, int32_t value)
{
    uint8_t *row = (uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
    if (plane->depth > 8)
        ((uint16_t *)(void *)row)[index] = (uint16_t)value;
    else
        row[index] = (uint8_t)value;
}

static void write_pixel(const kst_image *image, size_t x, size_t y, const int32_t value[4])
{
    const struct pixel_layout *layout = kst_pixel_layout(image->format);
    if (layout->planes) {
        for (uint32_t i = 0; i < image->plane_count; i++)
            put(&image->plane[i], y, x, value[i]);
        return;
    }
    for (uint32_t i = 0; i < layout->channels; i++)
        put(&image->plane[0], y, layout->channels * x + i, value[kst_pixel_place(layout, i)]);
}

/* Return the row of samples that a row of pixels takes its values from. */
static const uint16_t *source_row(const struct j2k_conversion_source *source, uint32_t y)
{
    uint32_t index = j2k_sample_at(y, source->dy, source->area.y0, source->area.y1) - source->area.y0;
    return source->data + (size_t)index * (source->area.x1 - source->area.x0);
}

static void run_strip(void *argument, uint32_t index)
{
    const struct j2k_conversion *c = argument;
    const kst_image *image = c->image;
    uint32_t y0 = index * STRIP_ROWS, y1 = image->height - y0 < STRIP_ROWS ? image->height : y0 + STRIP_ROWS;
    bool to_rgb = kst_pixel_is_rgb(kst_pixel_layout(image->format));
    for (uint32_t y = y0; y < y1; y++) {
        const uint16_t *row[J2K_CHANNELS_MAX] = {NULL};
        for (uint32_t i = 0; i < c->channels->count; i++)
            row[i] = source_row(&c->source[i], c->shown.y0 + y);
        for (uint32_t x = 0; x < image->width; x++) {
            int32_t value[4] = {0};
            read_pixel(c, row, c->shown.x0 + x, to_rgb, value);
            write_pixel(image, x, y, value);
        }
    }
}

void kst_j2k_cpu_convert(struct pool *pool, const struct j2k_conversion *conversion)
{
    struct j2k_conversion copy = *conversion;
    kst_pool_run(pool, (conversion->image->height + STRIP_ROWS - 1) / STRIP_ROWS, run_strip, &copy);
}
