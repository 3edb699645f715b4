/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures how far two images are from each other. */
#include <math.h>
#include <string.h>

#include "image/validate.h"

/* Sums of one chunk stay exact where samples have 16 bits: 2^16 of squares below 2^32. */
enum { CHUNK = 1 << 16 };

struct difference_sums {
    uint64_t differing;
    uint32_t max;
    double absolute;
    double square;
};

static int64_t sample(const uint8_t *row, size_t index, const kst_plane *plane)
{
    size_t bytes = kst_plane_sample_bytes(plane);
    if (bytes == 4) {
        uint32_t wide;
        memcpy(&wide, row + 4 * index, sizeof wide);
        return plane->is_signed ? (int64_t)(int32_t)wide : (int64_t)wide;
    }
    if (bytes == 1)
        return plane->is_signed ? (int32_t)(int8_t)row[index] : (int32_t)row[index];
    uint16_t value;
    memcpy(&value, row + 2 * index, sizeof value);
    return plane->is_signed ? (int32_t)(int16_t)value : (int32_t)value;
}

static void compare_chunk(
    struct difference_sums *sums, const uint8_t *a, const uint8_t *b, size_t from, size_t to, const kst_plane *plane)
{
    uint64_t absolute = 0, square = 0;
    double wide = 0; /* squares of more than 32 bits */

    for (size_t i = from; i < to; i++) {
        int64_t difference = sample(a, i, plane) - sample(b, i, plane);
        uint32_t distance = (uint32_t)(difference < 0 ? -difference : difference);
        sums->differing += distance != 0;
        sums->max = distance > sums->max ? distance : sums->max;
        absolute += distance;
        if (distance > UINT16_MAX)
            wide += (double)distance * distance;
        else
            square += (uint64_t)distance * distance;
    }
    sums->absolute += (double)absolute;
    sums->square += (double)square + wide;
}

static void compare_planes(struct difference_sums *sums, const kst_plane *a, const kst_plane *b, uint32_t samples)
{
    size_t count = (size_t)a->width * samples;
    size_t bytes = count * kst_plane_sample_bytes(a);
    const uint8_t *row_a = a->data, *row_b = b->data;

    for (uint32_t y = 0; y < a->height; y++) {
        if (memcmp(row_a, row_b, bytes) != 0)
            for (size_t from = 0; from < count; from += CHUNK)
                compare_chunk(sums, row_a, row_b, from, count - from < CHUNK ? count : from + CHUNK, a);
        if (y + 1 < a->height) {
            row_a += a->pitch;
            row_b += b->pitch;
        }
    }
}

kst_status kst_compare(const kst_image *a, const kst_image *b, kst_comparison *comparison)
{
    struct difference_sums sums = {0, 0, 0.0, 0.0};
    uint64_t samples = 0;
    uint32_t depth = 1;
    kst_status status;

    if (comparison == NULL || comparison->size < sizeof *comparison)
        return KST_ERROR_ARGUMENT;
    if ((status = kst_image_check(a)) || (status = kst_image_check(b)) || (status = kst_image_match(a, b)))
        return status;
    if (a->plane[0].sample != KST_SAMPLE_INTEGER)
        return KST_ERROR_IMAGE_SAMPLE;
    for (uint32_t i = 0; i < a->plane_count; i++) {
        const kst_plane *plane = kst_image_plane(a, i);
        uint32_t channels = kst_format_samples(a->format);
        compare_planes(&sums, plane, kst_image_plane(b, i), channels);
        samples += (uint64_t)plane->width * plane->height * channels;
        depth = kst_plane_depth(plane) > depth ? kst_plane_depth(plane) : depth;
    }
    comparison->identical = sums.differing == 0;
    comparison->samples = samples;
    comparison->differing = sums.differing;
    comparison->max_error = sums.max;
    comparison->mean_error = sums.absolute / (double)samples;
    comparison->mean_square_error = sums.square / (double)samples;
    double range = (double)((1u << depth) - 1);
    comparison->psnr = comparison->identical ? HUGE_VAL : 10.0 * log10(range * range / comparison->mean_square_error);
    return KST_OK;
}
