/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds edges as OpenCV's Canny() does, byte for byte: computes gradients, keeps the pixels whose gradient is greatest
 * across an edge, and of these the pixels above the lower threshold that are joined to one above the higher threshold.
 * With several colours a pixel has the gradient with the greatest magnitude, the first one if several are equal.
 */
#include "filters/cpu/canny.h"
#include "filters/cpu/canny_join.h"
#include "filters/cpu/gradient.h"
#include "filters/cpu/kinds.h"

enum { LOW, HIGH, NORM, APERTURE };
enum { ROWS = 3, ALIGNMENT = 64, THOUSAND = 1000, SCALE_OF_SEVEN = 16, MOST_SQUARED = 32767 };

/*
 * Holds the buffers of a band: the gradients of all channels of a row, and the gradients of each pixel of three rows.
 */
struct filter_canny_band {
    struct filter_sobel sobel;
    const struct filter_canny *canny;
    int16_t *memory;
    int32_t *magnitudes;
    struct filter_gradient all; /* gradients of all channels, if there are several */
    struct filter_gradient row[ROWS];
};

static kst_status make_rows(struct memory *memory, uint32_t width, size_t samples, struct filter_canny_band *band)
{
    kst_status status = KST_OK;
    size_t pitch = ((size_t)width + 2 + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    size_t all = (samples + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    band->memory = kst_memory_zeroed(memory, 2 * (ROWS * pitch + all), sizeof *band->memory, &status);
    if (!status)
        band->magnitudes = kst_memory_zeroed(memory, ROWS * pitch, sizeof *band->magnitudes, &status);
    if (status)
        return status;
    for (size_t i = 0; i < ROWS; i++)
        band->row[i] = (struct filter_gradient){
            band->memory + 2 * i * pitch, band->memory + (2 * i + 1) * pitch, band->magnitudes + i * pitch + 1};
    int16_t *dx = band->memory + 2 * ROWS * pitch;
    band->all = (struct filter_gradient){dx, dx + all, NULL};
    return KST_OK;
}

static void drop_rows(struct memory *memory, struct filter_canny_band *band)
{
    kst_memory_release(memory, band->memory);
    kst_memory_release(memory, band->magnitudes);
    kst_filter_sobel_drop(memory, &band->sobel);
}

static struct filter_gradient *row_of(struct filter_canny_band *band, int64_t y)
{
    return &band->row[(y + ROWS) % ROWS];
}

/* Compute the gradients of a row. Those outside the image are 0. */
static void make_gradients(struct filter_canny_band *band, const struct filter_pixels *from, int64_t y)
{
    struct filter_gradient *row = row_of(band, y);
    bool squared = band->canny->squared;
    if (y < 0 || y >= from->height) {
        for (size_t x = 0; x < from->width; x++)
            row->magnitude[x] = 0;
        return;
    }
    if (from->channels == 1) {
        kst_filter_sobel_row(&band->sobel, y, row->dx, row->dy);
        band->sobel.hot->magnitude(row->dx, row->dy, row->magnitude, from->width, squared);
        return;
    }
    const struct filter_gradient *all = &band->all;
    kst_filter_sobel_row(&band->sobel, y, all->dx, all->dy);
    band->sobel.hot->strongest(all, row, from->width, from->channels, squared);
}

static void thin_row(const struct filter_work *work, struct filter_canny_band *band, int64_t y)
{
    const struct filter_gradient *const row[ROWS] = {row_of(band, y - 1), row_of(band, y), row_of(band, y + 1)};
    const struct filter_canny *canny = band->canny;
    band->sobel.hot->thin(row, kst_filter_row(work->to, (uint32_t)y), work->to->width, canny->low, canny->high);
}

static void mark_rows(const struct filter_work *work, struct filter_canny_band *band, int64_t first, int64_t end)
{
    const int64_t radius = band->canny->radius, above = first - 1;
    /* Rows far outside the image are not loaded, because their gradients are 0. */
    int64_t y = above < 0 ? -radius : above - radius;
    if (above < 0)
        make_gradients(band, work->from, above);
    for (; y <= end + radius; y++) {
        kst_filter_sobel_load(&band->sobel, y);
        int64_t made = y - radius;
        if (made < above || made < 0)
            continue;
        make_gradients(band, work->from, made);
        if (made > first)
            thin_row(work, band, made - 1);
    }
}

static kst_status mark_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    struct filter_canny_band band = {.canny = arg};
    struct memory *memory = work->operation->memory;
    kst_status status = kst_filter_sobel_make(work->operation, work->from, band.canny->radius, &band.sobel);
    if (!status)
        status = make_rows(memory, work->from->width, kst_filter_row_samples(work->from), &band);
    if (!status)
        mark_rows(work, &band, first, end);
    drop_rows(memory, &band);
    return status;
}

/* Return the integer with which magnitudes are compared, for a threshold in thousandths. */
static int32_t threshold_of(int64_t value, bool squared, int64_t scale)
{
    int64_t unit = THOUSAND * scale;
    if (!squared)
        return (int32_t)(value / unit);
    value = value < MOST_SQUARED * unit ? value : MOST_SQUARED * unit;
    return (int32_t)(value * value / (unit * unit));
}

void kst_filter_canny_settle(const struct filter_value *value, struct filter_canny *canny)
{
    bool squared = value[NORM].number == 1;
    int32_t low = value[LOW].number, high = value[HIGH].number;
    *canny = (struct filter_canny){.radius = (uint32_t)value[APERTURE].number + 1, .squared = squared};
    int64_t scale = canny->radius == 3 ? SCALE_OF_SEVEN : 1;
    canny->low = threshold_of(low < high ? low : high, squared, scale);
    canny->high = threshold_of(low < high ? high : low, squared, scale);
}

static kst_status canny_run(const struct filter_work *work)
{
    struct filter_canny canny;
    kst_filter_canny_settle(work->value, &canny);
    kst_status status = kst_filter_bands(work, work->to->height, mark_band, &canny);
    return status ? status : kst_filter_join(work);
}

static kst_status canny_shape(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    (void)value;
    shape->format = KST_FORMAT_GREY;
    kst_status status = kst_filter_check_narrow("canny", shape, reason);
    shape->depth = status ? shape->depth : 8;
    return status;
}

const struct filter_kind kst_filter_canny = {"canny", "edges, white on black; alpha is dropped",
    {{"low", "the least gradient of an edge", KST_FILTER_DECIMAL, true, 0, 2000000, 0, NULL},
        {"high", "the least gradient of an edge's strongest pixel", KST_FILTER_DECIMAL, true, 0, 2000000, 0, NULL},
        {"norm", "|dx| + |dy|, or the vector's length", KST_FILTER_WORD, false, 0, 0, 0, "l1|l2"},
        {"aperture", "of Sobel's operator", KST_FILTER_WORD, false, 0, 0, 0, "3|5|7"}},
    NULL, canny_shape, canny_run};
