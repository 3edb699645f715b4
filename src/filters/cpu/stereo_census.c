/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the census of images, after R. Zabih and J. Woodfill, Non-parametric local transforms for computing visual
 * correspondence (ECCV 1994), in its symmetric form: each bit compares two pixels that lie opposite each other.
 */
#include "filters/bands.h"
#include "filters/cpu/luminance.h"
#include "filters/cpu/stereo.h"

enum { ACROSS = FILTER_STEREO_ACROSS, ROWS = 2 * FILTER_STEREO_DOWN + 1, DOWN = FILTER_STEREO_DOWN };

struct filter_census {
    const struct filter_pixels *image;
    bool reversed;
    uint32_t *words;
};

/* Load the luminance of a row into its place in the ring, with the nearest pixels repeated on either side. */
static void load(const struct filter_pixels *image, int64_t y, uint16_t *ring, size_t pitch)
{
    const uint8_t *row = kst_filter_row(image, kst_filter_nearest(y, image->height));
    uint16_t *to = ring + (size_t)((y + ROWS) % ROWS) * pitch + ACROSS;
    for (uint32_t x = 0; x < image->width; x++)
        to[x] = (uint16_t)kst_filter_luminance(image, row, x);
    for (uint32_t i = 1; i <= ACROSS; i++) {
        to[-(ptrdiff_t)i] = to[0];
        to[image->width - 1 + i] = to[image->width - 1];
    }
}

/*
 * Return the census at a column. Pairs of opposite pixels are compared by rows, from the first pixel of the window to
 * the one before its centre.
 */
static uint32_t census_at(const uint16_t *const *row, size_t x)
{
    uint32_t word = 0;
    for (int i = 0; i < DOWN; i++)
        for (int k = -ACROSS; k <= ACROSS; k++)
            word = word << 1 | (row[i][(ptrdiff_t)x + k] > row[ROWS - 1 - i][(ptrdiff_t)x - k]);
    for (int k = 1; k <= ACROSS; k++)
        word = word << 1 | (row[DOWN][(ptrdiff_t)x - k] > row[DOWN][x + (size_t)k]);
    return word;
}

static kst_status census_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_census *census = arg;
    const uint32_t width = census->image->width;
    const size_t pitch = (size_t)width + 2 * ACROSS;
    kst_status status = KST_OK;
    uint16_t *ring = kst_memory_array(work->operation->memory, ROWS * pitch, sizeof *ring, &status);
    if (!ring)
        return status;
    for (int64_t y = (int64_t)first - DOWN; y < (int64_t)first + DOWN; y++)
        load(census->image, y, ring, pitch);
    for (uint32_t y = first; y < end; y++) {
        const uint16_t *row[ROWS];
        uint32_t *to = census->words + (size_t)y * width;
        load(census->image, (int64_t)y + DOWN, ring, pitch);
        for (uint32_t i = 0; i < ROWS; i++)
            row[i] = ring + (size_t)((y + i + ROWS - DOWN) % ROWS) * pitch + ACROSS;
        for (uint32_t x = 0; x < width; x++)
            to[census->reversed ? width - 1 - x : x] = census_at(row, x);
    }
    kst_memory_release(work->operation->memory, ring);
    return KST_OK;
}

kst_status kst_filter_stereo_census(
    const struct filter_work *work, const struct filter_pixels *image, bool reversed, uint32_t *census)
{
    struct filter_census own = {image, reversed, census};
    return kst_filter_bands(work, image->height, census_band, &own);
}
