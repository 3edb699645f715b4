/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts RGB to Y, Cb and Cr of the full range (T.871), for containers that have no RGB. */
#include "video/video.h"

enum { FRACTION = 16, HALF = 1 << (FRACTION - 1) };

static uint32_t sample_at(const uint8_t *samples, size_t index, bool wide)
{
    return wide ? ((const uint16_t *)(const void *)samples)[index] : samples[index];
}

static void set_sample(uint8_t *samples, size_t index, bool wide, int64_t value)
{
    if (wide)
        ((uint16_t *)(void *)samples)[index] = (uint16_t)value;
    else
        samples[index] = (uint8_t)value;
}

/* The weights of BT.601 in units of 2^-16. Half a unit less is added to chroma, so that none exceeds the depth. */
static void convert_pixel(const int64_t rgb[3], int64_t middle, int64_t ycc[3])
{
    int64_t offset = middle * (1 << FRACTION) + HALF - 1;

    ycc[0] = (19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + HALF) >> FRACTION;
    ycc[1] = (-11059 * rgb[0] - 21709 * rgb[1] + 32768 * rgb[2] + offset) >> FRACTION;
    ycc[2] = (32768 * rgb[0] - 27439 * rgb[1] - 5329 * rgb[2] + offset) >> FRACTION;
}

bool frame_to_planes(
    const struct video_shape *shape, const struct video_frame *from, struct video_frame *to, struct problem *problem)
{
    size_t pixels = (size_t)shape->width * shape->height;
    bool wide = shape->depth > 8;

    to->length = 0;
    to->offset = from->offset;
    if (!frame_reserve(to, from->length, problem))
        return false;
    to->length = from->length;
    for (size_t i = 0; i < pixels; i++) {
        int64_t rgb[3], ycc[3];
        for (size_t c = 0; c < 3; c++)
            rgb[c] = sample_at(from->bytes, 3 * i + c, wide);
        convert_pixel(rgb, (int64_t)1 << (shape->depth - 1), ycc);
        for (size_t c = 0; c < 3; c++)
            set_sample(to->bytes, c * pixels + i, wide, ycc[c]);
    }
    return true;
}
