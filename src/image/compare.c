/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures how much two images differ. */
#include <math.h>
#include <string.h>

#include "image/validate.h"

/*
 * The number of samples in a chunk, whose sums stay exact: with samples of 8 bits all sums are below 2^32; with 16 bits
 * the sum of 2^16 squares, each below 2^32, is below 2^48.
 */
enum { CHUNK = 1 << 16 };

struct difference_sums {
    uint64_t differing;
    uint32_t max;
    double absolute;
    double square;
};

static void add_chunk(
    struct difference_sums *sums, uint64_t differing, uint32_t max, uint64_t absolute, uint64_t square)
{
    sums->differing += differing;
    sums->max = max > sums->max ? max : sums->max;
    sums->absolute += (double)absolute;
    sums->square += (double)square;
}

/* Compare samples of at most 8 bits. `flip` is 0x80 where they are signed, which keeps their order and distances. */
static void compare_bytes(struct difference_sums *sums, const uint8_t *a, const uint8_t *b, size_t count, uint8_t flip)
{
    uint32_t differing = 0, absolute = 0, square = 0;
    uint8_t max = 0;

    for (size_t i = 0; i < count; i++) {
        uint8_t left = a[i] ^ flip, right = b[i] ^ flip;
        uint8_t distance = (uint8_t)(left > right ? left - right : right - left);
        differing += distance != 0;
        max = distance > max ? distance : max;
        absolute += distance;
        square += (uint32_t)distance * distance;
    }
    add_chunk(sums, differing, max, absolute, square);
}

static uint16_t word(const uint8_t *row, size_t index)
{
    uint16_t value;

    memcpy(&value, row + 2 * index, sizeof value);
    return value;
}

/* Compare samples of 9 to 16 bits. `flip` is 0x8000 where they are signed. */
static void compare_words(struct difference_sums *sums, const uint8_t *a, const uint8_t *b, size_t count, uint16_t flip)
{
    uint32_t differing = 0, absolute = 0;
    uint64_t square = 0;
    uint16_t max = 0;

    for (size_t i = 0; i < count; i++) {
        uint16_t left = word(a, i) ^ flip, right = word(b, i) ^ flip;
        uint16_t distance = (uint16_t)(left > right ? left - right : right - left);
        differing += distance != 0;
        max = distance > max ? distance : max;
        absolute += distance;
        square += (uint32_t)distance * distance;
    }
    add_chunk(sums, differing, max, absolute, square);
}

static int64_t wide_sample(const uint8_t *row, size_t index, bool is_signed)
{
    uint32_t wide;

    memcpy(&wide, row + 4 * index, sizeof wide);
    return is_signed ? (int64_t)(int32_t)wide : (int64_t)wide;
}

/* Compare samples of more than 16 bits, whose squares are summed as floating-point numbers. */
static void compare_wide(struct difference_sums *sums, const uint8_t *a, const uint8_t *b, size_t count, bool is_signed)
{
    uint64_t absolute = 0, differing = 0;
    uint32_t max = 0;

    for (size_t i = 0; i < count; i++) {
        int64_t difference = wide_sample(a, i, is_signed) - wide_sample(b, i, is_signed);
        uint32_t distance = (uint32_t)(difference < 0 ? -difference : difference);
        differing += distance != 0;
        max = distance > max ? distance : max;
        absolute += distance;
        sums->square += (double)distance * distance;
    }
    add_chunk(sums, differing, max, absolute, 0);
}

static void compare_chunk(
    struct difference_sums *sums, const uint8_t *a, const uint8_t *b, size_t count, const kst_plane *plane)
{
    switch (kst_plane_sample_bytes(plane)) {
    case 1:
        compare_bytes(sums, a, b, count, plane->is_signed ? 0x80 : 0);
        break;
    case 2:
        compare_words(sums, a, b, count, plane->is_signed ? 0x8000 : 0);
        break;
    default:
        compare_wide(sums, a, b, count, plane->is_signed);
    }
}

static void compare_planes(struct difference_sums *sums, const kst_plane *a, const kst_plane *b, uint32_t samples)
{
    size_t count = (size_t)a->width * samples;
    size_t one = kst_plane_sample_bytes(a), bytes = count * one;
    const uint8_t *row_a = a->data, *row_b = b->data;

    for (uint32_t y = 0; y < a->height; y++) {
        if (memcmp(row_a, row_b, bytes) != 0)
            for (size_t from = 0; from < count; from += CHUNK)
                compare_chunk(
                    sums, row_a + from * one, row_b + from * one, count - from < CHUNK ? count - from : CHUNK, a);
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
