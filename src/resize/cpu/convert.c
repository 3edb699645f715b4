/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts the result of the passes to planes or floating-point samples. */
#include "resize/cpu/convert.h"

#include "image/allocate.h"
#include "resize/cpu/resize.h"

/* Describes the conversion of integers of the result's size to another form. */
struct resize_conversion {
    const kst_image *from, *to;
    const struct normal *normal;
    uint32_t bands;
};

/* Copy one channel of a row of interleaved pixels. */
static void separate_row(
    const uint8_t *from, uint8_t *to, uint32_t width, uint32_t channels, uint32_t channel, uint32_t bytes)
{
    if (bytes == 1) {
        for (size_t x = 0; x < width; x++)
            to[x] = from[x * channels + channel];
        return;
    }
    const uint16_t *samples = (const uint16_t *)(const void *)from;
    for (size_t x = 0; x < width; x++)
        ((uint16_t *)(void *)to)[x] = samples[x * channels + channel];
}

static uint8_t *row_of(const kst_plane *plane, uint32_t y)
{
    return (uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
}

static uint32_t border_of(const struct resize_conversion *c, uint32_t index)
{
    return (uint32_t)((uint64_t)c->to->height * index / c->bands);
}

static void band_separate(void *arg, uint32_t index)
{
    const struct resize_conversion *c = arg;
    const struct pixel_layout *layout = kst_pixel_layout(c->from->format);
    const kst_plane *from = &c->from->plane[0];
    for (uint32_t i = 0; i < layout->channels; i++)
        for (uint32_t y = border_of(c, index); y < border_of(c, index + 1); y++)
            separate_row(row_of(from, y), row_of(&c->to->plane[kst_pixel_place(layout, i)], y), c->to->width,
                layout->channels, i, kst_plane_sample_bytes(from));
}

static void band_normalise(void *arg, uint32_t index)
{
    const struct resize_conversion *c = arg;
    kst_image_normalise(c->from, c->to, c->normal, border_of(c, index), border_of(c, index + 1));
}

static void convert(const struct operation *operation, const kst_image *from, const struct normal *normal,
    const kst_image *to, void (*band)(void *arg, uint32_t index))
{
    struct resize_conversion c = {from, to, normal, operation->pool ? kst_pool_threads(operation->pool) : 1};
    c.bands = c.bands < to->height ? c.bands : to->height;
    kst_pool_run(operation->pool, c.bands, band, &c);
}

/* Make an image of integers with the size of `to`, and with the format and depths of `from`. */
static kst_status make_integers(struct memory *memory, const kst_image *from, const kst_image *to, kst_image *made)
{
    *made = *to;
    made->owned = NULL;
    made->format = from->format;
    made->plane_count = from->plane_count;
    made->memory = KST_MEMORY_HOST;
    for (uint32_t i = 0; i < made->plane_count; i++)
        made->plane[i] = (kst_plane){.width = to->width, .height = to->height, .depth = from->plane[i].depth};
    return kst_image_make(memory, made);
}

/* Make each channel of `integers` a plane of `to`; for floating-point samples, by way of planes of integers. */
static kst_status separate(
    const struct operation *operation, const kst_image *integers, const struct normal *normal, const kst_image *to)
{
    kst_image planes;
    if (!normal) {
        convert(operation, integers, NULL, to, band_separate);
        return KST_OK;
    }
    kst_image like = *to;
    for (uint32_t i = 0; i < like.plane_count; i++)
        like.plane[i].depth = integers->plane[0].depth;
    kst_status status = make_integers(operation->memory, &like, to, &planes);
    if (status)
        return status;
    convert(operation, integers, NULL, &planes, band_separate);
    convert(operation, &planes, normal, to, band_normalise);
    kst_image_drop(operation->memory, &planes);
    return KST_OK;
}

kst_status kst_resize_run_to(const struct operation *operation, struct resize_plan *plan, const kst_image *from,
    const struct normal *normal, const kst_image *to)
{
    kst_image integers;
    bool separates = to->format != from->format;
    if (!separates && !normal)
        return kst_resize_run(operation, plan, from, to);
    kst_status status = make_integers(operation->memory, from, to, &integers);
    if (status)
        return status;
    status = kst_resize_run(operation, plan, from, &integers);
    if (!status && separates)
        status = separate(operation, &integers, normal, to);
    else if (!status)
        convert(operation, &integers, normal, to, band_normalise);
    kst_image_drop(operation->memory, &integers);
    return status;
}
